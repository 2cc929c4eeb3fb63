"""Rows that a column set exposes: those in groups of fewer than k rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.greedy import Refinement

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from streamqid.measures.partition import Partition, Table


def exposed(partition: Partition, k: int) -> int:
    """Return the number of rows in groups of fewer than k >= 2 rows; it only grows with the column set."""
    return partition.n - _crowd(partition.sizes, k)


def _crowd(sizes: NDArray[np.int64], k: int) -> int:
    """Return the number of rows in groups of k or more."""
    return int(sizes[sizes >= k].sum())


class Exposure(Refinement):
    """The rows that the chosen columns expose."""

    def __init__(self, table: Table, k: int) -> None:
        super().__init__(table)
        self.total, self._k = table.n, k

    @property
    def count(self) -> int:
        """Rows in groups of fewer than k."""
        return exposed(self.partition, self._k)

    def gain(self, j: int) -> int:
        """Count the rows that column j would newly expose."""
        return _crowd(self.partition.sizes, self._k) - _crowd(self._sizes(j), self._k)

    def shrink(self, j: int) -> None:
        """Bound nothing: rows that one column crowds out may be those that another one would have."""
