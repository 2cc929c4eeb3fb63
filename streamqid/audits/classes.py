"""The groups that a reader of a table sees: rows that are equal on the quasi-identifiers, or that match on them."""

from __future__ import annotations

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
        given = sparse.csr_array(counts)
        total = sparse.csr_array(given)
        members = [np.flatnonzero(pattern == p) for p in range(patterns.shape[1])]
        for p, here in enumerate(members):
            for q, there in enumerate(members):
                if p != q:
                    seen = [j for i, j in enumerate(self.quasi) if not (patterns[i, p] or patterns[i, q])]
                    total = total + self._joined(here, there, seen, given)
        return total

    def _joined(self, here: NDArray[np.int64], there: NDArray[np.int64], seen: Sequence[int], given: Any) -> Any:
        """Return, at the groups ``here``, the sums over those groups ``there`` that equal them on the seen columns."""
        from scipy import sparse

        both = np.concatenate([here, there])
        key, _ = row_keys(Table(self.table.columns, self.table.codes[:, both], self.table.sizes), seen)
        values, key = np.unique(key, return_inverse=True)
        shape = (len(values), self.table.n)
        ours = sparse.csr_array((np.ones(len(here), np.int64), (key[: len(here)], here)), shape)
        theirs = sparse.csr_array((np.ones(len(there), np.int64), (key[len(here) :], there)), shape)
        return ours.T @ (theirs @ given)
