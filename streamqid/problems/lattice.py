"""The lattice of column sets, with one bit for each of the 2^m sets.

A column set is the number Σ 2^j over its columns j.  A family of column sets is an array of 64-bit words, in which the
bit of this number is set; so one operation on words treats 64 sets at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Family = NDArray[np.uint64]
Numbers = NDArray[np.int64]

WORD = 6
"""Columns whose bits lie inside one word."""
_HIGH = [sum(1 << x for x in range(64) if x >> j & 1) for j in range(WORD)]


def columns_of(numbers: Numbers, m: int) -> NDArray[np.bool_]:
    """Return, for each set and each of m columns, whether the set has the column.

    >>> columns_of(np.array([9]), 4).tolist()
    [[True, False, False, True]]
    """
    return (numbers[:, None] >> np.arange(m) & 1).astype(np.bool_)


def sum_over_supersets(counts: NDArray[Any]) -> None:
    """Replace the count of each set by the sum over the set and its supersets, in place."""
    step = 1
    while step < len(counts):
        halves = counts.reshape(-1, 2, step)
        halves[:, 0] += halves[:, 1]
        step *= 2


@dataclass(frozen=True, slots=True)
class Lattice:
    """The subsets of m columns."""

    m: int

    def none(self) -> Family:
        """Return the empty family."""
        return np.zeros(max(1, (1 << self.m) >> WORD), np.uint64)

    def every(self) -> Family:
        """Return the family of all sets."""
        return np.full_like(self.none(), (1 << min(64, 1 << self.m)) - 1)

    def family(self, numbers: Numbers) -> Family:
        """Return the family of these sets."""
        flags = np.zeros(1 << self.m, np.bool_)
        flags[numbers] = True
        return self.where(flags)

    def where(self, flags: NDArray[np.bool_]) -> Family:
        """Return the family of the sets whose flag is set."""
        packed = np.packbits(flags, bitorder="little")
        family = self.none()
        family.view(np.uint8)[: len(packed)] = packed
        return family

    def sizes(self) -> NDArray[np.uint8]:
        """Return the number of columns of each set."""
        return np.bitwise_count(np.arange(1 << self.m, dtype=np.uint32))

    def members(self, family: Family) -> Numbers:
        """Return the sets of a family, ascending by number."""
        return np.flatnonzero(self.flags(family))

    def flags(self, family: Family) -> NDArray[np.bool_]:
        """Return, for each set, whether it is a member."""
        return np.unpackbits(family.view(np.uint8), count=1 << self.m, bitorder="little").view(np.bool_)

    def count(self, family: Family) -> int:
        """Return the number of sets in a family."""
        return int(np.bitwise_count(family).sum())

    def up(self, family: Family) -> Family:
        """Return the family with all supersets of its members."""
        family = family.copy()
        for j in range(self.m):
            family |= self._with(family, j)
        return family

    def down(self, family: Family) -> Family:
        """Return the family with all subsets of its members."""
        family = family.copy()
        for j in range(self.m):
            family |= self._without(family, j)
        return family

    def minimal(self, upper: Family) -> Family:
        """Return the minimal sets of a family that holds all supersets of its members."""
        return upper & ~self.above(upper)

    def maximal(self, lower: Family) -> Family:
        """Return the maximal sets of a family that holds all subsets of its members."""
        covered = self.none()
        for j in range(self.m):
            covered |= self._without(lower, j)
        return lower & ~covered

    def above(self, family: Family) -> Family:
        """Return the sets that are a member and one column more."""
        result = self.none()
        for j in range(self.m):
            result |= self._with(family, j)
        return result

    def _with(self, family: Family, j: int) -> Family:
        """Add column j to every member that lacks it; drop the others."""
        if j < WORD:
            return (family & np.uint64(~_HIGH[j] & (1 << 64) - 1)) << np.uint64(1 << j)
        result = self.none()
        step = 1 << (j - WORD)
        result.reshape(-1, 2, step)[:, 1] = family.reshape(-1, 2, step)[:, 0]
        return result

    def _without(self, family: Family, j: int) -> Family:
        """Take column j from every member that has it; drop the others."""
        if j < WORD:
            return (family & np.uint64(_HIGH[j])) >> np.uint64(1 << j)
        result = self.none()
        step = 1 << (j - WORD)
        result.reshape(-1, 2, step)[:, 0] = family.reshape(-1, 2, step)[:, 1]
        return result
