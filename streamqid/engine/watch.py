"""Which windows are to be judged, and what became of them: the loop's view of the history."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamqid.engine.history import History
from streamqid.engine.judge import Window
from streamqid.engine.keys_and_columns import types_recorded
from streamqid.engine.recording import News, begun, lost, recorded
from streamqid.errors import StateError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamqid.engine.documents import Verdict
    from streamqid.engine.drift import WindowAnswer
    from streamqid.engine.questions import PublishedSet
    from streamqid.engine.state import State
    from streamqid.engine.stores import HistoryStore
    from streamqid.engine.stream import Stream

log = logging.getLogger(__name__)

Place = tuple[int, int]
"""A window: how many panes it has, and the last of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Due:
    """A closed window that is to be looked at: the sets that are to be judged in it, and whether its drift is."""

    window: Window
    published: tuple[PublishedSet, ...]
    drift: bool


class Watch:
    """Owned by the thread of the loop.  A window is judged once: what the history holds is final."""

    def __init__(self, stream: Stream, store: HistoryStore) -> None:
        self._stream, self._store = stream, store
        self._held: tuple[int, ...] = ()
        self._complete: set[Place] = set()
        self._under_way: set[Place] = set()
        self._refused = False
        self.history = History(stream=stream.name)

    def begin(self, state: State) -> News:
        """Go on from the saved history; return what is told at the start.  Raises a StateError if it is damaged."""
        saved = self._store.load()
        history = None if saved is None else History.from_bytes(saved, self._stream.name)
        panes = [*state.panes, *(() if history is None else history.panes())]
        seen = self._stream.panes.span(max(panes), max(panes)).end if panes else None
        self.history, news = begun(self._stream, history, seen)
        return news

    def due(self, state: State) -> tuple[Due, ...]:
        """Return the closed windows that were not judged yet, oldest first; they are under way from now on."""
        self._held = ()
        self.turned(state)
        still_open = state.closed_before()
        if not self.history.judged:
            # When a window closes something has come of every origin that had records; one that was silent lost none.
            self.history = self.history.model_copy(update={"whole_from": state.whole_from()})
        found = []
        for panes, last in sorted(self._complete, key=lambda place: (place[1], place[0])):
            published = tuple(self._waiting(panes, last))
            drift = self._drifts(panes, last)
            if still_open is None or last >= still_open or not (published or drift):
                continue
            window = _window(self._stream, state, (panes, last), published, drift=drift)
            whole_from = self.history.whole_from
            cut = whole_from is not None and window.span.first_pane < whole_from
            found.append(Due(replace(window, cut=cut), published, drift))
            self._under_way.add((panes, last))
        return tuple(found)

    def turned(self, state: State) -> None:
        """Take note of windows that are complete now, and of those that were dropped before they were judged."""
        held = tuple(state.panes)
        if not held or held == self._held:
            return
        self._held = held
        usual = self._stream.window_panes
        sizes = {one.panes(usual) for one in self._stream.published} | {usual}
        # Of a window that is complete no pane can come again once it was dropped.
        gone = sorted(place for place in self._complete - self._under_way if place[1] - place[0] + 1 < held[0])
        self._complete -= set(gone)
        self._complete |= {(size, last) for size in sizes for last in held if last - size + 1 >= held[0]}
        self._complete = {place for place in self._complete if any(self._waiting(*place)) or self._drifts(*place)}
        for panes, last in gone:
            self._lose(panes, last)

    def take(self, answers: Sequence[WindowAnswer], state: State) -> News:
        """Record what a solve found, and save it before anybody is told; return what to tell."""
        # Whether it was answered or not: what is still to be judged is due again.
        self._under_way.clear()
        self._held = ()
        if not answers:
            return []
        history, news = recorded(self._stream, self.history, answers)
        history, retyped = types_recorded(self._stream, history, state.types(), answers[-1].window)
        self.history = history.model_copy(update={"untold": [*news, *retyped], "judged": True})
        self._keep()
        return self.history.untold

    def save(self) -> None:
        """Save the history, all of which was told by now."""
        self.history = self.history.model_copy(update={"untold": []})
        self._keep()

    def _keep(self) -> None:
        """Save; a disk that refuses costs one warning, and the numbers of tests only after a crash."""
        try:
            self._store.save(self.history.to_bytes())
        except StateError as refused:
            if not self._refused:
                log.warning("The history of stream %s was not saved: %s", self._stream.name, refused)
            self._refused = True
        else:
            self._refused = False

    def verdicts(self) -> list[Verdict]:
        """Return the newest verdict on each set."""
        return [self.history.series(one.name).verdict for one in self._stream.published]

    def tests(self) -> dict[str, int]:
        """Return how many tests each set has had."""
        return {series.name: series.tests for series in self.history.sets}

    def _waiting(self, panes: int, last: int) -> Iterator[PublishedSet]:
        for one in self._stream.published:
            series = self.history.series(one.name)
            judged = series.judged_pane
            if one.panes(self._stream.window_panes) == panes and (judged is None or last > judged):
                yield replace(one, fresh_from=series.fresh_from)

    def _drifts(self, panes: int, last: int) -> bool:
        done = self.history.drift_pane
        return self._stream.key is not None and panes == self._stream.window_panes and (done is None or last > done)

    def _lose(self, panes: int, last: int) -> None:
        span = self._stream.panes.span(last - panes + 1, last)
        sets = list(self._waiting(panes, last))
        for one in sets:
            # A window without evidence changes no state by itself, so there is nothing to tell.
            self.history, _ = lost(self._stream, self.history, one, span)
        if sets:
            self.history = self.history.model_copy(update={"unjudged": self.history.unjudged + 1})


def _window(stream: Stream, state: State, place: Place, published: Sequence[PublishedSet], *, drift: bool) -> Window:
    """Copy a window out of the state: all columns for its drift, otherwise those of the sets alone."""
    panes, last = place
    merged = state.panes.window(last, panes)
    evidence = merged.evidence()
    if not drift:
        judged = sorted({column for one in published for column in one.looked_at})
        evidence = evidence.select([column for column in judged if column in evidence.columns])
    groups = {} if state.counters is None else state.counters.window(last - panes + 1, last)
    return Window(stream.panes.span(last - panes + 1, last), merged.n, evidence, groups)
