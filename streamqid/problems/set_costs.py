"""What column sets leave undone, counted over rows or over pairs, for many sets at a time.

The cost of a set is the number of pairs of rows that it does not separate, or the number of rows that repeat another
row on it (rows minus groups).  It falls, or stays, when columns are added.  Sets are rows of a matrix: element [i, j]
says whether set i has column j.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from streamqid.measures.partition import Partition, pairs_within
from streamqid.problems.agree_sets import agree_counts, counted_unseparated, guessed_repeats, guessed_unseparated
from streamqid.problems.answer import Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.measures.partition import Table
    from streamqid.problems.minimal_question import MinimalQuestion

FEW = 8
"""A partition is refined by a column for more sets than these; for fewer, columns are joined into one."""
LARGEST_CODE = int(np.iinfo(np.int32).max)
TESTS_PER_ROW, TESTS_PER_SET = 1.0, 1 / 400
"""Tests that take as long as comparing a row with all others, and as adding up one of the 2^m counts (measured)."""


class Costs(Protocol):
    """Counts the cost of column sets."""

    m: int
    total: int
    """Number of pairs or rows of which a cost is a part."""

    def of(self, sets: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the cost of each set."""
        ...

    def guess(self) -> NDArray[np.number]:
        """Return an estimate of the cost of each of the 2^m sets, which serves speed only."""
        ...

    def every(self, tests: int) -> NDArray[np.number] | None:
        """Return the exact cost of each of the 2^m sets, unless counting so many sets one by one takes less time."""
        ...


class PairCosts:
    """Costs over given pairs; element [j, i] says whether column j separates pair i."""

    def __init__(self, separated: NDArray[np.bool_]) -> None:
        self.m, self.total = separated.shape
        self._separated = separated
        self._counts: NDArray[np.number] | None = None

    def of(self, sets: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of pairs that each set does not separate."""
        together = (np.count_nonzero(~self._separated[chosen].any(axis=0)) for chosen in sets)
        return np.fromiter(together, np.int64, len(sets))

    def guess(self) -> NDArray[np.number]:
        """Return the cost of each of the 2^m sets; it is exact here."""
        if self._counts is None:
            self._counts = agree_counts(~self._separated)
        return self._counts

    def every(self, tests: int) -> NDArray[np.number] | None:
        """Return the cost of each of the 2^m sets, whatever the number of tests."""
        del tests
        return self.guess()


class TableCosts:
    """Exact costs over the rows of a table.

    Sets that have a column in common share the partition by that column, the most common column first.  The last
    columns of a set are joined into one column, whose groups are only counted: that takes a fraction of
    the time of a partition.
    """

    def __init__(self, table: Table, measure: Measure, seed: int = 0) -> None:
        self.m, self._table, self._seed = len(table.columns), table, seed
        self._by_pairs = measure is Measure.SEPARATION
        self.total = table.n * (table.n - 1) // 2 if self._by_pairs else table.n

    def of(self, sets: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the cost of each set."""
        costs = np.empty(len(sets), np.int64)
        self._descend(Partition.trivial(self._table.n), sets, np.arange(len(sets)), costs)
        return costs

    def guess(self) -> NDArray[np.number]:
        """Return an estimate of the cost of each of the 2^m sets from some pairs and rows."""
        rng = np.random.default_rng(self._seed)
        pairs = guessed_unseparated(self._table, rng)
        return pairs if self._by_pairs else guessed_repeats(self._table, pairs, rng)

    def every(self, tests: int) -> NDArray[np.number] | None:
        """Return the exact cost of each of the 2^m sets by separation, if that takes less time than so many tests.

        A test looks at every row, and the other way at every pair of rows, several hundred times faster.
        """
        if not self._by_pairs or tests <= TESTS_PER_ROW * self._table.n + TESTS_PER_SET * (1 << self.m):
            return None
        return counted_unseparated(self._table)

    def _descend(
        self, here: Partition, left: NDArray[np.bool_], at: NDArray[np.int64], costs: NDArray[np.int64]
    ) -> None:
        """Count the sets ``at``, of which the columns ``left`` are not yet in the partition."""
        while len(at):
            common = left.sum(axis=0)
            best = int(common.argmax())
            if common[best] <= FEW:
                few = np.array([self._code_size(chosen) <= LARGEST_CODE for chosen in left])
                for i, chosen in zip(at[few], left[few], strict=True):
                    costs[i] = self._count(here, np.flatnonzero(chosen).tolist())
                left, at = left[~few], at[~few]
                if not len(at):
                    return
                best = int(left.sum(axis=0).argmax())
            has = left[:, best]
            inside = left[has]
            inside[:, best] = False
            self._descend(self._refine(here, best), inside, at[has], costs)
            left, at = left[~has], at[~has]

    def _refine(self, here: Partition, j: int) -> Partition:
        return here.refine(self._table.codes[j], self._table.sizes[j])

    def _code_size(self, chosen: NDArray[np.bool_]) -> int:
        return math.prod(self._table.sizes[j] for j in np.flatnonzero(chosen))

    def _count(self, here: Partition, columns: Sequence[int]) -> int:
        """Return the cost of a partition refined by these columns, joined into one."""
        if not columns:
            sizes = here.sizes
        else:
            code, size = self._table.codes[columns[0]], self._table.sizes[columns[0]]
            for j in columns[1:]:
                code = code * np.int32(self._table.sizes[j]) + self._table.codes[j]
                size *= self._table.sizes[j]
            sizes = here.refined_sizes(code, size)
        return pairs_within(sizes) if self._by_pairs else len(here.rows) - int(np.count_nonzero(sizes))


def limit_of(costs: TableCosts, question: MinimalQuestion) -> int:
    """Return the largest cost that the question allows; for keys, the cost of all columns together."""
    if question.keys:
        return int(costs.of(np.ones((1, costs.m), np.bool_))[0])
    return question.limit(costs.total)
