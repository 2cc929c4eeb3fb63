"""Tells noise from a topic that no longer holds what was configured: the share of bad records in each origin."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from streamqid.engine.events import Trouble, TroubleKind
from streamqid.engine.observers import Silent
from streamqid.errors import UsageError
from streamqid.records import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.events import Applied
    from streamqid.records import Batch, Origin

NOT_BAD: Final = frozenset({Reason.TOMBSTONE})
"""Reasons for which a record has no row and is all the same as it should be."""


class BadRecords(Silent):
    """Watches the share of bad records among those that were looked at, origin by origin; an ``Observer``.

    An origin has too many once more than ``share`` of its last ``stretch`` records are bad, and no longer once fewer
    than half of that are.  Records count and time does not, so the same deliveries give the same states.  The stretch
    ends with whole batches: it holds ``stretch`` records or up to one batch more.

    Parameters
    ----------
    share
        Above this share an origin has too many.
    at_least
        Fewer records than this are no evidence.
    """

    def __init__(self, *, share: float = 0.05, at_least: int = 100, stretch: int = 1000) -> None:
        if not 0.0 < share <= 1.0:
            msg = f"The share of bad records must lie above 0 and be at most 1, not {share}."
            raise UsageError(msg)
        if not 1 <= at_least <= stretch:
            msg = f"A stretch of {stretch} records cannot hold the {at_least} that are the least evidence."
            raise UsageError(msg)
        self._share, self._at_least, self._stretch = share, at_least, stretch
        self._stretches: dict[Origin, _Stretch] = {}
        self._troubles: dict[Origin, Trouble] = {}

    def applied(self, batch: Batch, applied: Applied) -> None:
        """Count what was looked at in a batch."""
        if applied.looked_at:
            bad = sum(reject.reason not in NOT_BAD for reject in applied.rejects)
            self.count(batch.origin, applied.looked_at, bad)

    def count(self, origin: Origin, looked_at: int, bad: int) -> None:
        """Count records of an origin, so many of them bad."""
        stretch = self._stretches.setdefault(origin, _Stretch(self._stretch))
        stretch.add(looked_at, bad)
        if stretch.bad < stretch.looked_at * self._share / 2:
            self._change(origin, None)
        elif stretch.looked_at >= self._at_least and stretch.bad > stretch.looked_at * self._share:
            self._change(origin, stretch)

    def too_many(self, origin: Origin) -> bool:
        """Return whether an origin has too many bad records now."""
        return origin in self._troubles

    def troubles(self) -> Sequence[Trouble]:
        """Return a trouble for each origin that has too many.  May be called from any thread."""
        return tuple(self._troubles.values())

    def _change(self, origin: Origin, stretch: _Stretch | None) -> None:
        """Enter or leave the state; the mapping is replaced, since other threads read it."""
        if (stretch is not None) == (origin in self._troubles):
            return
        others = {other: trouble for other, trouble in self._troubles.items() if other != origin}
        self._troubles = others if stretch is None else others | {origin: _trouble(origin, stretch)}


@dataclass(slots=True)
class _Stretch:
    """The last records of one origin that were looked at, as counts of batches."""

    least: int
    looked_at: int = 0
    bad: int = 0
    batches: deque[tuple[int, int]] = field(default_factory=deque)

    def add(self, looked_at: int, bad: int) -> None:
        self.batches.append((looked_at, bad))
        self.looked_at += looked_at
        self.bad += bad
        while self.looked_at - self.batches[0][0] >= self.least:
            gone, gone_bad = self.batches.popleft()
            self.looked_at -= gone
            self.bad -= gone_bad


def _trouble(origin: Origin, stretch: _Stretch) -> Trouble:
    sentence = (
        f"Of the last {stretch.looked_at} records looked at in {origin.name}, partition {origin.partition}, "
        f"{stretch.bad} could not be read: check that the stream is configured for what the topic holds."
    )
    return Trouble(TroubleKind.BAD_SHARE, sentence, origin, halts=False)
