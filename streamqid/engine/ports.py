"""Whom the loop hands what it has: who solves, who publishes and who watches.

All methods are called on the one thread that owns the loop's state, unless stated otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pydantic import BaseModel

    from streamqid.engine.alerts import Alert, DriftEvent
    from streamqid.engine.events import Applied, Solved
    from streamqid.engine.history import History
    from streamqid.engine.solver import Job
    from streamqid.engine.state import State
    from streamqid.errors import StateError
    from streamqid.records import Batch, Origin, Reject


class Publisher(Protocol):
    """Takes documents to whoever reads them, at least once each."""

    def publish(self, document: BaseModel) -> None:
        """Send one document.

        Called after each solve and before the state that it rests on is saved.  May block for a short time.  What
        it raises ends the loop without a checkpoint; the documents that follow the restart carry the same ids for
        the same positions, so readers can drop what they have.
        """
        ...


class Solver(Protocol):
    """Answers the questions of a stream from a copy of its samples, one job at a time."""

    @property
    def busy(self) -> bool:
        """Whether a job was submitted whose result was not taken yet."""
        ...

    def submit(self, job: Job) -> None:
        """Begin to solve.  Called only when not busy.  Keeps no reference to the loop's state; never raises."""
        ...

    def result(self, timeout: float = 0.0) -> Solved | None:
        """Return how the job ended, waiting for it so long at most; None while it goes on or when there is none."""
        ...

    def close(self) -> None:
        """Give up what is under way.  Called by whoever built the solver; never raises."""
        ...


class Observer(Protocol):
    """Is told what the loop of one stream does.  Methods return at once and never raise."""

    def restored(self, state: State, *, saved: bool) -> None:
        """Take note that the loop begins with this state, which was saved before or is empty."""
        ...

    def turned(self, state: State) -> None:
        """Take note that the loop went round once, with or without a batch; ``state`` may only be read here."""
        ...

    def applied(self, batch: Batch, applied: Applied) -> None:
        """Take note of a batch that was applied."""
        ...

    def rejected(self, origin: Origin, rejects: Sequence[Reject]) -> None:
        """Take note of records that were looked at and could not be read; after a crash they may come again."""
        ...

    def asked(self, job: Job) -> None:
        """Take note of a job that goes to the solver; it may be kept and read, on any thread."""
        ...

    def solved(self, solved: Solved) -> None:
        """Take note of how a solve ended; an answer is published by then."""
        ...

    def watched(self, history: History, news: Sequence[Alert | DriftEvent]) -> None:
        """Take note of the history as it is now, and of what was told; also once at the start."""
        ...

    def saved(self, nbytes: int, seconds: float) -> None:
        """Take note of a checkpoint."""
        ...

    def not_saved(self, error: StateError) -> None:
        """Take note of a checkpoint that failed."""
        ...
