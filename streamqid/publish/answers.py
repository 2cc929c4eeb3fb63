"""What a recommendation says, as readings of metrics: sizes, ratios and states, no names of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.changes import measure_of
from streamqid.engine.documents import VerdictState
from streamqid.publish import definitions as d
from streamqid.publish.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.engine.documents import Recommendation, Verdict
    from streamqid.engine.stream import Stream
    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import KeyAnswer, MaskAnswer
    from streamqid.publish.definitions import Definition

LANDMARK = "landmark"
"""The window since the start of the stream."""


def window(stream: Stream) -> str:
    """Name the window in which published sets are judged by its length, for instance ``3600_seconds``."""
    return f"{stream.panes.width * stream.window_panes:.15g}_{stream.panes.unit}"


def answers(recommendation: Recommendation, stream: Stream) -> Iterator[Reading]:
    """Yield the readings of all answers of a recommendation."""
    key, mask = recommendation.key, recommendation.mask
    if key is not None:
        yield Reading(d.KEY_COLUMNS, _labels(stream, key), len(key.columns))
        yield from _answer(stream, key)
    if mask is not None:
        yield Reading(d.MASK_COLUMNS, _labels(stream, mask), len(mask.publish))
        yield from _answer(stream, mask)
    for verdict in recommendation.verdicts:
        yield from _verdict(stream, verdict)


def _labels(stream: Stream, answer: KeyAnswer | MaskAnswer) -> tuple[str, ...]:
    return stream.name, LANDMARK, answer.problem.replace(" ", "_").replace("-", "_")


def _answer(stream: Stream, answer: KeyAnswer | MaskAnswer) -> Iterator[Reading]:
    labels = _labels(stream, answer)
    yield Reading(d.MET, labels, float(answer.met))
    yield Reading(d.ANSWER_SAMPLE, (*labels, answer.sample_unit), answer.sample)
    yield from _bounds(d.SEPARATION, labels, answer.separation)
    yield from _bounds(d.DISTINCT, labels, answer.distinct)


def _verdict(stream: Stream, verdict: Verdict) -> Iterator[Reading]:
    labels = (stream.name, verdict.name, window(stream))
    for state in VerdictState:
        yield Reading(d.SET_STATE, (*labels, str(state)), float(verdict.settled is state))
    for finding in verdict.findings:
        measure = (*labels, measure_of(finding))
        yield Reading(d.SET_LIMIT, measure, finding.limit)
        yield from _bounds(d.SET_RATIO, measure, finding.estimate)


def _bounds(definition: Definition, labels: tuple[str, ...], estimate: Estimate | None) -> Iterator[Reading]:
    """Yield the estimate and the bounds that the sample supports."""
    if estimate is None:
        return
    for bound, value in (("estimate", estimate.estimate), ("lower", estimate.lower), ("upper", estimate.upper)):
        if value is not None:
            yield Reading(definition, (*labels, bound), value)
