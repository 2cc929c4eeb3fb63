"""Tables that tempt a solver to break its promise: ratios just on the wrong side, few rows beyond the sample.

Each table knows a planted bias: which records a broken sampler loses, so that the table looks better than it is.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from streamqid.sampling.priority import mix64

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Tempting:
    """A table of fingerprints, and the records that a biased sampler keeps."""

    name: str
    codes: NDArray[np.int64]
    biased: NDArray[np.bool_]
    _sizes: dict[tuple[int, ...], NDArray[np.int64]] = field(default_factory=dict)

    @property
    def fingerprints(self) -> NDArray[np.uint64]:
        """Spread the codes of each column over 64 bits, as real fingerprints are."""
        return np.stack([mix64(j, self.codes[:, j]) | np.uint64(1) for j in range(self.codes.shape[1])], axis=1)

    def sizes(self, columns: Iterable[int]) -> NDArray[np.int64]:
        """Count the groups of equal rows, independently of the package."""
        key = tuple(sorted(columns))
        if key not in self._sizes:
            groups = Counter(map(tuple, self.codes[:, key].tolist()))
            self._sizes[key] = np.array(list(groups.values()))
        return self._sizes[key]

    def separation(self, columns: Iterable[int]) -> float:
        """Return the true separation of a column set."""
        n, sizes = len(self.codes), self.sizes(columns)
        return 1.0 - float((sizes * (sizes - 1)).sum()) / (n * (n - 1))

    def distinct(self, columns: Iterable[int]) -> float:
        """Return the true distinct ratio of a column set."""
        return len(self.sizes(columns)) / len(self.codes)

    def unique(self, columns: Iterable[int]) -> float:
        """Return the true share of unique rows."""
        return float((self.sizes(columns) == 1).mean() * self.distinct(columns))


def tempting(name: str, columns: list[NDArray[np.int64]], biased: NDArray[np.bool_]) -> Tempting:
    """Return a table in an order that has nothing to do with its values."""
    order = np.random.default_rng(7).permutation(len(biased))
    return Tempting(name, np.stack(columns, axis=1)[order], biased[order])


def equal_groups(groups: int, size: int) -> Tempting:
    """The first column makes equal groups, the others split each of them into single rows."""
    row = np.arange(groups * size)
    group, place = row % groups, row // groups
    return tempting(f"{groups} groups of {size}", [group, place // 5, place % 5], group % 2 == 0)


def one_large_group(large: int, n: int) -> Tempting:
    """The first column makes one large group, the others split it."""
    row = np.arange(n)
    inside = row < large
    columns = [np.where(inside, 0, row), np.where(inside, row // 6, 0), np.where(inside, row % 6, 0)]
    return tempting(f"one group of {large} in {n}", columns, ~inside | (row % 2 == 0))


def merged_duplicates(groups: int, merged: int, size: int) -> Tempting:
    """All rows have duplicates.  The first column merges some pairs of groups, which the second tells apart."""
    row = np.arange(groups * size)
    group = row % groups
    first = np.where(group < 2 * merged, group // 2, group)
    return tempting(
        f"{groups} groups of duplicates, {merged} merged", [first, group % 2], (group >= 2 * merged) | (group % 2 == 0)
    )


def one_large_share(n: int) -> Tempting:
    """The first column has one value in 0.642 of the rows and four rarer ones: separation 0.556.  Halves refine it."""
    row = np.arange(n)
    first = np.where(row < 0.642 * n, 0, 1 + row % 4)
    return tempting(f"one large share of {n}", [first, row // 4 % 2, row // 8 % 2], (first > 0) | (row % 6 == 0))


def two_halves(n: int) -> Tempting:
    """A constant column and one with two equal halves: separation just above a half."""
    row = np.arange(n)
    return tempting(f"two halves of {n}", [np.zeros(n, np.int64), row % 2], (row % 2 == 0) | (row % 5 == 0))


def singles_and_a_crowd(singles: int, n: int) -> Tempting:
    """A constant column and one in which some rows are single and all others equal."""
    row = np.arange(n)
    alone = row < singles
    return tempting(
        f"{singles} singles of {n}", [np.zeros(n, np.int64), np.where(alone, row + 1, 0)], ~alone | (row % 3 == 0)
    )


def twins(pairs: int, n: int) -> Tempting:
    """The first column makes pairs of equal rows and single rows, the second tells the pairs apart."""
    row = np.arange(n)
    paired = row < 2 * pairs
    first = np.where(paired, row // 2, row)
    return tempting(f"{pairs} twins in {n}", [first, np.where(paired, row % 2, 0)], ~paired | (row % 2 == 0))


def duplicate_twins(pairs: int, n: int) -> Tempting:
    """Every row occurs twice; the first column also merges pairs of these, which the second tells apart."""
    kind = np.arange(n) // 2
    merged = kind < 2 * pairs
    first = np.where(merged, kind // 2, kind)
    return tempting(
        f"{pairs} merged duplicates in {n}", [first, np.where(merged, kind % 2, 0)], ~merged | (kind % 2 == 0)
    )


def many_alike(columns: int, large: int, n: int) -> Tempting:
    """Each column has one large group, of other rows than those of the other columns; its chance is to look better."""
    rng = np.random.default_rng(11)
    table = [np.arange(n) for _ in range(columns)]
    for column in table:
        column[rng.choice(n, large, replace=False)] = n
    return tempting(f"{columns} columns alike", table, np.ones(n, np.bool_))
