"""What choosing a column takes from the gains of the others, at most: by rows whose value in another column is rare.

With thousands of columns nearly all work of a greedy algorithm is to count gains again.  A column that singles out a
few rows hardly changes the gain of another one; these bounds say by how much at most, from the rows that it moves.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.measures.partition import Partition, Table

COMPARED = 1 << 22
"""Values that are compared for a bound at most."""


class RareValues:
    """The values of each column that are not its most frequent one."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def pairs_taken(self, partition: Partition, j: int) -> NDArray[np.int64] | None:
        """Bound the pairs that column j and each column both newly separate; None where that takes too long.

        One row of such a pair leaves the largest part of its group, and one of the two rows has a rare value in the
        other column: either that one, which has fewer partners than its group has rows, or the other one.
        """
        leaving, _ = partition.leaving(self._table.codes[j], self._table.sizes[j])
        if self._too_many(leaving):
            return None
        sizes = partition.sizes[partition.group[leaving]]
        taken: NDArray[np.int64] = np.dot(self._has_rare(partition.rows[leaving]), sizes)
        taken += np.minimum(sizes.sum(), leaving.size * self._rows)
        return taken

    def groups_taken(self, partition: Partition, j: int) -> NDArray[np.int64] | None:
        """Bound the values of each column that the largest parts of groups lose when column j splits the groups.

        A row that leaves takes at most its own value along.  If that is the frequent one, it is lost only where all
        rows that stay have rare ones, and the group loses it once.
        """
        leaving, staying = partition.leaving(self._table.codes[j], self._table.sizes[j])
        if self._too_many(leaving):
            return None
        return count_by_row(self._has_rare(partition.rows[np.concatenate([leaving, staying])]))

    @functools.cached_property
    def _frequent(self) -> NDArray[np.int64]:
        """The most frequent code of each column."""
        return np.array([np.argmax(np.bincount(column)) for column in self._table.codes], np.int64)

    @functools.cached_property
    def _rows(self) -> NDArray[np.int64]:
        """How many rows have another one."""
        return count_by_row(self._table.codes != self._frequent[:, None])

    def _too_many(self, rows: NDArray[np.int64]) -> bool:
        return rows.size * len(self._table.columns) > COMPARED

    def _has_rare(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        rare: NDArray[np.bool_] = self._table.codes[:, rows] != self._frequent[:, None]
        return rare


def count_by_row(flags: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many flags of each row are set."""
    counts: NDArray[np.int64] = np.count_nonzero(flags, axis=1)
    return counts
