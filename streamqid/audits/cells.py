"""How often each value of a sensitive column occurs in each group, as the cells that are not empty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from streamqid.measures.radix import NARROW, counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.audits.classes import Classes

Distance = Literal["equal", "ordered", "hierarchical"]


@dataclass(frozen=True, slots=True)
class Sensitive:
    """A sensitive column: the number of the value in each row, and how far apart values are.

    Under the ordered distance the numbers follow the order of the values; under the hierarchical one ``levels[h][v]``
    numbers the ancestor of value v that is h + 1 steps up, and the last level is the root.
    """

    name: str
    codes: NDArray[np.integer]
    distance: Distance = "equal"
    levels: tuple[NDArray[np.integer], ...] = ()


@dataclass(frozen=True, slots=True)
class Cells:
    """Counts by group and value: ``count[i]`` rows of group ``group[i]`` have the value ``value[i]``.

    Cells are in the order of groups, each of which has at least one; group g has those from ``starts[g]`` on.
    ``sizes`` and ``rows`` are as in :class:`Classes`; ``whole`` counts each value in the table.
    """

    group: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    rows: NDArray[np.int64]
    whole: NDArray[np.int64]
    levels: tuple[NDArray[np.integer], ...] = ()

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of the rows of its group that each cell holds."""
        shares: NDArray[np.float64] = self.count / self.sizes[self.group]
        return shares


def cells_of(classes: Classes, column: Sensitive) -> Cells:
    """Count the values of a column in each group, by one pass over the rows."""
    number = classes.number
    assert number is not None, "the groups were asked for without their members"  # noqa: S101
    whole = np.bincount(column.codes)
    used = np.flatnonzero(whole)
    renumbered = np.cumsum(whole > 0) - 1
    codes = column.codes if len(used) == len(whole) else renumbered[column.codes]
    width, groups = len(used), len(classes.rows)
    slots = width * groups
    key = np.multiply(number, width, dtype=np.int32 if slots <= NARROW else np.int64)
    key += codes.astype(key.dtype, copy=False)
    at, count = counted(key, slots)
    group, value = np.divmod(at, width)
    if classes.matches is not None:
        from scipy import sparse

        sums = classes.matches.sums(sparse.csr_array((count, (group, value)), (groups, width)))
        sums.sort_indices()
        group, value, count = np.repeat(np.arange(groups), np.diff(sums.indptr)), sums.indices, sums.data
    starts = np.searchsorted(group, np.arange(groups))
    levels = tuple(level[used] for level in column.levels)
    return Cells(group, value, count, starts, classes.sizes, classes.rows, whole[used], levels)
