"""From what solves find in windows to the history, and to what is told about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.alerts import Alert, DriftEvent, alert_of, withdrawn
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


def begun(stream: Stream, saved: History | None) -> tuple[History, News]:
    """Return the history with which a run begins, and what is told at its start.

    The last alert of each set is told again, under its id: the one before may not have arrived.  A set that is no
    longer published, or defined anew, takes its alert with it.
    """
    history = saved or History(stream=stream.name)
    known = {(series.name, series.definition): series for series in history.sets}
    kept = [known.pop((one.name, definition_of(one)), _new(one)) for one in stream.published]
    news: News = [withdrawn(series.alert) for series in known.values() if series.alert is not None and series.firing]
    news += [series.alert for series in kept if series.alert is not None]
    return history.model_copy(update={"sets": kept}), news


def _new(published: PublishedSet) -> SetSeries:
    verdict = unknown(published, None, "no window has closed yet")
    return SetSeries(name=published.name, definition=definition_of(published), verdict=verdict)


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
        alert = alert_of(stream.name, published, now, series.settled)
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
    steady = updated.steady_from | {event.measure or "": event.began for event in events}
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
