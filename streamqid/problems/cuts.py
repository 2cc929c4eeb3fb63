"""Which rows of a covering program a column set violates (``problems.programs``).

Each row a·x >= 1 holds for every set with the property; coefficients of more than 1 are cut to 1, which 0/1 vectors do
not notice.  A count is what a greedy state counts: pairs that a set separates, groups that it makes, rows that it
exposes.  It only grows with the set.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamqid.measures.partition import Table
    from streamqid.problems.greedy import Refinement, State
    from streamqid.problems.programs import Row

ROUNDED_UP = 1.0 + 1e-9
"""Coefficients are rounded up, so that no row cuts off what it must not."""
LOOKED_AT = 20_000
"""Pairs that are looked at in one go, until there are difference sets among them."""
DIFFERENCES = 64
"""Difference sets that are taken from one partition at most, the smallest first."""


class Differences:
    """A key: a set that separates every pair of rows that all columns separate (weighted set cover).

    A row for the difference set of a pair, the columns on which its two rows differ: a key has one of them.  All
    groups of a set that is no key hold such pairs, and among the rows of a group that are next to each other in any
    order there is one of them.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def __call__(self, chosen: Sequence[int]) -> list[Row]:
        """Return the smallest difference sets of pairs that the columns leave together."""
        here = self._table.partition(chosen)
        order = np.argsort(here.group, kind="stable")
        group, rows = here.group[order], here.rows[order]
        at = np.flatnonzero(group[1:] == group[:-1])
        for some in (at[start : start + LOOKED_AT] for start in range(0, len(at), LOOKED_AT)):
            codes = self._table.codes
            differ = np.stack([column[rows[some]] != column[rows[some + 1]] for column in codes], axis=1)
            if differ.any():
                sets = np.unique(differ[differ.any(axis=1)], axis=0).astype(np.float64)
                return list(sets[np.argsort(sets.sum(axis=1), kind="stable")[:DIFFERENCES]])
        return []


class Reaching:
    """The sets whose count is at least ``need``.

    Rows: a set that reaches it has a column outside every set that does not (each is made as large as possible).  If
    the count is ``submodular``, as that of separated pairs is, also the rows of Wolsey (1982): from a set S that
    lacks d, columns reach it only if the gains over S, each cut to d, add up to d.
    """

    def __init__(self, new_state: Callable[[], Refinement], columns: int, need: int, *, submodular: bool) -> None:
        self._new_state, self._columns, self._need = new_state, columns, need
        self._submodular = submodular

    def __call__(self, chosen: Sequence[int]) -> list[Row]:
        """Return rows until a set that satisfies them all would reach the count, each without the columns before."""
        state, rows = self._new_state(), []
        outside = [j for j in range(self._columns) if j not in set(chosen)]
        for j in chosen:
            state.add(j)
        while state.count < self._need:
            gains = np.zeros(self._columns)
            gains[outside] = [state.gain(j) for j in outside]
            if self._submodular:
                rows.append(np.minimum(gains / (self._need - state.count) * ROUNDED_UP, 1.0))
            short = self._beyond(copy.copy(state), sorted(outside, key=lambda j: gains[j]))
            rows.append(_members(short, self._columns))
            for j in short:
                state.add(j)
                outside.remove(j)
        return rows

    def _beyond(self, state: Refinement, outside: Sequence[int]) -> list[int]:
        """Add columns as long as the count stays short; return those that had to stay outside."""
        left = []
        for j in outside:
            if state.count + state.gain(j) < self._need:
                state.add(j)
            else:
                left.append(j)
        return left


class Within:
    """The sets to hide that leave columns whose count is at most ``most``; ``shown`` are never hidden.

    Rows: of every set of columns whose count is beyond it, one is hidden (each is made as small as possible).  If the
    count is ``submodular``, also the rows of Edmonds (1970): in any order of all columns, the gains of the shown
    ones over the columns before them add up to no more than the count of the shown ones.
    """

    def __init__(
        self,
        new_state: Callable[[], State],
        columns: int,
        most: int,
        shown: Sequence[int] = (),
        *,
        submodular: bool,
    ) -> None:
        self._new_state, self._columns, self._most, self._shown = new_state, columns, most, list(shown)
        self._submodular = submodular

    def __call__(self, hidden: Sequence[int]) -> list[Row]:
        """Return rows until hiding a column of each would leave the count within the limit."""
        rows: list[Row] = []
        gone = list(hidden)
        while beyond := self._beyond([j for j in range(self._columns) if j not in {*gone, *self._shown}]):
            if self._submodular:
                rows.append(self._gains(beyond))
            beyond = self._smallest(beyond)
            rows.append(_members(beyond, self._columns))
            gone += beyond
        return rows

    def _beyond(self, rest: list[int]) -> list[int]:
        """Return columns that lift the count beyond the limit, chosen by gain; none if all together do not."""
        state, taken = self._state(self._shown), []
        while rest and state.count <= self._most:
            j = max(rest, key=state.gain)
            state.add(j)
            rest.remove(j)
            taken.append(j)
        return taken if state.count > self._most else []

    def _smallest(self, beyond: list[int]) -> list[int]:
        """Leave out what is not needed to be beyond the limit."""
        for j in reversed(beyond):
            others = [i for i in beyond if i != j]
            if self._state([*self._shown, *others]).count > self._most:
                beyond = others
        return beyond

    def _gains(self, first: Sequence[int]) -> Row:
        state, gains = self._state(self._shown), np.zeros(self._columns)
        begun = {*self._shown, *first}
        for j in [*first, *(j for j in range(self._columns) if j not in begun)]:
            before = state.count
            state.add(j)
            gains[j] = state.count - before
        return np.minimum(gains / (state.count - self._most) * ROUNDED_UP, 1.0)

    def _state(self, columns: Sequence[int]) -> State:
        state = self._new_state()
        for j in columns:
            state.add(j)
        return state


def _members(columns: Sequence[int], count: int) -> Row:
    row = np.zeros(count)
    row[list(columns)] = 1.0
    return row
