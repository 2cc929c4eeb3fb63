"""The greedy algorithms of Motwani and Xu, over sampled pairs or over the partition of tuples."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Protocol

import numpy as np

from streamqid.measures.partition import Partition, pairs_within
from streamqid.problems.answer import Measure
from streamqid.problems.rare_values import RareValues, count_by_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from streamqid.measures.partition import Table


MANY = 64
"""Columns from which on it pays to bound what a choice takes from the gains of the others."""


class State(Protocol):
    """What a greedy algorithm needs to know about the columns chosen so far.

    ``count`` of ``total`` is the ratio in question: separated pairs of all pairs, or groups of all rows.
    """

    @property
    def count(self) -> int:
        """What the chosen columns reach."""
        ...

    @property
    def total(self) -> int:
        """What they could reach at most."""
        ...

    def gain(self, j: int) -> int:
        """Return how much choosing column j would add to the count."""
        ...

    def shrink(self, j: int) -> NDArray[np.int64] | None:
        """Return, for each column, an upper bound on what its gain loses when column j is chosen; None if unknown."""
        ...

    def add(self, j: int) -> None:
        """Choose column j."""
        ...


class PairCover:
    """Set cover over sampled pairs; ``separated[j, i]`` says whether column j separates pair i."""

    def __init__(self, separated: NDArray[np.bool_]) -> None:
        self._separated = separated
        self._open = np.ones(separated.shape[1], np.bool_)
        self._left = self.total = int(separated.shape[1])

    @property
    def count(self) -> int:
        """Pairs that the chosen columns separate."""
        return self.total - self._left

    def gain(self, j: int) -> int:
        """Count the pairs that column j would newly separate."""
        return int(np.count_nonzero(self._separated[j] & self._open))

    def shrink(self, j: int) -> NDArray[np.int64]:
        """Count the open pairs that column j separates too."""
        return count_by_row(self._separated[:, self._separated[j] & self._open])

    def add(self, j: int) -> None:
        """Choose column j; drop the separated pairs once they are the larger part."""
        self._open &= ~self._separated[j]
        self._left = int(np.count_nonzero(self._open))
        if 2 * self._left < len(self._open):
            self._separated = self._separated[:, self._open]
            self._open = np.ones(self._left, np.bool_)


class Refinement:
    """All pairs of the rows of a table, through the partition that the chosen columns make of them."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._rare = RareValues(table)
        self.partition = Partition.trivial(table.n)
        self.total = self._left = table.n * (table.n - 1) // 2

    @property
    def count(self) -> int:
        """Pairs that the chosen columns separate."""
        return self.total - self._left

    def gain(self, j: int) -> int:
        """Count the pairs that column j would newly separate."""
        return self._left - pairs_within(self._sizes(j))

    def shrink(self, j: int) -> NDArray[np.int64] | None:
        """Bound the pairs that column j and another one both newly separate."""
        return self._rare.pairs_taken(self.partition, j)

    def add(self, j: int) -> None:
        """Choose column j."""
        self.partition = self.partition.refine(self._table.codes[j], self._table.sizes[j])
        self._left = self.partition.unseparated

    def _sizes(self, j: int) -> NDArray[np.int64]:
        return self.partition.refined_sizes(self._table.codes[j], self._table.sizes[j])


class Grouping(Refinement):
    """The groups that the chosen columns make of the rows of a table."""

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self.total = table.n

    @property
    def count(self) -> int:
        """Groups that the chosen columns make."""
        return self.partition.groups

    def gain(self, j: int) -> int:
        """Count the groups that column j would add."""
        return int(np.count_nonzero(self._sizes(j))) - len(self.partition.sizes)

    def shrink(self, j: int) -> NDArray[np.int64] | None:
        """Bound the groups that column j takes from what another one would make."""
        return self._rare.groups_taken(self.partition, j)


def key_chain(state: PairCover | Refinement, weights: Sequence[float]) -> list[int]:
    """Choose columns until every pair is separated that all columns together separate (Theorem 2).

    Each time the column with the largest gain per weight; the first one among equals.  The gain of a column
    never grows as others are chosen, so an old gain is an upper bound, and only columns at the top of the queue
    are counted again; the result is that of counting all of them.
    """
    chain: list[int] = []
    queue = [(-state.gain(j) / weights[j], j) for j in range(len(weights))]
    counted = set(range(len(weights)))
    heapq.heapify(queue)
    while queue and state.count < state.total:
        bound, j = heapq.heappop(queue)
        if j not in counted:
            counted.add(j)
            heapq.heappush(queue, (-state.gain(j) / weights[j], j))
        elif bound:
            chain.append(j)
            state.add(j)
            counted.clear()
    return chain


@np.errstate(over="ignore")  # The gain for a tiny weight may be infinite.
def mask_chain(
    state: State, weights: Sequence[float], start: Sequence[int], allowed: Iterable[int], limit: float
) -> list[int]:
    """Add columns for publication while the ratio stays within the limit (section 4).

    Each time the column with the smallest gain per weight, the first one among equals; a column that would
    lift the ratio over the limit is left out for good, because a larger set has no smaller ratio.  A column need not
    be counted again while others beat a lower bound on its gain: what it had, less what the columns chosen since then
    may have taken from it.  The result is that of counting all of them.

    Parameters
    ----------
    state
        Pairs or groups, with no column chosen yet.
    weights
        Utility of publishing each column.
    start
        Columns that must be published: they come first, whatever the ratio.
    allowed
        Columns that may follow.
    limit
        Largest ratio that the chain may reach.
    """
    chain = list(start)
    for j in chain:
        state.add(j)
    rest = np.array(list(allowed), np.int64)
    weight = np.asarray(weights, np.float64)[rest]
    least = np.zeros(len(rest), np.int64)
    fresh = np.zeros(len(rest), np.bool_)
    while rest.size and state.total:
        at = int(np.argmin(least / weight))
        j = int(rest[at])
        if not fresh[at]:
            least[at], fresh[at] = state.gain(j), True
            if (state.count + least[at]) / state.total <= limit:
                continue
        else:
            chain.append(j)
            least = np.maximum(least - _taken(state, j, rest), 0)
            fresh[:] = False
        rest, weight = np.delete(rest, at), np.delete(weight, at)
        least, fresh = np.delete(least, at), np.delete(fresh, at)
    return chain


def _taken(state: State, j: int, rest: NDArray[np.int64]) -> NDArray[np.int64] | int:
    """Choose column j, and bound what the gains of the columns ``rest`` lose by that."""
    taken = state.shrink(j) if rest.size >= MANY else None
    before = state.count
    state.add(j)
    # What a chain reaches with a column never falls, so no gain loses more than was gained.
    gained = state.count - before
    return gained if taken is None else np.minimum(taken[rest], gained)


def state_of(table: Table, measure: Measure) -> Refinement:
    """Return the state, with no column chosen yet, that counts what a measure counts over a table."""
    return Refinement(table) if measure is Measure.SEPARATION else Grouping(table)
