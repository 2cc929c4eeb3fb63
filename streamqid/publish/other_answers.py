"""What a recommendation says about the problems besides key and mask, as readings of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.publish import definitions as d
from streamqid.publish.readings import Reading, bounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamqid.engine.documents import Recommendation
    from streamqid.engine.stream import Stream
    from streamqid.publish.definitions import Definition

    Labels = tuple[str, str, str]

LANDMARK = "landmark"
"""The window since the start of the stream."""


def other_answers(one: Recommendation, stream: Stream) -> Iterator[Reading]:
    """Yield the readings of all answers besides key and mask, and which of them are missing."""
    lost = {missing.problem for missing in one.unanswered}
    for ask in stream.problems:
        yield Reading(d.UNANSWERED, (stream.name, ask.name), float(ask.name in lost))
        found = getattr(one, ask.name)
        if found is not None:
            labels = (stream.name, LANDMARK, ask.name)
            yield Reading(d.ANSWER_SAMPLE, (*labels, found.sample_unit), found.sample)
            yield from _READ[ask.name](one, labels)


def _minimal(one: Recommendation, labels: Labels) -> Iterator[Reading]:
    if one.minimal is not None:
        sets = one.minimal.sets
        yield from _certain(d.MINIMAL_SETS, labels, (found.certain for found in sets))
        if sets:
            yield Reading(d.ANSWER_COLUMNS, labels, min(len(found.columns) for found in sets))


def _qid(one: Recommendation, labels: Labels) -> Iterator[Reading]:
    if one.qid is not None and one.qid.columns is not None:
        yield Reading(d.ANSWER_COLUMNS, labels, len(one.qid.columns))
        yield from bounds(d.EXPOSED, labels, one.qid.exposed)


def _optimal_key(one: Recommendation, labels: Labels) -> Iterator[Reading]:
    if one.optimal_key is not None:
        yield Reading(d.ANSWER_COLUMNS, labels, len(one.optimal_key.columns))
        yield Reading(d.MET, labels, float(one.optimal_key.met))
        yield Reading(d.GAP, labels, one.optimal_key.optimality.gap)
        yield from bounds(d.SEPARATION, labels, one.optimal_key.separation)


def _optimal_mask(one: Recommendation, labels: Labels) -> Iterator[Reading]:
    if one.optimal_mask is not None:
        yield Reading(d.ANSWER_COLUMNS, labels, len(one.optimal_mask.publish))
        yield Reading(d.MET, labels, float(one.optimal_mask.met))
        yield Reading(d.GAP, labels, one.optimal_mask.optimality.gap)
        yield from bounds(d.SEPARATION, labels, one.optimal_mask.separation)
        yield from bounds(d.DISTINCT, labels, one.optimal_mask.distinct)


def _dependencies(one: Recommendation, labels: Labels) -> Iterator[Reading]:
    if one.dependencies is not None:
        yield from _certain(d.DEPENDENCIES, labels, (found.certain for found in one.dependencies.dependencies))


def _articulation(one: Recommendation, labels: Labels) -> Iterator[Reading]:
    if one.articulation is not None:
        yield Reading(d.ANSWER_COLUMNS, labels, len(one.articulation.quasi))


def _certain(definition: Definition, labels: Labels, found: Iterable[bool]) -> Iterator[Reading]:
    certain = list(found)
    yield Reading(definition, (*labels, "true"), sum(certain))
    yield Reading(definition, (*labels, "false"), len(certain) - sum(certain))


_READ = {
    "minimal": _minimal,
    "qid": _qid,
    "optimal_key": _optimal_key,
    "optimal_mask": _optimal_mask,
    "dependencies": _dependencies,
    "articulation": _articulation,
}
