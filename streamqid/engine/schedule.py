"""When to solve and when to save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from streamqid.errors import UsageError

if TYPE_CHECKING:
    from streamqid.clock import Clock


AGAIN_SECONDS: Final = 2.0
"""How long a disk that refused a checkpoint is left alone."""


@dataclass(frozen=True, slots=True)
class Pace:
    """How often to solve and to save; None switches that trigger off.

    Whatever the numbers are, a solve follows at once when a pane closes, unless ``on_close`` is off.
    """

    solve_records: int | None = 1_000_000
    solve_seconds: float | None = 60.0
    on_close: bool = True
    checkpoint_records: int | None = 1_000_000
    checkpoint_seconds: float | None = None

    def __post_init__(self) -> None:
        for value in (self.solve_records, self.solve_seconds, self.checkpoint_records, self.checkpoint_seconds):
            if value is not None and value <= 0:
                msg = f"The pace is a positive number of records or seconds, not {value:g}."
                raise UsageError(msg)

    @property
    def solves(self) -> bool:
        """Whether anything at all makes the loop solve."""
        return self.on_close or self.solve_records is not None or self.solve_seconds is not None


class Schedule:
    """Counts from the last solve and the last checkpoint on; ``records`` are covered by the restored state.

    The first solve of a run is due with its first record, restored ones included: what was published before
    the restart is not remembered, so the run begins by saying where things stand.
    """

    def __init__(self, pace: Pace, clock: Clock, records: int) -> None:
        self._pace = pace
        self._clock = clock
        self._solved_at = self._saved_at = clock.monotonic()
        self._solved, self._saved = 0, records
        self._never = True
        self._closed = False
        self._again_at: float | None = None

    def pane_closed(self) -> None:
        """Note that a window has become final."""
        self._closed = True

    def solve_due(self, records: int) -> bool:
        """Whether to solve now, with so many records applied; twice for the same records only if a pane has closed."""
        pace, new = self._pace, self.unsolved(records)
        if self._never:
            return new > 0
        if self._closed and pace.on_close:
            return True
        if not new:
            return False
        if pace.solve_records is not None and new >= pace.solve_records:
            return True
        waited = self._clock.monotonic() - self._solved_at
        return pace.solve_seconds is not None and waited >= pace.solve_seconds

    def unsolved(self, records: int) -> int:
        """Return how many of so many records no answer of this run covers; 0 when nothing is to be solved."""
        return records - self._solved if self._pace.solves else 0

    def solved(self, records: int) -> None:
        """Note a solve that was begun and covers so many records."""
        self._solved_at = self._clock.monotonic()
        self._solved = records
        self._never = self._closed = False

    def checkpoint_due(self, records: int) -> bool:
        """Whether to save now."""
        pace, new = self._pace, records - self._saved
        if self._again_at is not None:
            return self._clock.monotonic() >= self._again_at
        if not new:
            return False
        if pace.checkpoint_records is not None and new >= pace.checkpoint_records:
            return True
        waited = self._clock.monotonic() - self._saved_at
        return pace.checkpoint_seconds is not None and waited >= pace.checkpoint_seconds

    def saved(self, records: int) -> None:
        """Note a checkpoint."""
        self._saved, self._saved_at, self._again_at = records, self._clock.monotonic(), None

    @property
    def refused(self) -> bool:
        """Whether the last attempt at a checkpoint failed."""
        return self._again_at is not None

    def not_saved(self) -> None:
        """Note a checkpoint that failed: it is tried again soon, also if no further record comes."""
        self._again_at = self._clock.monotonic() + AGAIN_SECONDS
