"""A limit on the number of columns, for producers that can make up names without end."""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamqid.sampling.fingerprint import MISSING
from streamqid.sampling.priority import WHOLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamqid.sampling.retained import Retained
    from streamqid.sampling.secret import Secret


@dataclass(frozen=True, slots=True)
class ColumnLimit:
    """Shows the ``most`` columns of the lowest rank, a keyed hash of the name that no producer can foresee.

    Which columns are shown is a function of the retained set, like the set itself.  Names leave that set with the
    last record that has them, and others move up; so a value may be dropped only where it can never be wanted
    again.  That is so where enough names of lower rank stand in records of no higher priority, since these records
    leave later: a value of a column in a record is kept exactly if the column is among the ``most`` + 1 lowest of
    the names that occur up to that record, in order of priority.  As records come this only becomes harder, so the
    order and the batches do not matter.  A column that is shown has all its values.

    Of D names, about (most + 1)(1 + ln(D / (most + 1))) are stored, whatever the producer does.
    """

    most: int
    secret: Secret

    def __post_init__(self) -> None:
        if self.most < 1:
            msg = f"at least one column must be allowed, not {self.most}"
            raise ValueError(msg)

    def shown(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return the columns that take part, sorted by name."""
        return tuple(sorted(heapq.nsmallest(self.most, columns, key=self._rank)))

    def prune(self, columns: tuple[str, ...], records: Retained) -> tuple[tuple[str, ...], Retained]:
        """Drop the values that can never be shown, and the columns that have no others."""
        if len(columns) <= self.most + 1 or not len(records):
            return columns, records
        order = np.argsort(records.priority)
        present = records.fingerprints[order] != MISSING
        first = records.priority[order][present.argmax(axis=0)]
        seen = present.any(axis=0)
        # Below this priority a value is kept: there, fewer than most + 1 names of lower rank occur.
        until: dict[int, int] = {}
        lowest: list[int] = []
        for j in sorted(np.flatnonzero(seen).tolist(), key=lambda j: self._rank(columns[j])):
            full = len(lowest) > self.most
            until[j] = -lowest[0] if full else WHOLE
            if int(first[j]) < until[j]:
                (heapq.heappushpop if full else heapq.heappush)(lowest, -int(first[j]))
        stay = [j for j in sorted(until) if int(first[j]) < until[j]]
        limits = np.array([min(until[j], WHOLE - 1) for j in stay], np.uint64)
        open_ended = np.array([until[j] == WHOLE for j in stay], np.bool_)
        wanted = (records.priority[:, None] < limits) | open_ended
        kept = np.where(wanted, records.fingerprints[:, stay], np.uint64(MISSING))
        return tuple(columns[j] for j in stay), replace(records, fingerprints=kept)

    def _rank(self, column: str) -> tuple[int, str]:
        return self.secret.column_rank(column), column
