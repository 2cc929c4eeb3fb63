"""The Earth Mover's Distance between the distribution of a value inside groups and in the whole table.

All ground distances reach from 0 to 1, so all distances do.  Distances of counts are rational numbers; they are
returned as floats, so thresholds, which tables often meet exactly, are compared with ``TOLERANCE``.

The work grows with the cells that are not empty and not with groups times values: a column of numbers may have as many
values as rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Far below the difference of two distances in tables of up to ten thousand rows, far above what rounding adds."""


class Filled(Protocol):
    """Counts of values in groups, of which only the cells that are not empty are held."""

    @property
    def group(self) -> NDArray[np.int64]:
        """The group of each cell, ascending; every group has at least one."""
        ...

    @property
    def value(self) -> NDArray[np.int64]:
        """The value of each cell, ascending within a group."""
        ...

    @property
    def count(self) -> NDArray[np.int64]:
        """How many rows of the group have the value."""
        ...

    @property
    def starts(self) -> NDArray[np.int64]:
        """Where the cells of each group begin."""
        ...

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The rows of each group."""
        ...


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of values in groups; see :class:`Filled`."""

    group: NDArray[np.int64]
    value: NDArray[np.int64]
    count: NDArray[np.int64]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, table: NDArray[Any]) -> Self:
        """Return the counts of a table with a row for each group and a column for each value."""
        group, value = np.nonzero(table)
        starts = np.searchsorted(group, np.arange(len(table)))
        return cls(group, value, table[group, value], starts, table.sum(axis=1))


class EqualSpace:
    """Any two values are equally far apart; ``whole`` counts each value in the table."""

    def __init__(self, whole: NDArray[Any]) -> None:
        self._shares = whole / whole.sum()

    def distances(self, cells: Filled) -> NDArray[np.float64]:
        """Return the distance of each group: what the shares of its values exceed those in the table by."""
        excess = np.maximum(cells.count / cells.sizes[cells.group] - self._shares[cells.value], 0.0)
        moved: NDArray[np.float64] = np.add.reduceat(excess, cells.starts)
        return moved

    def least(self, cells: Filled) -> NDArray[np.float64]:
        """Return what no group with no other values than these is nearer than: all others must move."""
        least: NDArray[np.float64] = 1.0 - np.add.reduceat(self._shares[cells.value], cells.starts)
        return least


class OrderedSpace:
    """Values v and w of m, in their order, are |v - w| / (m - 1) apart; ``whole`` counts each in the table."""

    def __init__(self, whole: NDArray[Any]) -> None:
        self._last = len(whole) - 1
        self._below = np.cumsum(whole) / whole.sum()
        self._area = np.concatenate([[0.0], np.cumsum(self._below)])
        shares = whole / whole.sum()
        self._mass = np.concatenate([[0.0], np.cumsum(shares)])
        self._moment = np.concatenate([[0.0], np.cumsum(shares * np.arange(len(whole)))])

    def distances(self, cells: Filled) -> NDArray[np.float64]:
        """Return what passes between neighbours, in steps of which the longest way has one less than there are values.

        From a value of the group up to its next one the share below stays the same, while that of the table rises: it
        passes the former at one place, before and after which all differences have one sign.
        """
        below, area = self._below, self._area
        before = np.cumsum(cells.count) - cells.count
        share = (before - before[cells.starts][cells.group] + cells.count) / cells.sizes[cells.group]
        start, end = cells.value, self._next(cells)
        turn = np.clip(np.searchsorted(below, share), start, end)
        passing = share * (2 * turn - start - end) + area[start] + area[end] - 2.0 * area[turn]
        # One step is taken by itself, so that a group like the table is at no distance, without rounding.
        passing = np.where(end - start == 1, np.abs(share - below[start]), passing)
        moved: NDArray[np.float64] = np.add.reduceat(passing, cells.starts) + area[cells.value[cells.starts]]
        return np.maximum(moved, 0.0) / max(self._last, 1)

    def least(self, cells: Filled) -> NDArray[np.float64]:
        """Return what no group with no other values than these is nearer than: each comes from its nearest one."""
        start, end = cells.value, self._next(cells)
        ends = np.append(cells.starts[1:], len(start)) - 1
        # Up to the middle of two values the lower one is nearer; beyond the highest one there is no other.
        middle = (start + end) // 2
        middle[ends] = self._last
        steps = self._moved(start, start, middle + 1) - self._moved(end, middle + 1, end + 1)
        first = start[cells.starts]
        moved: NDArray[np.float64] = np.add.reduceat(steps, cells.starts)
        moved -= self._moved(first, np.zeros_like(first), first)
        return np.maximum(moved, 0.0) / max(self._last, 1)

    def _next(self, cells: Filled) -> NDArray[np.int64]:
        """Return the next value of the group after each one; the highest of all after its last one."""
        end = np.append(cells.value[1:], self._last)
        end[np.append(cells.starts[1:], len(end)) - 1] = self._last
        return end

    def _moved(self, value: NDArray[Any], first: NDArray[Any], after: NDArray[Any]) -> NDArray[np.float64]:
        """Return the steps up from a value to the rows of the table with values from ``first`` to below ``after``."""
        mass, moment = self._mass[after] - self._mass[first], self._moment[after] - self._moment[first]
        steps: NDArray[np.float64] = moment - value * mass
        return steps
