"""What the loop needs from outside: a place for its state, a place for its documents, and who solves.

All methods are called on the one thread that owns the loop's state, unless stated otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from streamqid.engine.documents import Recommendation
    from streamqid.engine.solver import Job
    from streamqid.records import Origin


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
    """Answers the questions of a stream from a copy of its samples."""

    def solve(self, job: Job) -> Recommendation:
        """Return the recommendation; equal jobs give equal ones.

        Called when a solve is due.  Blocks until there is an answer.  Keeps no reference to the loop's state: a job
        is a copy that can be pickled, so a solver may run elsewhere.
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
class Timed(Protocol):
    """A batch that knows when its records happened."""

    def event_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the event time of these existing records, in seconds since 1970; NaN where one has none.

        Never raises and always returns the same time for a record: panes must not depend on deliveries.
        """
        ...
