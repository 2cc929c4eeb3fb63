"""Which origins of a live source have been read to their end, so that they hold no window open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamqid.clock import Clock
    from streamqid.records import Origin

QUIET_SECONDS: Final = 2.0
"""How long nothing may have come of an origin before it counts: several times as long as a fetch waits for records."""


class Quiet:
    """Waits until an origin has surely been asked again since records of others were read.

    A source knows where an origin ends by what it heard last.  That may be older than the records of another origin
    that it hands out now: records of the same moment may be there already.  If such an origin counted as read to its
    end at once, every window of a busy stream would close when the first of its partitions has come past it.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._since: dict[Origin, float] = {}

    def delivered(self, origin: Origin) -> None:
        """Take note that records of an origin came."""
        self._since.pop(origin, None)

    def caught_up(self, lags: Mapping[Origin, int]) -> frozenset[Origin]:
        """Return the origins that have had nothing to read for long enough."""
        now = self._clock.monotonic()
        self._since = {origin: self._since.get(origin, now) for origin, lag in lags.items() if lag <= 0}
        return frozenset(origin for origin, since in self._since.items() if now - since >= QUIET_SECONDS)
