"""Many small random tables, and the counts of all 2^m column sets of each at once: every pair of rows on every set.

The tables have what solvers stumble over: equal rows, equal columns (ties), constant columns, missing values.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from streamqid.measures.partition import Table, table_of
from streamqid.problems.answer import Measure
from streamqid.sampling.fingerprint import MISSING, MissingRule
from tests.unit.sampling.plain import names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

BATCHES = st.integers(0, 2**32 - 1)
"""Seeds; each stands for ``TABLES`` tables."""
TABLES = 20


def tables(seed: int, columns: int = 5, rows: int = 14) -> Iterator[tuple[Small, np.random.Generator]]:
    """Yield random tables, each with the generator that made it."""
    rng = np.random.default_rng(seed)
    for _ in range(TABLES):
        n, m = int(rng.integers(1, rows + 1)), int(rng.integers(1, columns + 1))
        cells = rng.integers(rng.choice([1, 2, 2, 3, 4, 9], m), size=(n, m))
        cells[rng.random((n, m)) < rng.choice([0.0, 0.1, 0.5])] = -1
        if rng.random() < 0.3:
            cells[:, rng.integers(m)] = cells[:, rng.integers(m)]
        if rng.random() < 0.3:
            cells = cells[rng.integers(n, size=n)]
        yield Small(cells, missing_differ=bool(rng.integers(2))), rng


class Small:
    """A table, -1 standing for a missing value.  Sets are numbers, as in ``problems.lattice``; counts are by set."""

    def __init__(self, cells: NDArray[np.int64], *, missing_differ: bool) -> None:
        self.n, self.m = cells.shape
        self.names = tuple(names(self.m))
        prints = (cells + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        prints[cells < 0] = MISSING
        self.prints, self.rule = prints, MissingRule.DISTINCT if missing_differ else MissingRule.VALUE
        self.table: Table = table_of(self.names, prints, missing_differ=missing_differ)
        lone = np.where((cells < 0) & missing_differ, -2 - np.arange(self.n)[:, None], cells)
        self.rows: list[tuple[int, ...]] = list(map(tuple, lone.tolist()))
        """The rows as the missing rule compares them."""
        agree = ((lone[:, None] == lone) << np.arange(self.m)).sum(axis=2)
        self.sets = np.arange(1 << self.m)
        together = (agree & self.sets[:, None, None]) == self.sets[:, None, None]
        self.sizes = together.sum(axis=2)
        """Of each set and row: the rows that equal it on the set."""
        self.first = ~np.tril(together, -1).any(axis=2)
        """Whether no row above equals it."""

    @property
    def pairs(self) -> int:
        """All pairs of rows."""
        return int(self.n * (self.n - 1) // 2)

    @property
    def separation(self) -> NDArray[np.float64]:
        """Separation ratio of each set."""
        apart: NDArray[np.float64] = 1.0 - self.cost(Measure.SEPARATION) / self.pairs if self.pairs else self.sets**0.0
        return apart

    @property
    def distinct(self) -> NDArray[np.float64]:
        """Distinct ratio of each set."""
        share: NDArray[np.float64] = self.first.sum(axis=1) / self.n
        return share

    def ratio(self, measure: Measure) -> NDArray[np.float64]:
        """One of the two."""
        return self.separation if measure is Measure.SEPARATION else self.distinct

    def cost(self, measure: Measure) -> NDArray[np.int64]:
        """Pairs that each set leaves together, or rows that repeat a row above."""
        together: NDArray[np.int64] = (self.sizes.sum(axis=1) - self.n) // 2
        return together if measure is Measure.SEPARATION else self.n - self.first.sum(axis=1, dtype=np.int64)

    def below(self, k: int) -> NDArray[np.int64]:
        """Rows in groups of fewer than k."""
        rows: NDArray[np.int64] = (self.sizes < k).sum(axis=1)
        return rows

    def weigh(self, weights: Iterable[float]) -> NDArray[np.float64]:
        """Weight of each set."""
        sums: NDArray[np.float64] = (self.sets[:, None] >> np.arange(self.m) & 1) @ np.array(list(weights))
        return sums

    def number(self, columns: Iterable[str]) -> int:
        """Return the number of a set of names."""
        return sum(1 << self.names.index(name) for name in columns)

    def minimal(self, good: NDArray[np.bool_]) -> set[int]:
        """Return the good sets of which no proper part is good."""
        return set(np.flatnonzero(good & ~(_proper(self.m) & good).any(axis=1)).tolist())


@cache
def _proper(m: int) -> NDArray[np.bool_]:
    """Element [x, y]: whether y is a proper part of x."""
    x = np.arange(1 << m)
    part: NDArray[np.bool_] = ((x[:, None] & x) == x) & (x[:, None] != x)
    return part


@dataclass(frozen=True, slots=True)
class Roles:
    """What is declared about the columns of a table, as numbers of columns."""

    identifiers: tuple[int, ...]
    sensitive: tuple[int, ...]

    @classmethod
    def drawn(cls, m: int, rng: np.random.Generator) -> Roles:
        """Draw up to two identifiers and two sensitive columns."""
        order = rng.permutation(m).tolist()
        some, more = rng.integers(0, 3, 2).tolist()
        return cls(tuple(sorted(order[:some])), tuple(sorted(order[some : some + more])))
