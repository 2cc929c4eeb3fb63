"""Where the loop keeps its state and its history.

All methods are called on the one thread that owns the loop's state, unless stated otherwise.
"""

from __future__ import annotations

from typing import Protocol


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
