"""A heuristic for tables of any size: split groups by the values of columns as long as the requirement holds.

Every split refines the partition, which never adds cost, and starts from one group of all rows.  How far the result
is from the optimum is not known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize.grouping import Grouping, grouping_of
from streamqid.anonymize.requirements import groups_met

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata
    from streamqid.anonymize.requirements import Requirement


def descend(data: Microdata, requirement: Requirement) -> Grouping:
    """Return a partition that meets the requirement if one group of all rows does, by splitting that group.

    A group is split by the column that lets most rows keep their value of it.  Children that do not meet the
    requirement are put together; where they do not meet it even then, the smallest other children join them.
    """
    leaves: list[NDArray[np.int64]] = []
    waiting = [np.arange(data.n)]
    while waiting:
        rows = waiting.pop()
        best, parts = 0, [rows]
        for j in range(data.m):
            kept, split = _split(data, requirement, rows, j, best)
            if kept > best:
                best, parts = kept, split
        if len(parts) > 1:
            waiting += parts
        else:
            leaves.append(rows)
    return grouping_of(data, leaves)


def _split(
    data: Microdata, requirement: Requirement, rows: NDArray[np.int64], j: int, best: int
) -> tuple[int, list[NDArray[np.int64]]]:
    """Return how many rows keep their value of column j in a split by it, and the parts; nothing if not above best."""
    values, child, sizes = np.unique(data.quasi[rows, j], return_inverse=True, return_counts=True)
    if len(values) == 1:
        return 0, []
    good = groups_met(data, requirement, rows, child)
    if int(sizes[good].sum()) <= best:
        return 0, []
    pooled = np.flatnonzero(~good)
    if len(pooled):
        more = _joining(data, requirement, rows, child, sizes, good)
        good[more] = False
    kept = int(sizes[good].sum())
    if kept <= best:
        return 0, []
    order = np.argsort(child, kind="stable")
    by_child = np.split(rows[order], np.cumsum(sizes)[:-1])
    parts = [by_child[c] for c in np.flatnonzero(good)]
    if len(pooled):
        parts.append(np.concatenate([by_child[c] for c in np.flatnonzero(~good)]))
    return kept, parts


def _joining(
    data: Microdata,
    requirement: Requirement,
    rows: NDArray[np.int64],
    child: NDArray[np.int64],
    sizes: NDArray[np.int64],
    good: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Return the children that must join the pool of those that do not meet the requirement: the smallest first.

    As the requirement is closed under union and the whole group meets it, more children are tried by doubling.
    """
    candidates = np.flatnonzero(good)[np.argsort(sizes[good], kind="stable")]
    number = 0
    while True:
        pool = ~good
        pool[candidates[:number]] = True
        members = rows[pool[child]]
        if number >= len(candidates) or groups_met(data, requirement, members, np.zeros_like(members))[0]:
            return candidates[:number]
        number = 2 * number if number else 1
