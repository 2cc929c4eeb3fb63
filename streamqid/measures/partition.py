"""The one function that partitions rows by columns; all measures, solvers and audits stand on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.sampling.fingerprint import MISSING
from streamqid.sampling.groups import row_hashes
from streamqid.sampling.priority import mix64

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

SLOT_BITS = 16
COUNT_SLOTS, REFINE_SLOTS = 2, 8
"""Groups are counted in a table while it has at most this many slots per row, and by sorting beyond that."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows as dense integer codes: ``codes[j, i]`` numbers the value of column j in row i, below ``sizes[j]``."""

    columns: tuple[str, ...]
    codes: NDArray[np.int32]
    sizes: tuple[int, ...]

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])

    def partition(self, columns: Iterable[int]) -> Partition:
        """Return the partition of the rows by these columns (given by their numbers)."""
        result = Partition.trivial(self.n)
        for j in columns:
            result = result.refine(self.codes[j], self.sizes[j])
        return result

    def select(self, columns: Sequence[int]) -> Table:
        """Return the table of these columns (given by their numbers), in this order."""
        chosen = list(columns)
        return Table(tuple(self.columns[j] for j in chosen), self.codes[chosen], tuple(self.sizes[j] for j in chosen))

    def head(self, rows: int) -> Table:
        """Return the table of the first rows."""
        return Table(self.columns, self.codes[:, :rows], self.sizes)


def table_of(columns: tuple[str, ...], fingerprints: NDArray[np.uint64], *, missing_differ: bool = False) -> Table:
    """Return the table in which the values of each column are numbered.

    Parameters
    ----------
    columns
        Names.
    fingerprints
        One row per record, one column per column.
    missing_differ
        Whether a missing value differs from every other one, as the missing rule says.
    """
    by_column = np.ascontiguousarray(fingerprints.T)
    return table_by_columns(columns, by_column, len(fingerprints), missing_differ=missing_differ)


def table_by_columns(
    columns: tuple[str, ...],
    fingerprints: Iterable[NDArray[np.uint64]],
    n: int,
    *,
    missing_differ: bool = False,
) -> Table:
    """Return the table of n rows, given one column after the other, so that no more than one need be held."""
    codes = np.empty((len(columns), n), np.int32)
    held = np.empty(1 << SLOT_BITS, np.uint64)
    sizes = []
    for j, column in enumerate(fingerprints):
        codes[j], size = _numbered(column, held)
        if missing_differ:
            missing = np.flatnonzero(column == MISSING)
            codes[j, missing] = size + np.arange(len(missing))
            size += len(missing)
        sizes.append(size)
    return Table(columns, codes, tuple(sizes))


def _numbered(column: NDArray[np.uint64], held: NDArray[np.uint64]) -> tuple[NDArray[np.integer], int]:
    """Return dense numbers for the values of one column, and how many there are.

    Fingerprints are uniform, so the few values of most columns fall into different slots of a small table
    (``held``, whose content does not matter) by their leading bits; where two values share a slot, sorting decides.
    """
    slot = (column >> np.uint64(64 - SLOT_BITS)).astype(np.int64)
    held[slot] = column
    if not np.array_equal(held[slot], column):
        values, codes = np.unique(column, return_inverse=True)
        return codes, len(values)
    used = np.zeros(1 << SLOT_BITS, np.bool_)
    used[slot] = True
    slots = np.flatnonzero(used)
    held[slots] = np.arange(len(slots), dtype=np.uint64)
    return held[slot].astype(np.int32), len(slots)


def partition_by_all(fingerprints: NDArray[np.uint64], *, missing_differ: bool = False) -> Partition:
    """Return the partition by all columns, through one hash of each row instead of codes of each column."""
    whole = row_hashes(fingerprints)
    if missing_differ:
        alone = np.flatnonzero((fingerprints == MISSING).any(axis=1))
        whole[alone] = mix64(fingerprints.shape[1], alone)
    return table_of(("all",), whole[:, None]).partition([0])


@dataclass(frozen=True, slots=True)
class Partition:
    """Rows grouped by equality on some columns; rows that are alone in their group are only counted.

    ``rows`` are the rows in groups of two or more, ``group`` numbers the group of each, ``sizes`` counts them.
    """

    n: int
    rows: NDArray[np.int64]
    group: NDArray[np.int32]
    sizes: NDArray[np.int64]

    @classmethod
    def trivial(cls, n: int) -> Partition:
        """Return the partition by no column: all rows in one group."""
        if n < 2:
            none = np.empty(0, np.int64)
            return cls(n, none, none.astype(np.int32), none)
        return cls(n, np.arange(n), np.zeros(n, np.int32), np.array([n]))

    def refine(self, codes: NDArray[np.int32], size: int) -> Partition:
        """Return the partition by one more column, given by its codes for all n rows."""
        key, slots = self._key(codes, size)
        if slots > REFINE_SLOTS * len(key):
            _, key = np.unique(key, return_inverse=True)
        counts = np.bincount(key)
        shared = counts > 1
        stay = shared[key]
        number = np.cumsum(shared, dtype=np.int32) - np.int32(1)
        return Partition(self.n, self.rows[stay], number[key[stay]], counts[shared])

    def refined_sizes(self, codes: NDArray[np.int32], size: int) -> NDArray[np.int64]:
        """Return the sizes of the groups that one more column makes of ``rows``, and perhaps zeros."""
        key, slots = self._key(codes, size)
        if slots <= COUNT_SLOTS * len(key):
            return np.bincount(key)
        key.sort()
        return np.diff(np.concatenate(([-1], np.flatnonzero(key[1:] != key[:-1]), [len(key) - 1])))

    def leaving(self, codes: NDArray[np.int32], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the places in ``rows`` that one more column parts from the largest part of their group.

        Also one place of the largest part of each group that is split.
        """
        key, _ = self._key(codes, size)
        parts, first, part, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        group = parts // size
        order = np.lexsort((counts, group))
        largest = order[np.diff(group[order], append=len(self.sizes)) > 0]
        leaves = np.ones(len(parts), np.bool_)
        leaves[largest] = False
        return np.flatnonzero(leaves[part]), first[largest][np.bincount(group) > 1]

    def _key(self, codes: NDArray[np.int32], size: int) -> tuple[NDArray[np.integer], int]:
        """Return a number for the refined group of each row, and one past the largest possible number."""
        slots = len(self.sizes) * size
        # Clipping never happens; it spares numpy the check of each index.
        here = codes if len(self.rows) == self.n else codes.take(self.rows, mode="clip")
        wide = np.int32 if slots <= np.iinfo(np.int32).max else np.int64
        return np.multiply(self.group, size, dtype=wide) + here, slots

    @property
    def unseparated(self) -> int:
        """Number of unordered pairs of rows that the columns do not separate."""
        return pairs_within(self.sizes)

    @property
    def groups(self) -> int:
        """Number of groups, groups of one row included."""
        return self.unique_rows + len(self.sizes)

    @property
    def unique_rows(self) -> int:
        """Number of rows that are alone in their group."""
        return self.n - len(self.rows)

    def all_sizes(self) -> NDArray[np.int64]:
        """Return the sizes of all groups, ascending."""
        return np.sort(np.concatenate([np.ones(self.unique_rows, np.int64), self.sizes]))


def pairs_within(sizes: NDArray[np.int64]) -> int:
    """Return the number of unordered pairs inside groups of these sizes."""
    # Sums of squares of up to 10^9 rows stay below 2^63.
    return (int(np.dot(sizes, sizes)) - int(sizes.sum())) // 2
