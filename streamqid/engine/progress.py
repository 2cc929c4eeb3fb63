"""How far one origin was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamqid.records import Batch


@dataclass(slots=True)
class Progress:
    """How far one origin was read: from ``first`` to before ``next``, with so many records in between."""

    first: int
    next: int
    records: int = 0
    newest_pane: int | None = None

    @property
    def skipped(self) -> int:
        """Offsets at which there was no record."""
        return self.next - self.first - self.records

    @property
    def untouched(self) -> bool:
        """Whether nothing has come of it."""
        return self.next == self.first

    def see(self, batch: Batch, panes: Iterable[int]) -> None:
        """Move on past a batch with records in these panes."""
        self.next = batch.end
        self.records += batch.count
        known = () if self.newest_pane is None else (self.newest_pane,)
        self.newest_pane = max((*known, *panes), default=None)
