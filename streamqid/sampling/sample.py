"""One uniform sample without replacement: the records with the lowest priorities (bottom-k)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from streamqid.sampling.fingerprint import MISSING
from streamqid.sampling.priority import WHOLE
from streamqid.sampling.retained import Retained, join, nothing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.sampling.capacity import Capacity
    from streamqid.sampling.columns import ColumnLimit


class Sample:
    """The retained set {records with priority < τ(n)} of a growing log, and the sample inside it.

    The sample is the k(n) records with the lowest priorities: uniform without replacement, in random order.
    After n records the retained set is the same whatever the batches were; ``add`` may hold a surplus for a while,
    which ``retained`` drops.  With a ``limit`` the columns are bounded as well.
    """

    def __init__(self, capacity: Capacity, limit: ColumnLimit | None = None) -> None:
        self.capacity = capacity
        self._limit = limit
        self._columns: tuple[str, ...] = ()
        self._settled_columns = 0
        self._kept = nothing()
        self._pending: list[Retained] = []
        self._n_pending = 0
        self._in_order: int | None = None
        """The number of records after which what is kept is the retained set, in canonical order."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns seen so far, sorted by name (order of arrival would depend on the batches)."""
        return self._columns

    def add(self, n: int, columns: tuple[str, ...], records: Retained) -> None:
        """Add candidates, where n is the number of records seen including this batch."""
        records = records.take(_below(records.priority, self.capacity.threshold(n)))
        if not len(records):
            return
        if self._limit is not None:
            columns, records = self._limit.prune(columns, records)
        if columns != self._columns:
            records = self._widen(columns, records)
        self._in_order = None
        self._pending.append(records)
        self._n_pending += len(records)
        too_wide = self._limit is not None and len(self._columns) > self._settled_columns + 2 * self._limit.most
        if self._n_pending > max(1024, len(self._kept) // 2) or too_wide:
            self._settle(n)

    def retained(self, n: int) -> Retained:
        """Return the retained set after n records in canonical order: by priority, then by identity.

        A column that is missing in all of them is forgotten: whether a record that has it was ever a
        candidate depends on the batches.
        """
        if self._in_order == n:
            return self._kept
        self._settle(n, in_order=True)
        kept = self._kept
        seen = (kept.fingerprints != MISSING).any(axis=0)
        if not seen.all():
            kept = replace(kept, fingerprints=kept.fingerprints[:, seen])
            self._columns = tuple(c for c, has in zip(self._columns, seen, strict=True) if has)
        self._kept, self._in_order = kept, n
        return kept

    def _widen(self, columns: tuple[str, ...], records: Retained) -> Retained:
        union = tuple(sorted({*self._columns, *columns}))
        self._kept = self._kept.spread(self._columns, union)
        self._pending = [part.spread(self._columns, union) for part in self._pending]
        self._columns = union
        return records.spread(columns, union)

    def _settle(self, n: int, *, in_order: bool = False) -> None:
        kept = join([self._kept, *self._pending])
        which = np.arange(len(kept))[_below(kept.priority, self.capacity.threshold(n))]
        if in_order:
            which = which[np.lexsort((kept.offset[which], kept.origin[which], kept.priority[which]))]
        self._kept = kept.take(which)
        if self._limit is not None:
            self._columns, self._kept = self._limit.prune(self._columns, self._kept)
        self._settled_columns = len(self._columns)
        self._pending = []
        self._n_pending = 0


def _below(priority: NDArray[np.uint64], threshold: int) -> NDArray[np.bool_] | slice:
    return slice(None) if threshold >= WHOLE else priority < np.uint64(threshold)
