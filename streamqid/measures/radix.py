"""The groups that columns make of all rows, at once: one number for each row, in mixed radix.

``Table.partition`` refines column by column and drops rows that are alone, as solvers need it.  An audit looks at one
column set and needs the group of every row, which is several times faster this way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.partition import COUNT_SLOTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.measures.partition import Table

NARROW, WIDE = np.iinfo(np.int32).max, np.iinfo(np.int64).max


def row_keys(table: Table, columns: Sequence[int]) -> tuple[NDArray[np.integer], int]:
    """Return a number for each row, equal exactly for rows that are equal on the columns, and one past the largest."""
    key: NDArray[np.integer] = np.zeros(table.n, np.int32)
    slots = 1
    for j in columns:
        size = table.sizes[j]
        if slots * size > WIDE:
            values, key = np.unique(key, return_inverse=True)
            slots = len(values)
        if slots * size > NARROW:
            key = key.astype(np.int64, copy=False)
        if slots > 1:
            key *= size
        key += table.codes[j]
        slots *= size
    return key, slots


def counted(key: NDArray[np.integer], slots: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers that occur, ascending, and how often; ``key`` may be sorted in place."""
    if slots <= COUNT_SLOTS * len(key):
        counts = np.bincount(key, minlength=slots)
        used = np.flatnonzero(counts)
        return used, counts[used]
    key.sort()
    starts = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    return key[starts].astype(np.int64, copy=False), np.diff(starts, append=len(key))


def group_sizes(table: Table, columns: Sequence[int]) -> NDArray[np.int64]:
    """Return the sizes of all groups of rows that are equal on the columns."""
    return counted(*row_keys(table, columns))[1]


def numbered_groups(table: Table, columns: Sequence[int]) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """Return the number of the group of each row, counted from 0, and the sizes of the groups."""
    key, slots = row_keys(table, columns)
    if slots > COUNT_SLOTS * len(key):
        _, number, sizes = np.unique(key, return_inverse=True, return_counts=True)
        return number, sizes
    counts = np.bincount(key, minlength=slots)
    used = counts > 0
    number = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return number[key], counts[used]
