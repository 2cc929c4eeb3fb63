"""Who is told what the loop does: nobody, or several, none of whom can hurt it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamqid.engine.alerts import Alert, DriftEvent
    from streamqid.engine.events import Applied, Solved
    from streamqid.engine.history import History
    from streamqid.engine.ports import Observer
    from streamqid.engine.solver import Job
    from streamqid.engine.state import State
    from streamqid.errors import StateError
    from streamqid.records import Batch, Origin, Reject

log = logging.getLogger(__name__)


class Silent:
    """An ``Observer`` that takes no note of anything: the base of those who care for a part."""

    def restored(self, state: State, *, saved: bool) -> None:
        """Do nothing."""

    def turned(self, state: State) -> None:
        """Do nothing."""

    def applied(self, batch: Batch, applied: Applied) -> None:
        """Do nothing."""

    def rejected(self, origin: Origin, rejects: Sequence[Reject]) -> None:
        """Do nothing."""

    def asked(self, job: Job) -> None:
        """Do nothing."""

    def solved(self, solved: Solved) -> None:
        """Do nothing."""

    def watched(self, history: History, news: Sequence[Alert | DriftEvent]) -> None:
        """Do nothing."""

    def saved(self, nbytes: int, seconds: float) -> None:
        """Do nothing."""

    def not_saved(self, error: StateError) -> None:
        """Do nothing."""


class Observers:
    """Tells several observers, in their order; an ``Observer`` that never raises, whatever they do.

    What one of them raises is counted in ``failures`` and logged when it happens first, by its type only: its text
    might hold a value.
    """

    def __init__(self, observers: Sequence[Observer]) -> None:
        self._observers = tuple(observers)
        self._failed: set[str] = set()
        self.failures = 0

    def restored(self, state: State, *, saved: bool) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.restored(state, saved=saved))

    def turned(self, state: State) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.turned(state))

    def applied(self, batch: Batch, applied: Applied) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.applied(batch, applied))

    def rejected(self, origin: Origin, rejects: Sequence[Reject]) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.rejected(origin, rejects))

    def asked(self, job: Job) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.asked(job))

    def solved(self, solved: Solved) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.solved(solved))

    def watched(self, history: History, news: Sequence[Alert | DriftEvent]) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.watched(history, news))

    def saved(self, nbytes: int, seconds: float) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.saved(nbytes, seconds))

    def not_saved(self, error: StateError) -> None:
        """Tell all."""
        self._tell(lambda observer: observer.not_saved(error))

    def _tell(self, what: Callable[[Observer], None]) -> None:
        for observer in self._observers:
            try:
                what(observer)
            except Exception as error:
                self._note(type(observer).__name__, type(error).__name__)

    def _note(self, observer: str, error: str) -> None:
        self.failures += 1
        if observer not in self._failed:
            self._failed.add(observer)
            log.error("%s failed with %s; the stream goes on without what it would have told.", observer, error)
