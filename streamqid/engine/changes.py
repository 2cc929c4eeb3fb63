"""Which measures have changed: those whose intervals in two windows do not meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.alerts import DriftEvent, Subject, stable_id
from streamqid.engine.questions import Quantity
from streamqid.engine.telling import group_size
from streamqid.problems.sentences import names, percent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamqid.engine.documents import Finding
    from streamqid.engine.history import Judged, SetSeries
    from streamqid.measures.estimate import Estimate

LEAST_GAP = 0.1
"""Least gap between two intervals, as a share of the distance of the nearer bound from 0 or 1, that is worth a word.

Windows that were counted completely have no interval to speak of, and no two of them are quite alike.
"""


def changed(stream: str, series: SetSeries, columns: Sequence[str]) -> Iterator[DriftEvent]:
    """Yield the changes that the newest window of a series shows.

    With probability 1 - δ all intervals of a set hold at once, and then every change is real.
    """
    *earlier, newest = series.windows
    for finding in newest.findings:
        since = series.steady_from.get(finding.measure)
        steady = [one for one in earlier if since is None or one.window.start >= since]
        found = _last_apart(steady, finding)
        if found is None:
            continue
        before, was, now = found
        began = next(one for one in (*steady, newest) if one.window.last_pane > before.window.last_pane)
        rose = now.estimate > was.estimate
        yield DriftEvent(
            id=stable_id("measure", stream, series.definition, finding.measure, newest.window.start),
            stream=stream,
            about=Subject.MEASURE,
            change="rose" if rose else "fell",
            set=series.name,
            measure=finding.measure,
            before=was,
            after=now,
            began=began.window.start,
            window=newest.window,
            sentence=f"The {finding.measure.replace('_', ' ')} of {names(columns)} {'rose' if rose else 'fell'}: "
            f"it is {_interval(now, finding)} and was {_interval(was, finding)}.",
        )


def _last_apart(steady: Sequence[Judged], finding: Finding) -> tuple[Judged, Estimate, Estimate] | None:
    """Return the last window whose interval does not meet that of the newest one, with both."""
    for one in reversed(steady):
        was, now = _estimate(one, finding), finding.estimate
        if was is not None and now is not None and _apart(was, now):
            return one, was, now
    return None


def _estimate(judged: Judged, like: Finding) -> Estimate | None:
    same = (one.estimate for one in judged.findings if one.measure == like.measure)
    return next(same, None)


def _apart(one: Estimate, other: Estimate) -> bool:
    low, high = sorted((one, other), key=lambda estimate: estimate.estimate)
    if low.upper is None or high.lower is None or low.upper >= high.lower:
        return False
    # Sizes of groups have no upper end.
    nearer = min(low.upper, 1.0 - high.lower) if high.lower <= 1.0 else low.upper
    return high.lower - low.upper > LEAST_GAP * max(nearer, 0.0)


def _interval(estimate: Estimate, finding: Finding) -> str:
    if finding.quantity is Quantity.SMALLEST_GROUP:
        return group_size(estimate.estimate)
    lower = percent(0.0 if estimate.lower is None else estimate.lower)
    upper = percent(1.0 if estimate.upper is None else estimate.upper, up=True)
    return lower if lower == upper else f"{lower} to {upper}"
