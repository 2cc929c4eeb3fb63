"""How far some columns determine others: the g3 error and its gain, from the partition of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from streamqid.measures.partition import Partition, Table


@dataclass(frozen=True, slots=True)
class Agreement:
    """The classes of X, and in each class of two or more rows the rows that share its most frequent value of Y."""

    classes: Partition
    kept: NDArray[np.int64]

    @property
    def lost(self) -> int:
        """The smallest number of rows without which X → Y would hold."""
        return int(self.classes.sizes.sum()) - int(self.kept.sum())

    @property
    def error(self) -> float:
        """g3 of X → Y: these rows as a share of all.

        0 for a dependency that holds (and for an empty table); with X empty, the error of guessing the most
        frequent value.
        """
        return self.lost / self.classes.n if self.classes.n else 0.0

    @property
    def determined(self) -> int:
        """Number of classes of X whose rows all have one value of Y; a class of one row is one of them."""
        return self.classes.unique_rows + int(np.count_nonzero(self.kept == self.classes.sizes))

    @property
    def determined_rows(self) -> int:
        """Number of rows in these classes."""
        return self.classes.unique_rows + int(self.classes.sizes[self.kept == self.classes.sizes].sum())


def agreement(table: Table, classes: Partition, right: Iterable[int]) -> Agreement:
    """Return how the rows inside each class of a partition agree on the columns ``right``."""
    finer = classes
    for j in right:
        finer = finer.refine(table.codes[j], table.sizes[j])
    # Every class keeps a row at least: the values that occur once in it are in no group of the finer partition.
    kept = np.ones(len(classes.sizes), np.int64)
    np.maximum.at(kept, parents(classes, finer), finer.sizes)
    return Agreement(classes, kept)


def parents(coarse: Partition, fine: Partition) -> NDArray[np.int64]:
    """Return the group of the coarse partition that each group of a finer one lies in."""
    result = np.empty(len(fine.sizes), np.int64)
    # The rows of both stand in ascending order, and those of the finer one are among those of the coarse one.
    result[fine.group] = coarse.group[np.searchsorted(coarse.rows, fine.rows)]
    return result


def g3(table: Table, left: Iterable[int], right: Iterable[int]) -> float:
    """Return the g3 error of the dependency left → right."""
    return agreement(table, table.partition(left), right).error


def gains(table: Table, left: int) -> list[float]:
    """Return, for each column, the share of the errors in guessing it that knowing column ``left`` removes.

    That is 1 - g3(left → column) / g3(∅ → column), Goodman and Kruskal's λ: 1 when the dependency holds, 0 when
    knowing ``left`` does not help.  A constant column cannot be guessed better: 0.
    """
    nothing, classes = table.partition([]), table.partition([left])
    result = []
    for j in range(len(table.columns)):
        blind = agreement(table, nothing, [j]).lost
        # One division of whole numbers: a gain that equals a threshold in decimals is not rounded below it.
        result.append((blind - agreement(table, classes, [j]).lost) / blind if blind else 0.0)
    return result
