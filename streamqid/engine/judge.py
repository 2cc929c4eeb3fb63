"""Judges the published sets: whether what is published today is still within its limits.

A verdict rests on intervals of the measures in one closed window.  A set is judged again and again, so the error is
spent over time: the j-th test of a set gets δ_j = δ / (j (j + 1)), split evenly over its limits.  These add up to δ,
so with probability 1 - δ no `safe` and no `unsafe` of the whole life of the set is ever wrong (docs/decisions/0008).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamqid.engine.documents import Finding, Span, Verdict, VerdictState
from streamqid.engine.measuring import Measuring
from streamqid.engine.questions import Quantity
from streamqid.engine.telling import told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamqid.engine.questions import Limit, PublishedSet
    from streamqid.measures.estimate import Estimate
    from streamqid.sampling.groups import GroupSampler
    from streamqid.sampling.pairs import Evidence

MIN_PAIRS = 100
"""With fewer pairs of rows than this a window says nothing worth acting on."""
BY_WEIGHT = (VerdictState.UNSAFE, VerdictState.AT_RISK, VerdictState.UNKNOWN, VerdictState.SAFE)
"""The state of a set is the first of these that one of its limits is in."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The sample of a closed window, and how many records it stands for."""

    span: Span
    records: int
    evidence: Evidence
    groups: Mapping[tuple[str, ...], GroupSampler] = field(default_factory=dict)
    """Counts over every record of the window, by the sorted columns of each set that is counted."""
    cut: bool = False
    """Whether records of it may have been gone before they were read."""


def level(delta: float, number: int) -> float:
    """Return δ_j, the share of δ for the j-th test; over all j they add up to δ."""
    return delta / (number * (number + 1))


def judge(published: PublishedSet, window: Window, number: int) -> Verdict:
    """Judge one published set in one window, as the ``number``-th test of that set.

    With probability 1 - δ_number the state is not wrong: not `safe` beyond a limit, and not `unsafe` within all.
    """
    if published.fresh_from is not None and window.span.start < published.fresh_from:
        why = "the set may have been chosen from records like these, so only later windows are evidence about it"
        return unknown(published, window.span, why, window.evidence.n)
    if window.cut:
        why = "the topic begins inside this window, and the records before that are gone"
        return unknown(published, window.span, why, window.evidence.n)
    missing = _nothing_to_judge_by(published, window)
    if missing is not None:
        return unknown(published, window.span, missing, window.evidence.n, number)
    groups = window.groups.get(published.grouped_by)
    measuring = Measuring(published.columns, window.evidence, groups)
    verdict = judged_by(published, window.span, window.evidence.n, number, measuring.measure)
    return verdict.model_copy(update={"audit": measuring.audit(published)})


def judged_by(
    published: PublishedSet,
    window: Span,
    rows: int,
    number: int,
    measure: Callable[[Limit, float], Estimate | None],
) -> Verdict:
    """Judge a set by what ``measure`` returns for each of its limits, given the δ that it may spend on it."""
    delta = level(published.delta, number) / len(published.limits)
    findings = [find(limit, measure(limit, delta)) for limit in published.limits]
    state = next(state for state in BY_WEIGHT if any(found.state is state for found in findings))
    return Verdict(
        name=published.name,
        columns=list(published.columns),
        state=state,
        settled=state,
        since=window.start,
        number=number,
        window=window,
        rows=rows,
        findings=findings,
        sentence=told(published.columns, findings, state, published.delta),
    )


def find(limit: Limit, estimate: Estimate | None) -> Finding:
    """Return where the interval of a measure lies against its limit; a side that is not known is no comfort."""
    state = VerdictState.UNKNOWN
    if estimate is not None:
        # A smallest group that is too large does no harm; of all other measures less is better.
        sign = -1.0 if limit.quantity is Quantity.SMALLEST_GROUP else 1.0
        worst, best = (estimate.upper, estimate.lower) if sign > 0 else (estimate.lower, estimate.upper)
        state = VerdictState.AT_RISK
        if worst is not None and sign * worst <= sign * limit.value:
            state = VerdictState.SAFE
        elif best is not None and sign * best > sign * limit.value:
            state = VerdictState.UNSAFE
    return finding(limit, estimate, state)


def finding(limit: Limit, estimate: Estimate | None, state: VerdictState) -> Finding:
    """Return what was found about a limit."""
    return Finding(
        quantity=limit.quantity,
        k=limit.k,
        sensitive=limit.sensitive,
        t=limit.t,
        limit=limit.value,
        estimate=estimate,
        state=state,
    )


def unknown(
    published: PublishedSet, window: Span | None, why: str, rows: int = 0, number: int | None = None
) -> Verdict:
    """Return the verdict that there is nothing to judge by; without a number it is no test."""
    return Verdict(
        name=published.name,
        columns=list(published.columns),
        state=VerdictState.UNKNOWN,
        settled=VerdictState.UNKNOWN,
        since=None if window is None else window.start,
        number=number,
        window=window,
        rows=rows,
        findings=[],
        sentence=f"Unknown: {why}.",
    )


def _nothing_to_judge_by(published: PublishedSet, window: Window) -> str | None:
    """Say what the sample of a window lacks for a verdict.

    That is seen by looking at the sample, so it is a test that costs its share of δ like any other: if such windows
    took no number, the sample would have a say in which window is the j-th, and the shares would not add up to δ.
    """
    evidence = window.evidence
    gone = [column for column in published.looked_at if column not in evidence.columns]
    if gone and len(evidence.a):
        return f"column {gone[0]!r} does not occur in this window"
    pairs = evidence.n * (evidence.n - 1) // 2 if evidence.whole else min(len(evidence.a), len(evidence.b))
    if pairs < MIN_PAIRS:
        return f"the window has {pairs} pairs of rows, a verdict needs {MIN_PAIRS}"
    few = evidence.n < published.min_rows
    return f"the window has {evidence.n} rows, a verdict on this set needs {published.min_rows}" if few else None
