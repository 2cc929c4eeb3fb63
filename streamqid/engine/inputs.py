"""What the loop reads from, and what a batch may know besides its records.

All methods are called on the one thread that owns the loop's state, unless stated otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from streamqid.engine.events import Trouble
    from streamqid.fields.wanted import Wanted
    from streamqid.records import Batch, Origin


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
