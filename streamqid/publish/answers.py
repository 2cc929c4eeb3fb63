"""What a recommendation says, as readings of metrics: sizes, ratios and states, no names of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.publish import definitions as d
from streamqid.publish.other_answers import LANDMARK, other_answers
from streamqid.publish.readings import Reading, bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.engine.documents import Recommendation
    from streamqid.engine.stream import Stream
    from streamqid.problems.answer import KeyAnswer, MaskAnswer


def answers(recommendation: Recommendation, stream: Stream) -> Iterator[Reading]:
    """Yield the readings of all answers of a recommendation."""
    key, mask = recommendation.key, recommendation.mask
    if key is not None:
        yield Reading(d.KEY_COLUMNS, _labels(stream, key), len(key.columns))
        yield from _answer(stream, key)
    if mask is not None:
        yield Reading(d.MASK_COLUMNS, _labels(stream, mask), len(mask.publish))
        yield from _answer(stream, mask)
    yield from other_answers(recommendation, stream)


def _labels(stream: Stream, answer: KeyAnswer | MaskAnswer) -> tuple[str, ...]:
    return stream.name, LANDMARK, answer.problem.replace(" ", "_").replace("-", "_")


def _answer(stream: Stream, answer: KeyAnswer | MaskAnswer) -> Iterator[Reading]:
    labels = _labels(stream, answer)
    yield Reading(d.MET, labels, float(answer.met))
    yield Reading(d.ANSWER_SAMPLE, (*labels, answer.sample_unit), answer.sample)
    yield from bounds(d.SEPARATION, labels, answer.separation)
    yield from bounds(d.DISTINCT, labels, answer.distinct)
