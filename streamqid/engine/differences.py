"""What differs between two recommendations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.documents import Change, VerdictState

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.engine.documents import Recommendation

MOST_TOLD = 10
"""Column sets of one answer that a change names; of more their number is told."""


def changes(before: Recommendation, now: Recommendation) -> list[Change]:
    """Return what differs between two recommendations: key, mask, the other problems, published sets.

    A problem that one of them leaves unanswered is not compared.
    """
    lost = {one.problem for document in (before, now) for one in document.unanswered}
    was, found = dict(_answers(before)), dict(_answers(now))
    pairs = [(name, was[name], sets) for name, sets in found.items() if name not in lost]
    told = [Change(about=name, before=_told(a), after=_told(b)) for name, a, b in pairs if a != b]
    states = {verdict.name: verdict.settled for verdict in before.verdicts}
    for verdict in now.verdicts:
        state = states.get(verdict.name, VerdictState.UNKNOWN)
        if state is not verdict.settled:
            told.append(Change(about=f"published set {verdict.name}", before=state, after=verdict.settled))
    return told


def _answers(one: Recommendation) -> Iterator[tuple[str, list[str] | None]]:
    """Yield each problem with what its answer names, sorted; None where there is no answer."""
    yield "key", None if one.key is None else [_set(one.key.columns)]
    yield "mask", None if one.mask is None else [_set(one.mask.publish)]
    yield "minimal", None if one.minimal is None else sorted(_set(each.columns) for each in one.minimal.sets)
    yield "qid", None if one.qid is None or one.qid.columns is None else [_set(one.qid.columns)]
    yield "optimal_key", None if one.optimal_key is None else [_set(one.optimal_key.columns)]
    yield "optimal_mask", None if one.optimal_mask is None else [_set(one.optimal_mask.publish)]
    found = None if one.dependencies is None else [each for each in one.dependencies.dependencies if each.certain]
    yield "dependencies", None if found is None else sorted(f"{_set(d.left)} -> {_set(d.right)}" for d in found)
    yield "articulation", None if one.articulation is None else [_set(one.articulation.quasi)]


def _set(columns: list[str]) -> str:
    return f"{{{', '.join(sorted(columns))}}}"


def _told(sets: list[str] | None) -> str:
    if not sets:
        return "none"
    return ", ".join(sets) if len(sets) <= MOST_TOLD else f"{len(sets)} sets"
