"""How far one origin was read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamqid.engine.panes import PaneRule
    from streamqid.records import Batch


@dataclass(slots=True)
class Progress:
    """How far one origin was read: from ``first`` to before ``next``, with so many records in between."""

    first: int
    next: int
    records: int = 0
    newest_pane: int | None = None
    first_pane: int | None = None
    """The pane of the first record that is in one, where offsets stand before ``first``: others of it may be gone."""

    @property
    def skipped(self) -> int:
        """Offsets at which there was no record."""
        return self.next - self.first - self.records

    @property
    def untouched(self) -> bool:
        """Whether nothing has come of it."""
        return self.next == self.first

    def numbers(self) -> list[int | None]:
        """Return what a snapshot holds; a log that was read from its beginning needs no first pane."""
        found: list[int | None] = [self.first, self.next, self.records, self.newest_pane]
        return found if self.first_pane is None else [*found, self.first_pane]

    def see(self, batch: Batch, panes: Sequence[int]) -> None:
        """Move on past a batch with records in these panes, in the order in which they are met first."""
        self.next = batch.end
        self.records += batch.count
        known = () if self.newest_pane is None else (self.newest_pane,)
        self.newest_pane = max((*known, *panes), default=None)
        if self.first and self.first_pane is None:
            self.first_pane = next(iter(panes), None)


def whole_from(progress: Iterable[Progress], rule: PaneRule) -> int | None:
    """Return the oldest pane that lacks nothing; None if no record was gone before it was read.

    Retention cuts each log somewhere, so panes up to that of its first record may have lost some of theirs.
    """
    found = []
    for one in progress:
        if one.first_pane is not None:
            at_its_start = rule.unit == "records" and not one.first % rule.width
            found.append(one.first_pane + (not at_its_start))
    return max(found, default=None)
