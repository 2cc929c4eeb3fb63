"""What the loop needs from outside: a source, a place for its state and one for its documents, and who solves.

All methods are called on the one thread that owns the loop's state, unless stated otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from streamqid.engine.alerts import Alert, DriftEvent
    from streamqid.engine.events import Applied, Solved, Trouble
    from streamqid.engine.history import History
    from streamqid.engine.solver import Job
    from streamqid.engine.state import State
    from streamqid.errors import StateError
    from streamqid.fields.wanted import Wanted
    from streamqid.records import Batch, Origin, Reject


class Input(Protocol):
    """Where batches come from: any ``records.Source``, or one that never ends."""

    def batches(self) -> Iterator[Batch | None]:
        """Yield batches, each origin in ascending offsets; None says that nothing waits at the moment.

        A source that goes on for ever yields None at least twice a second, so that the loop can turn.
        """
        ...


@runtime_checkable
class Seekable(Protocol):
    """A source that need not begin at its beginning."""

    def seek(self, positions: Mapping[Origin, int]) -> None:
        """Begin at these offsets; an origin that is not named begins where it would anyway.

        Called at most once, after the state was restored and before ``batches``.  A hint to save work: records
        before a position that come all the same are dropped.
        """
        ...


@runtime_checkable
class Live(Protocol):
    """A source that goes on: it says how far behind it is and what is wrong.  Read from any thread."""

    def lags(self) -> Mapping[Origin, int]:
        """Return how many offsets of each origin wait to be read, by what was last heard of its end."""
        ...

    def troubles(self) -> Sequence[Trouble]:
        """Return what keeps the source from delivering all that it should; empty when all is well."""
        ...

    def commit(self, positions: Mapping[Origin, int]) -> None:
        """Tell the outside world how far the saved state reaches; for lag tools only.

        Called on the loop's thread after each checkpoint.  Returns soon and never raises.
        """
        ...


@runtime_checkable
class Announcing(Protocol):
    """A source that knows of origins before it delivers anything of them."""

    def unread(self) -> frozenset[Origin]:
        """Return the origins that are to be read and may have records that were not delivered.

        Called on the loop's thread, between two batches.  Returns at once.
        """
        ...

    def gone(self) -> frozenset[Origin]:
        """Return the origins that were read once and of which nothing can come any more.  Called as ``unread`` is."""
        ...


@runtime_checkable
class Timed(Protocol):
    """A batch that knows when its records happened."""

    def event_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the event time of these existing records, in seconds since 1970; NaN where one has none.

        Never raises and always returns the same time for a record: panes must not depend on deliveries.
        """
        ...


@runtime_checkable
class Listed(Protocol):
    """A batch that knows which offsets exist in it without reading its records."""

    def offsets(self) -> NDArray[np.int64]:
        """Return the offsets of all records from ``start`` on, ascending."""
        ...


@runtime_checkable
class Fielded(Protocol):
    """A batch that reads named columns of all its records without building rows."""

    def fields(self, wanted: Wanted) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint8]]:
        """Return the offsets of all records, their fingerprints, and the number of the reason why one is not read."""
        ...


class StateStore(Protocol):
    """Keeps the newest snapshot of one loop; nobody else writes to it while it is open."""

    def load(self) -> bytes | None:
        """Return the newest intact snapshot; None when nothing was ever saved.

        Called once, before the first record.  May block.  Raises a StateError when there is state that cannot
        be used: a fresh start is never a guess.
        """
        ...

    def save(self, data: bytes) -> None:
        """Make this snapshot the newest one; when it returns, the snapshot survives a power failure.

        Called between two batches.  May block.  Raises a StateError when it could not be saved; what was saved
        before is then still the newest.
        """
        ...

    def close(self) -> None:
        """Let go of the place.  Called by whoever opened the store; never raises."""
        ...


class HistoryStore(Protocol):
    """Keeps the history of one stream."""

    def load(self) -> bytes | None:
        """Return what was saved last; None when nothing was.  Raises a StateError when it cannot be read."""
        ...

    def save(self, data: bytes) -> None:
        """Keep this instead; when it returns, it survives a power failure.  Raises a StateError when it cannot."""
        ...


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
