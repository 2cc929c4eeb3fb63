"""A bound that no partition undercuts, from the column sets on which a row can still be in a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize.requirements import counts_in

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata
    from streamqid.anonymize.requirements import Requirement

MOST_STEPS = 1 << 25
"""Rows times column sets up to which every set is looked at: some seconds."""


def least_cost(data: Microdata, requirement: Requirement) -> int:
    """Return a lower bound on the cost of every partition that meets the requirement.

    A row whose group keeps the columns J stands in a group of rows that equal it on J.  So it loses at least m - |J|
    cells for the largest J on which the rows that equal it may contain a group that meets the requirement.  Where there
    are too many sets J, only the set of all columns is looked at, and a row without such a group loses one cell.
    """
    search = _Search(data, requirement)
    everyone, together = np.arange(data.n), np.zeros(data.n, np.int64)
    if data.n << data.m <= MOST_STEPS:
        search.look(everyone, together, 0, 0)
        return int(search.lost.sum())
    for column in data.quasi.T:
        together = _refined(together, column)
    return data.n - int(search.reachable(everyone, together).sum())


class _Search:
    """What each row loses at least, as far as it was looked for."""

    def __init__(self, data: Microdata, requirement: Requirement) -> None:
        self._data, self._requirement = data, requirement
        self.lost = np.full(data.n, data.m)

    def look(self, rows: NDArray[np.int64], labels: NDArray[np.int64], kept: int, first: int) -> None:
        """Note what the rows lose that can be in a group on the kept columns, and go on with one column more.

        Rows that cannot be in a group on some columns cannot be on more of them.
        """
        can = self.reachable(rows, labels)
        rows, labels = rows[can], labels[can]
        if not len(rows):
            return
        self.lost[rows] = np.minimum(self.lost[rows], self._data.m - kept)
        for j in range(first, self._data.m):
            self.look(rows, _refined(labels, self._data.quasi[rows, j]), kept + 1, j + 1)

    def reachable(self, rows: NDArray[np.int64], labels: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell of each row whether the rows with its label may contain a group."""
        dense = np.unique(labels, return_inverse=True)[1]
        return self._requirement.reachable(counts_in(self._data, rows, dense))[dense]


def _refined(labels: NDArray[np.int64], codes: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return dense labels of the groups that one more column makes."""
    dense: NDArray[np.int64] = np.unique(labels * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return dense
