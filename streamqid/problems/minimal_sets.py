"""All minimal column sets whose cost stays within a limit: all minimal keys, β-separation and β-distinct sets.

``BorderSearch`` answers up to 22 columns completely.  Staying within the limit is monotone, so the minimal sets within
it and the maximal sets beyond it, the border, prove the answer.  A guess from sampled agree sets names a border; only
the sets of that border are counted, what they prove about other sets corrects the guess, and so on until all sets
of the border have been counted.  Where the border is so long that comparing all pairs of rows takes less time, that
counts all sets at once.  ``LevelSearch`` takes any number of columns and goes up to a set size.

Both stream what they find: a set is told as soon as it is counted, and with it all sets of one column less (border),
or all sets of smaller size (levels).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import islice
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from streamqid.problems.lattice import Lattice, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from streamqid.problems.lattice import Family
    from streamqid.problems.set_costs import Costs

LATTICE_COLUMNS = 22
"""Most columns whose 2^m sets are held, one bit each and one number for the guess."""
WORK = 2_000_000_000
"""Beyond that many columns, sets are counted up to a size at which sets times rows stay within this."""
FEWEST_ROWS = 20_000
"""Counting a set on fewer rows takes no less time."""
STEP = 4096
"""Sets of the border that are counted before what they prove is told."""


@dataclass(frozen=True, slots=True)
class Found:
    """A minimal set, by the numbers of its columns, and its cost."""

    columns: tuple[int, ...]
    cost: int

    @property
    def number(self) -> int:
        """The set as a number, as in ``lattice``."""
        return sum(1 << j for j in self.columns)


class Tests:
    """Counts sets against a limit, and how many it counted."""

    def __init__(self, costs: Costs, limit: int) -> None:
        self.costs, self.limit = costs, limit
        self.tested = 0

    def count(self, sets: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the costs of sets."""
        self.tested += len(sets)
        return self.costs.of(sets)


class Search(Tests, ABC):
    """A search that runs while it is iterated, once; its counter and its flag say how far it came."""

    complete_up_to = -1
    """Every minimal set of at most this many columns was told; m when the search ran to its end."""

    @abstractmethod
    def __iter__(self) -> Iterator[Found]:
        """Yield minimal sets as they are found."""

    def take(self, most: int | None = None) -> list[Found]:
        """Return the first sets that are found, by default all of them."""
        # One more than asked for shows whether there are more.
        return list(islice(self, None if most is None else most + 1))[:most]


def minimal_sets(costs: Costs, limit: int, *, rows: int, max_size: int | None = None) -> Search:
    """Search for all minimal column sets whose cost is at most the limit.

    Parameters
    ----------
    costs
        What the sets are counted on.
    limit
        The largest cost of a set that is asked for.
    rows
        Rows (or pairs) that counting one set looks at; they limit the set size beyond 22 columns.
    max_size
        Look for sets of at most this many columns only.
    """
    m = costs.m
    if m <= LATTICE_COLUMNS:
        return BorderSearch(costs, limit, m if max_size is None else min(m, max_size))
    return LevelSearch(costs, limit, affordable_size(m, rows) if max_size is None else min(m, max_size))


def affordable_size(m: int, rows: int) -> int:
    """Return the largest set size at which all sets up to it times the rows stay within ``WORK``, at least 1.

    >>> affordable_size(41, 30_000), affordable_size(54, 581_012)
    (3, 2)
    """
    sets, size, rows = 1 + m, 1, max(rows, FEWEST_ROWS)
    while size < m and (sets := sets + comb(m, size + 1)) * rows <= WORK:
        size += 1
    return size


class BorderSearch(Search):
    """Count only the border between the sets within the limit and the sets beyond it."""

    def __init__(self, costs: Costs, limit: int, max_size: int) -> None:
        super().__init__(costs, limit)
        self._max_size = max_size

    def __iter__(self) -> Iterator[Found]:
        """Yield minimal sets, after each step of counting those that it proved."""
        lattice = Lattice(self.costs.m)
        inside = lattice.where(lattice.sizes() <= self._max_size)
        guess = lattice.where(self.costs.guess() <= self.limit)
        reach, fail, told = lattice.none(), lattice.none(), lattice.none()
        cost_of: dict[int, int] = {}
        while True:
            guessed = lattice.up(reach | (guess & ~fail))
            border = (lattice.minimal(guessed) & ~reach) | (lattice.maximal(inside & ~guessed) & ~fail)
            todo = lattice.members(border & inside)
            if not len(todo):
                break
            if (every := self.costs.every(len(todo))) is not None:
                self.tested += len(every)
                within = lattice.where(every <= self.limit)
                yield from _found(lattice, lattice.minimal(within) & inside & ~told, every)
                break
            todo = todo[:STEP]
            costs = self.count(columns_of(todo, lattice.m))
            passed = costs <= self.limit
            cost_of.update(zip(todo[passed].tolist(), costs[passed].tolist(), strict=True))
            reach = lattice.up(reach | lattice.family(todo[passed]))
            fail = lattice.down(fail | lattice.family(todo[~passed]))
            # Minimal for certain: within the limit, while every set of one column less is beyond it.
            proved = reach & inside & ~lattice.above(lattice.every() & ~fail) & ~told
            told |= proved
            yield from _found(lattice, proved, cost_of)
        self.complete_up_to = self._max_size


def _found(lattice: Lattice, family: Family, cost_of: Mapping[int, int] | NDArray[np.number]) -> Iterator[Found]:
    """Yield the sets of a family by size, with their costs."""
    for number in sorted(lattice.members(family).tolist(), key=int.bit_count):
        yield Found(tuple(j for j in range(lattice.m) if number >> j & 1), int(cost_of[number]))


class LevelSearch(Search):
    """Count all sets of one size after the other, but for those that hold a set found before."""

    def __init__(self, costs: Costs, limit: int, max_size: int) -> None:
        super().__init__(costs, limit)
        self._max_size = max_size

    def __iter__(self) -> Iterator[Found]:
        """Yield minimal sets by ascending size."""
        level: list[tuple[int, ...]] = [()]
        for size in range(self._max_size + 1):
            sets = np.zeros((len(level), self.costs.m), np.bool_)
            for row, columns in zip(sets, level, strict=True):
                row[list(columns)] = True
            costs = self.count(sets)
            yield from (Found(c, int(cost)) for c, cost in zip(level, costs, strict=True) if cost <= self.limit)
            self.complete_up_to = size
            level = self._next([c for c, cost in zip(level, costs, strict=True) if cost > self.limit])
            if not level:
                self.complete_up_to = self.costs.m
                return

    def _next(self, beyond: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return the sets of one column more, all of whose sets of one column less are beyond the limit."""
        known = set(beyond)
        return [
            (*columns, j)
            for columns in beyond
            for j in range(columns[-1] + 1 if columns else 0, self.costs.m)
            if all((*columns[:i], *columns[i + 1 :], j) in known for i in range(len(columns)))
        ]
