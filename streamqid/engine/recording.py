"""From what solves find in windows to the history, and to what is told about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.alerts import Alert, AlertStatus, DriftEvent, alert_of, withdrawn
from streamqid.engine.changes import changed
from streamqid.engine.documents import VerdictState
from streamqid.engine.history import KEPT, History, Judged, SetSeries, definition_of
from streamqid.engine.judge import unknown
from streamqid.engine.keys_and_columns import drift_recorded
from streamqid.engine.settling import settled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.documents import Span, Verdict
    from streamqid.engine.drift import WindowAnswer
    from streamqid.engine.questions import PublishedSet
    from streamqid.engine.stream import Stream

News = list[Alert | DriftEvent]


def begun(stream: Stream, saved: History | None, seen: float | None = None) -> tuple[History, News]:
    """Return the history with which a run begins, and what is told at its start.

    The last alert of each set is told again, under its id, if it fires or is young: the one before may not have
    arrived.  The alert of a set that is no longer published, or defined anew, is over, and remembered.

    Columns that are declared on a stream that was watched before may have been chosen by what was shown of it, up to
    the end of the newest window, ``seen``; so only windows that start then are evidence about them, unless the
    configuration says by ``fresh_from`` what they depend on.  Other limits for columns that are known choose nothing
    anew: these depend on what they did before.  But whoever set them may have seen the intervals of windows that are
    held, so their tests are counted on, and no window is judged with a larger share of δ than it had.
    """
    history = saved or History(stream=stream.name)
    known = {(series.name, series.definition): series for series in history.sets}
    kept, declared = [], history.declared
    for one in stream.published:
        definition = definition_of(one, one.panes(stream.window_panes))
        series = known.pop((one.name, definition), None)
        if series is None:
            declared += 1
            series = _new(one, definition, declared, saved, seen)
        kept.append(series)
    news: News = [withdrawn(series.alert) for series in known.values() if series.alert is not None and series.firing]
    news += [series.alert for series in kept if series.alert is not None and (series.firing or series.young)]
    over = [series.alert for series in known.values() if series.alert is not None]
    past = [*history.past, *(one.model_copy(update={"status": AlertStatus.RESOLVED}) for one in over)][-KEPT:]
    told_again = {one.id: one for one in [*history.untold, *news]}
    return history.model_copy(update={"sets": kept, "declared": declared, "past": past}), list(told_again.values())


def _new(
    published: PublishedSet, definition: str, declared: int, saved: History | None, seen: float | None
) -> SetSeries:
    """Return the series of a set that is declared now, on a stream that was perhaps watched before."""
    sets = [] if saved is None else saved.sets
    same = [one for one in sets if set(one.verdict.columns) == set(published.columns)]
    fresh_from = published.fresh_from
    if fresh_from is None and saved is not None:
        fresh_from = _chosen_by([one.fresh_from for one in same], seen)
    why = "no window has closed yet" if fresh_from is None else "no window that is evidence about it has closed yet"
    return SetSeries(
        name=published.name,
        definition=definition,
        declared=declared,
        fresh_from=fresh_from,
        tests=max((one.tests for one in same), default=0),
        verdict=unknown(published, None, why),
    )


def _chosen_by(before: Sequence[float | None], seen: float | None) -> float | None:
    """Return up to when records may have chosen columns, given that of earlier declarations; None if none has."""
    if None in before:
        return None
    return min((moment for moment in before if moment is not None), default=seen)


def recorded(stream: Stream, history: History, answers: Sequence[WindowAnswer]) -> tuple[History, News]:
    """Return the history with these windows, which come in their order, and what is told about them."""
    news: News = []
    for answer in answers:
        history, events = drift_recorded(stream, history, answer)
        news += events
        for verdict in answer.verdicts:
            history, told = _judged(stream, history, verdict)
            news += told
    return history, news


def lost(stream: Stream, history: History, published: PublishedSet, window: Span) -> tuple[History, News]:
    """Return the history with a window that was dropped before it was judged."""
    verdict = unknown(published, window, "the panes of this window were dropped before it was judged")
    return _judged(stream, history, verdict)


def _judged(stream: Stream, history: History, verdict: Verdict) -> tuple[History, News]:
    series, window = history.series(verdict.name), verdict.window
    if window is None or (series.judged_pane is not None and window.last_pane <= series.judged_pane):
        return history, []
    published = next(one for one in stream.published if one.name == verdict.name)
    now = _settled(stream, series, verdict)
    windows = [*series.windows, _entry(now, window)][-KEPT:]
    alert = series.alert
    if (now.settled is VerdictState.UNSAFE) != series.firing:
        alert = alert_of(stream.name, published, now, series.settled, series.declared)
    updated = series.model_copy(
        update={
            "tests": max(series.tests, verdict.number or 0),
            "judged_pane": window.last_pane,
            "verdict": now,
            "alert": alert,
            "windows": windows,
        }
    )
    events = list(changed(stream.name, updated, verdict.columns))
    steady = updated.steady_from | {event.measure or "": event.window.start for event in events}
    updated = updated.model_copy(update={"steady_from": steady})
    sets = [updated if one.name == verdict.name else one for one in history.sets]
    history = history.model_copy(update={"sets": sets, "events": [*history.events, *events][-KEPT:]})
    told = [] if alert is None or alert is series.alert else [alert]
    return history, [*told, *events]


def _settled(stream: Stream, series: SetSeries, verdict: Verdict) -> Verdict:
    """Return the verdict with the settled state, since when it holds, and what to do about it."""
    states = [one.state for one in series.windows] + [verdict.state]
    now = settled(series.settled, states, stream.settle_windows)
    before = series.verdict
    stays = before.settled is now and before.since is not None
    proposal = verdict.proposal
    if proposal is None and now is VerdictState.UNSAFE:
        proposal = before.proposal
    since = before.since if stays else verdict.since
    return verdict.model_copy(update={"settled": now, "since": since, "proposal": proposal})


def _entry(verdict: Verdict, window: Span) -> Judged:
    return Judged(
        window=window,
        number=verdict.number,
        state=verdict.state,
        settled=verdict.settled,
        rows=verdict.rows,
        findings=verdict.findings,
    )
