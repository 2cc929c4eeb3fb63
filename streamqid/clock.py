"""Time that passes, injected so that tests and replays can decide how fast."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells how much time has passed.  Called often, on the thread of the loop; never blocks or raises."""

    def monotonic(self) -> float:
        """Return seconds since some fixed moment; never less than before."""
        ...


class SystemClock:
    """The clock of the machine."""

    def monotonic(self) -> float:
        """Return the seconds of the machine's monotonic clock."""
        return time.monotonic()


class ManualClock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self._now = 0.0

    def monotonic(self) -> float:
        """Return the seconds that it was moved so far."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the clock forwards."""
        if seconds < 0:
            msg = f"a clock moves forwards only, not by {seconds} seconds"
            raise ValueError(msg)
        self._now += seconds
