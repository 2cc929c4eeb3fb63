"""What brings an unsafe set back under its limits, with a certified bound.

Choose on sample A, judge on sample B: which column to drop, and in which order columns are given up, is decided by A
alone, so for B they are fixed sets.  Nested sets are tested from the small one up until the first that fails, at one
and the same level (see ``problems.certified``): nothing is said of what follows that one, so a measure need not grow
with the columns.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.engine.documents import Finding, Proposal, ProposedSet, VerdictState
from streamqid.engine.judge import level
from streamqid.engine.prospect import Prospect
from streamqid.engine.questions import Quantity
from streamqid.engine.telling import proposed
from streamqid.problems.answer import Measure
from streamqid.problems.certified import longest_passing
from streamqid.problems.greedy import mask_chain, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.judge import Window
    from streamqid.engine.questions import PublishedSet


def propose(published: PublishedSet, window: Window, number: int) -> Proposal:
    """Say what to do about a set that the ``number``-th test found unsafe.

    With probability 1 - δ_number everything in the proposal keeps the limits that it names, and over all proposals
    about the set with probability 1 - δ.  Nothing is promised about how large the part is that can be kept.
    """
    evidence = window.evidence
    # Two answers, each about every limit, and about the groups besides, which say how far a column can be coarsened.
    delta = level(published.delta, number) / (4 * len(published.limits))
    prospect = Prospect(published, evidence, math.log(delta))
    fixed = [published.columns.index(column) for column in published.must_publish]
    chosen = sorted(_keep(prospect, published, fixed))
    # Where the whole set keeps all that a sample can promise, what is beyond its limit is something else, and a part
    # that is chosen by these would be no answer to it.
    drop = None if len(chosen) == len(published.columns) else _drop(prospect, len(published.columns), fixed)
    without = None if drop is None else [j for j in range(len(published.columns)) if j != drop]

    def part(chosen: list[int] | None) -> ProposedSet | None:
        if not chosen or len(chosen) == len(published.columns):
            return None
        return ProposedSet(columns=[published.columns[j] for j in chosen], bounds=prospect.findings(chosen))

    kept = part(chosen)
    found = Proposal(
        drop=None if drop is None else published.columns[drop],
        coarsen_to=None if without is None else prospect.values_left(without),
        without=part(without),
        keep=kept if evidence.whole else _no_better(kept),
        uncertified=[limit.quantity for limit in published.limits if not Prospect.promises(limit, evidence)],
        confidence=1.0 if evidence.whole else 1.0 - published.delta,
        window=window.span,
        sentence="",
    )
    return found.model_copy(update={"sentence": proposed(found)})


def _drop(prospect: Prospect, columns: int, fixed: Sequence[int]) -> int | None:
    """Return the column without which A has the set furthest below its limits, if B agrees."""
    if columns < 2:
        return None
    others = {drop: [j for j in range(columns) if j != drop] for drop in range(columns) if drop not in fixed}
    best = min(others, key=lambda drop: prospect.excess(others[drop]), default=None)
    return best if best is not None and _safe(prospect.findings(others[best])) else None


def _keep(prospect: Prospect, published: PublishedSet, fixed: list[int]) -> list[int]:
    """Return the longest part of the chain of A that B lets pass; empty when not even the shortest does."""
    chain = _chain(prospect, published, fixed)
    lengths = range(max(1, len(fixed)), len(chain) + 1)
    passed = longest_passing(lengths, lambda length: _safe(prospect.findings(chain[:length])))
    return [] if passed is None else chain[:passed]


def _chain(prospect: Prospect, published: PublishedSet, fixed: list[int]) -> list[int]:
    """Return all columns, those first that A would rather have published."""
    m, limited = len(published.columns), {limit.quantity for limit in published.limits}
    free = [j for j in range(m) if j not in fixed]
    if Quantity.CLOSENESS not in limited:
        state = state_of(prospect.a, Measure.SEPARATION if Quantity.SEPARATION in limited else Measure.DISTINCT)
        return mask_chain(state, [1.0] * m, fixed, free, 1.0)
    chain = list(fixed)
    while free:
        chain.append(min(free, key=lambda j: prospect.excess([*chain, j])))
        free.remove(chain[-1])
    return chain


def _no_better(kept: ProposedSet | None) -> ProposedSet | None:
    """Return a part that is certified to keep its limits and no better: B selected it among several."""
    if kept is None:
        return None
    bounds = [
        one.model_copy(update={"estimate": one.estimate.model_copy(update={"lower": None, "upper": one.limit})})
        for one in kept.bounds
        if one.estimate is not None
    ]
    return kept.model_copy(update={"bounds": bounds})


def _safe(findings: Sequence[Finding]) -> bool:
    """Whether all limits are kept, and there is one that a sample can promise."""
    return bool(findings) and all(one.state is VerdictState.SAFE for one in findings)
