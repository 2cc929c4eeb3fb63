"""From groups of rows to the cells that must be suppressed, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata


@dataclass(frozen=True, slots=True)
class Grouping:
    """A partition of the rows; ``suppressed[g, j]``: the rows of group g do not agree on quasi-identifier j.

    The paper's generalisation: such a cell is suppressed in every row of the group, all others stay.
    """

    labels: NDArray[np.int64]
    sizes: NDArray[np.int64]
    suppressed: NDArray[np.bool_]

    @property
    def cost(self) -> int:
        """Number of suppressed cells, as in the paper."""
        return int(self.cells_by_column().sum())

    def cells_by_column(self) -> NDArray[np.int64]:
        """Return the number of suppressed cells of each quasi-identifier."""
        return self.sizes @ self.suppressed

    def mask(self) -> NDArray[np.bool_]:
        """Return, for each row and quasi-identifier, whether the cell is suppressed."""
        return self.suppressed[self.labels]


def grouping(data: Microdata, labels: NDArray[np.integer]) -> Grouping:
    """Return the suppression that a partition asks for; rows with one label are one group."""
    _, dense, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.argsort(dense, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rows = data.quasi[order]
    suppressed = np.minimum.reduceat(rows, starts, axis=0) != np.maximum.reduceat(rows, starts, axis=0)
    return Grouping(dense, sizes, suppressed)


def grouping_of(data: Microdata, groups: Iterable[NDArray[np.int64]]) -> Grouping:
    """Return the suppression of a partition that is given as the rows of each group."""
    labels = np.empty(data.n, np.int64)
    for number, rows in enumerate(groups):
        labels[rows] = number
    return grouping(data, labels)
