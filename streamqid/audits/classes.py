"""The groups that a reader of a table sees: rows that are equal on the quasi-identifiers, or that match on them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.errors import UsageError
from streamqid.measures.partition import Table
from streamqid.measures.radix import group_sizes, numbered_groups, row_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_PATTERNS = 200
"""Different sets of suppressed columns in one table; each pair of them is compared."""


@dataclass(frozen=True, slots=True)
class Classes:
    """Groups of rows, and for each group the rows that a reader takes its members for.

    ``number`` is the group of each row (None when only sizes were asked for), ``rows`` counts the rows of each group,
    and ``sizes`` those among which a member hides.  The two are the same unless suppressed cells match anything;
    then ``matches`` tells which groups hide the members of which.
    """

    number: NDArray[np.integer] | None
    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]
    matches: Matches | None = None


def equal_classes(table: Table, quasi: Sequence[int], *, only_sizes: bool = False) -> Classes:
    """Return the groups of rows that are equal on the columns: a suppressed cell is a value like any other."""
    if only_sizes:
        sizes = group_sizes(table, quasi)
        return Classes(None, sizes, sizes)
    number, sizes = numbered_groups(table, quasi)
    return Classes(number, sizes, sizes)


def matching_classes(table: Table, quasi: Sequence[int], suppressed: Sequence[NDArray[np.int64]]) -> Classes:
    """Return the groups when a suppressed cell matches anything.

    Two rows match when they are equal on every column where neither is suppressed.  A row then hides among all
    rows that it matches; these sets overlap.  ``suppressed[i]`` are the rows whose cell of column ``quasi[i]`` is
    suppressed.
    """
    number, rows = numbered_groups(table, quasi)
    first = np.empty(len(rows), np.int64)
    first[number[::-1]] = np.arange(table.n)[::-1]
    hidden = np.zeros((len(quasi), table.n), np.bool_)
    for i, here in enumerate(suppressed):
        hidden[i, here] = True
    matches = Matches(Table(table.columns, table.codes[:, first], table.sizes), tuple(quasi), hidden[:, first])
    return Classes(number, rows, matches.sums(rows[:, None]).toarray()[:, 0], matches)


@dataclass(frozen=True, slots=True)
class Matches:
    """Which groups match: ``table`` has one row for each group, ``hidden[i, g]`` says what is suppressed there."""

    table: Table
    quasi: tuple[int, ...]
    hidden: NDArray[np.bool_]

    def sums(self, counts: Any) -> Any:
        """Return, for each group, the sum of the counts of the groups that match it (a sparse matrix)."""
        from scipy import sparse

        patterns, pattern = np.unique(self.hidden, axis=1, return_inverse=True)
        if patterns.shape[1] > MOST_PATTERNS:
            msg = (
                f"The rows are suppressed in {patterns.shape[1]:,} different sets of columns, and at most "
                f"{MOST_PATTERNS} can be matched: let suppressed cells be a value of their own."
            )
            raise UsageError(msg)
        members = [np.flatnonzero(pattern == p) for p in range(patterns.shape[1])]
        sides: list[list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = [[], []]
        keys = 0
        for p, q in itertools.combinations(range(len(members)), 2):
            seen = [j for i, j in enumerate(self.quasi) if not (patterns[i, p] or patterns[i, q])]
            key = self._keys(np.concatenate([members[p], members[q]]), seen)
            sides[0].append((members[p], keys + key[: len(members[p])]))
            sides[1].append((members[q], keys + key[len(members[p]) :]))
            keys += int(key.max()) + 1
        given = sparse.csr_array(counts)
        if not keys:
            return given
        # A group of one pattern matches one of another where both have the same key for this pair of patterns.
        one, other = (self._incidence(side, keys) for side in sides)
        return given + one @ (other.T @ given) + other @ (one.T @ given)

    def _keys(self, groups: NDArray[np.int64], seen: Sequence[int]) -> NDArray[np.int64]:
        """Return dense numbers for these groups, equal where they are equal on the seen columns."""
        key, _ = row_keys(Table(self.table.columns, self.table.codes[:, groups], self.table.sizes), seen)
        number: NDArray[np.int64] = np.unique(key, return_inverse=True)[1]
        return number

    def _incidence(self, side: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], keys: int) -> Any:
        from scipy import sparse

        group, key = (np.concatenate(parts) for parts in zip(*side, strict=True))
        return sparse.csr_array((np.ones(len(group), np.int64), (group, key)), (self.table.n, keys))
