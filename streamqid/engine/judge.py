"""Judges the published sets: whether what is published today is still within its limit.

A verdict rests on the interval of the separation in one closed window, which misses the truth with probability
δ at most.  So a single `safe` or `unsafe` is wrong with probability δ at most, whatever the records are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamqid.engine.documents import Span, Verdict, VerdictState
from streamqid.problems.answer import Measure
from streamqid.problems.check import check
from streamqid.problems.sentences import names, percent, sure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamqid.engine.questions import PublishedSet
    from streamqid.measures.estimate import Estimate
    from streamqid.sampling.groups import GroupSampler
    from streamqid.sampling.pairs import Evidence

MIN_PAIRS = 100
"""With fewer pairs of rows than this a window says nothing worth acting on."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The sample of a closed window, and how many records it stands for."""

    span: Span
    records: int
    evidence: Evidence
    groups: Mapping[tuple[str, ...], GroupSampler] = field(default_factory=dict)
    """Counts over every record of the window, by the sorted columns of each set that is counted."""


def judge(published: PublishedSet, window: Window) -> Verdict:
    """Judge one published set in one window."""
    evidence = window.evidence
    gone = [column for column in published.columns if column not in evidence.columns]
    if gone and len(evidence.a):
        return unknown(published, window, f"column {gone[0]!r} does not occur in this window")
    pairs = evidence.n * (evidence.n - 1) // 2 if evidence.whole else min(len(evidence.a), len(evidence.b))
    if pairs < MIN_PAIRS:
        return unknown(published, window, f"the window has {pairs} pairs of rows, a verdict needs {MIN_PAIRS}")
    answer = check(evidence.select(published.columns), published.columns, published.delta)
    state = state_of(answer.separation, published.limit)
    return Verdict(
        name=published.name,
        columns=list(published.columns),
        state=state,
        measure=Measure.SEPARATION,
        estimate=answer.separation,
        limit=published.limit,
        since=window.span.start,
        window=window.span,
        rows=answer.rows,
        sentence=_sentence(published, state, answer.separation, None if answer.exact else published.delta),
    )


def state_of(estimate: Estimate, limit: float) -> VerdictState:
    """Return on which side of the limit the interval lies; a side that is not known counts as the worst."""
    if estimate.upper is not None and estimate.upper <= limit:
        return VerdictState.SAFE
    if estimate.lower is not None and estimate.lower > limit:
        return VerdictState.UNSAFE
    return VerdictState.AT_RISK


def unknown(published: PublishedSet, window: Window | None, why: str) -> Verdict:
    """Return the verdict that there is nothing to judge by."""
    return Verdict(
        name=published.name,
        columns=list(published.columns),
        state=VerdictState.UNKNOWN,
        measure=Measure.SEPARATION,
        estimate=None,
        limit=published.limit,
        since=None if window is None else window.span.start,
        window=None if window is None else window.span,
        rows=0 if window is None else window.evidence.n,
        sentence=f"Unknown: {why}.",
    )


class Judge:
    """Judges sets in a series of windows, and remembers the verdicts on windows that have not changed."""

    def __init__(self) -> None:
        self._known: dict[tuple[PublishedSet, Span, int], Verdict] = {}

    def verdicts(self, published: Sequence[PublishedSet], windows: Sequence[Window]) -> list[Verdict]:
        """Return the verdict on each set in the newest window (the last one), with how long it has held."""
        wanted = [(one, window) for one in published for window in windows]
        keys = [(one, window.span, window.records) for one, window in wanted]
        self._known = {
            key: self._known[key] if key in self._known else judge(*pair)
            for key, pair in zip(keys, wanted, strict=True)
        }
        return [
            settled([self._known[one, window.span, window.records] for window in windows])
            if windows
            else unknown(one, None, "no window has closed yet")
            for one in published
        ]


def settled(series: Sequence[Verdict]) -> Verdict:
    """Return the newest verdict of a series, dated back to the first one with the same state without a break.

    The one place that turns verdicts on single windows into the state that is published.
    """
    newest = series[-1]
    since = newest.since
    for verdict in reversed(series):
        if verdict.state is not newest.state:
            break
        since = verdict.since
    return newest.model_copy(update={"since": since})


def _sentence(published: PublishedSet, state: VerdictState, separation: Estimate, delta: float | None) -> str:
    lower, upper = percent(separation.lower or 0.0), percent(separation.upper or 0.0, up=True)
    how_often, against = {
        VerdictState.SAFE: (f"at most {upper}", "within the limit"),
        VerdictState.UNSAFE: (f"at least {lower}", "above the limit"),
    }.get(state, (f"{lower} to {upper}", "around the limit"))
    return (
        f"{state.replace('_', ' ').capitalize()}: two random rows differ on {names(published.columns)} in "
        f"{how_often} of cases, {against} of {percent(published.limit)} ({sure(delta)})."
    )
