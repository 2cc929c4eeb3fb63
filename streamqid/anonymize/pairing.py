"""2-diverse groups of two or three rows: the paper's Lemma 2, and the case of two sensitive values."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata

MOST_PAIRED_ROWS = 6000
"""Rows up to which the matrix of all pairs of rows with different values is held (72 MB)."""


def twos_and_threes(data: Microdata, groups: Iterable[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Split 2-diverse groups into groups of 2 or 3 rows with different sensitive values (the proof of Lemma 2).

    Splitting adds no cost.  A row of the most frequent value and one of the next are taken off, again and again: what
    is left stays 2-diverse.
    """
    found = []
    for rows in groups:
        # Neighbours in this order share values of the first columns.
        ordered = rows[np.lexsort(data.quasi[rows].T[::-1])]
        of_value: dict[int, list[int]] = {}
        for row in ordered.tolist():
            of_value.setdefault(int(data.sensitive[row]), []).append(row)
        most_first = [(-len(members), value) for value, members in of_value.items()]
        heapq.heapify(most_first)
        left = len(rows)
        while left > 3:
            two = [heapq.heappop(most_first), heapq.heappop(most_first)]
            found.append(np.array([of_value[value].pop() for _, value in two]))
            left -= 2
            for fewer, value in two:
                if fewer < -1:
                    heapq.heappush(most_first, (fewer + 1, value))
        found.append(np.array([row for rest in of_value.values() for row in rest]))
    return found


def matched(data: Microdata) -> list[NDArray[np.int64]]:
    """Return optimal 2-diverse pairs of a table with two sensitive values: a least-cost perfect bipartite matching.

    With two values every 2-diverse group has as many rows of one as of the other, so by Lemma 2 pairs suffice.
    """
    left, right = np.flatnonzero(data.sensitive == 0), np.flatnonzero(data.sensitive == 1)
    apart = np.zeros((len(left), len(right)), np.float64)
    for column in data.quasi.T:
        apart += column[left][:, None] != column[right][None, :]
    i, j = linear_sum_assignment(apart)
    return [np.array(pair) for pair in zip(left[i].tolist(), right[j].tolist(), strict=True)]
