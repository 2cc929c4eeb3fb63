"""The optimum of a table of few rows, over all partitions of them (Theorem 8: 2^O(n) steps)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize.grouping import Grouping, grouping_of
from streamqid.measures.distances import Counts

if TYPE_CHECKING:
    from streamqid.anonymize.microdata import Microdata
    from streamqid.anonymize.requirements import Requirement

MOST_ROWS = 12
"""3^12 / 2 pairs of a set of rows and one of its groups: a fraction of a second."""


def optimum(data: Microdata, requirement: Requirement) -> Grouping | None:
    """Return a partition of least cost that meets the requirement; None if there is none.

    The optimum of a set of rows is the least, over the groups that its first row may be in, of the cost of that
    group and the optimum of the others; so each set is solved once.
    """
    n = data.n
    costs = _group_costs(data, requirement)
    best: list[float] = [0.0] + [float("inf")] * ((1 << n) - 1)
    chosen = [0] * (1 << n)
    for rows in range(1, 1 << n):
        first = rows & -rows
        others = rest = rows ^ first
        while True:
            group = rest | first
            cost = costs[group] + best[rows ^ group]
            if cost < best[rows]:
                best[rows], chosen[rows] = cost, group
            if not rest:
                break
            rest = (rest - 1) & others
    left, groups = (1 << n) - 1, []
    if best[left] == float("inf"):
        return None
    while left:
        groups.append(np.array([i for i in range(n) if chosen[left] >> i & 1]))
        left ^= chosen[left]
    return grouping_of(data, groups)


def _group_costs(data: Microdata, requirement: Requirement) -> list[float]:
    """Return the cost of every set of rows as one group, infinite for sets that do not meet the requirement."""
    inside = (np.arange(1 << data.n)[:, None] >> np.arange(data.n)) & 1 == 1
    counts = inside @ np.eye(data.values, dtype=np.int64)[data.sensitive]
    sizes = inside.sum(axis=1)
    differ = np.zeros(len(inside), np.int64)
    for column in data.quasi.T:
        low = np.where(inside, column, column.max()).min(axis=1)
        high = np.where(inside, column, column.min()).max(axis=1)
        differ += low < high
    costs = np.full(len(inside), np.inf)
    costs[1:] = np.where(requirement.met(Counts.of(counts[1:])), (sizes * differ)[1:], np.inf)
    return costs.tolist()
