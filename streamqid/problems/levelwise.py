"""The levelwise search of Motwani and Xu (section 3), with pruning on growing sub-tables.

Sets are counted on the whole table by ascending size, and supersets of a found set never.  Before that, sets that
fail on small random sub-tables are pruned:

- keys (their Fact): a key of the table is a key of every sub-table, so nothing is pruned wrongly;
- β-separation (Lemma 9): of k random pairs a β-separation set separates at least αβk, except with probability
  exp(-(1-α)²βk/2); with α = 1 - sqrt(2 ln(2^m/δ) / (βk)) this holds for all 2^m sets at once with probability 1 - δ;
- β-distinct (Lemma 10): the same for the groups among k random tuples.  They are drawn without replacement, so no tuple
  comes twice, and the Chernoff bound holds (Hoeffding 1963).

A series of sub-tables shares δ evenly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.bounds import masking_threshold
from streamqid.measures.partition import Table
from streamqid.problems.answer import Measure
from streamqid.problems.lattice import Family, Lattice, columns_of
from streamqid.problems.minimal_sets import Found, Search, Tests
from streamqid.problems.set_costs import PairCosts, TableCosts, limit_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamqid.problems.minimal_question import MinimalQuestion

TUPLE_SHARES = (0.01, 0.1)
"""Sub-tables of tuples: each a tenth of the next, as the paper advises."""
PAIRS_PER_ROW = (1, 10)
MOST_PAIRS = 2_000_000
"""Sub-tables of pairs; few pairs separate little from β, so they are taken in larger numbers."""


def sub_table_sizes(n: int, question: MinimalQuestion) -> list[int]:
    """Return how many pairs or tuples the growing sub-tables of a table of n rows have."""
    if question.measure is Measure.SEPARATION and not question.keys:
        return sorted({min(MOST_PAIRS, n * times) for times in PAIRS_PER_ROW})
    return sorted({max(1, round(n * share)) for share in TUPLE_SHARES})


class PrunedSearch(Search):
    """The levelwise search on the sets that no sub-table pruned.

    With probability at least 1 - δ (always, for keys) it finds what a search over all sets finds.
    """

    def __init__(self, table: Table, question: MinimalQuestion, seed: int, sizes: Sequence[int] | None = None) -> None:
        costs = TableCosts(table, question.measure)
        super().__init__(costs, limit_of(costs, question))
        self._table, self._question = table, question
        self._rng = np.random.default_rng(seed)
        self._sizes = sub_table_sizes(table.n, question) if sizes is None else sizes
        self._lattice = Lattice(costs.m)
        self._found = self._lattice.none()

    def __iter__(self) -> Iterator[Found]:
        """Yield minimal sets by ascending size."""
        candidates = self._lattice.every()
        for size in self._sizes:
            candidates &= self._within(size, candidates)
        for found in self._levels(self, candidates):
            self._found |= self._lattice.family(np.array([found.number]))
            yield found
        self.complete_up_to = self.costs.m

    @property
    def saved(self) -> int:
        """Sets that the search without pruning would have counted on the whole table, and this one never did.

        Without pruning, every set is counted that does not hold a found set and one column more.
        """
        lattice = self._lattice
        unpruned = lattice.every() & ~lattice.above(lattice.up(self._found))
        return lattice.count(unpruned) - self.tested

    def _levels(self, tests: Tests, candidates: Family) -> Iterator[Found]:
        """Count the candidates by ascending size, but for supersets of found ones."""
        lattice, sizes = self._lattice, self._lattice.sizes()
        above = lattice.none()
        for size in range(lattice.m + 1):
            todo = lattice.members(candidates & ~above & lattice.where(sizes == size))
            sets = columns_of(todo, lattice.m)
            costs = tests.count(sets)
            passed = costs <= tests.limit
            above |= lattice.up(lattice.family(todo[passed]))
            for columns, cost in zip(sets[passed], costs[passed], strict=True):
                yield Found(tuple(np.flatnonzero(columns).tolist()), int(cost))

    def _within(self, size: int, candidates: Family) -> Family:
        """Return the candidates that one random sub-table does not prune, and their supersets."""
        asked, n = self._question, self._table.n
        delta = asked.delta / len(self._sizes)
        if asked.measure is Measure.SEPARATION and not asked.keys:
            pairs = PairCosts(self._pairs(size))
            least = masking_threshold(self.costs.m, asked.target, delta, size)
            return self._lattice.where(pairs.guess() <= _at_most(least, pairs.total))
        rows = np.sort(self._rng.choice(n, min(size, n), replace=False))
        part = Table(self._table.columns, self._table.codes[:, rows], self._table.sizes)
        costs = TableCosts(part, asked.measure)
        least = masking_threshold(self.costs.m, asked.target, delta, part.n)
        tests = Tests(costs, limit_of(costs, asked) if asked.keys else _at_most(least, part.n))
        kept = [found.number for found in self._levels(tests, candidates)]
        return self._lattice.up(self._lattice.family(np.array(kept, np.int64)))

    def _pairs(self, size: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Draw independent uniform pairs of different rows; element [j, i] says whether column j separates pair i."""
        n = self._table.n
        if n < 2:
            return np.empty((self.costs.m, 0), np.bool_)
        left, right = self._rng.integers(n, size=size), self._rng.integers(n - 1, size=size)
        right += right >= left
        return np.array([column[left] != column[right] for column in self._table.codes])


def _at_most(least: float, total: int) -> int:
    """Return the largest cost of a set whose ratio is not below ``least``; rounding must not prune."""
    return math.floor((1.0 - least) * total * (1.0 + 1e-12))
