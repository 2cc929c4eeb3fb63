"""Distances of groups from the table, computed from the cells that are not empty."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.audits.cells import Sensitive, cells_of
from streamqid.audits.classes import Classes
from streamqid.audits.disclosure import closeness
from streamqid.measures.distances import TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.audits.cells import Distance

PAIRS = (np.array([0, 0, 1, 1]), np.zeros(4, np.int64))
"""Two pairs of siblings under one root: a half to the sibling, the full way to a cousin."""


def distances(
    counts: NDArray[np.int64], distance: Distance, levels: tuple[NDArray[np.int64], ...] = ()
) -> NDArray[np.float64]:
    """The distances of groups that are given as counts of each value."""
    group, value = np.nonzero(counts)
    times = counts[group, value]
    sizes = counts.sum(axis=1)
    number = np.repeat(group, times)
    cells = cells_of(Classes(number, sizes, sizes), Sensitive("s", np.repeat(value, times), distance, levels))
    return closeness(cells, distance)


def dense_tree(counts: NDArray[np.int64], levels: tuple[NDArray[np.int64], ...]) -> NDArray[np.float64]:
    """The same over a whole table of counts: half of what all nodes but the root differ by, divided by the height."""
    differences = counts / counts.sum(axis=1, keepdims=True) - counts.sum(axis=0) / counts.sum()
    moved = np.abs(differences).sum(axis=1)
    for level in levels[:-1]:
        moved += np.abs(differences @ np.equal.outer(level, np.unique(level))).sum(axis=1)
    result: NDArray[np.float64] = moved / (2.0 * len(levels))
    return result


def test_a_hierarchy_counts_how_high_a_value_must_climb() -> None:
    found = distances(np.array([[2, 2, 0, 0], [0, 0, 2, 2]]), "hierarchical", PAIRS)
    assert found.tolist() == [0.5, 0.5]
    assert distances(np.array([[1, 0, 1, 0], [0, 1, 0, 1]]), "hierarchical", PAIRS).tolist() == [0.25, 0.25]


@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_what_is_like_the_table_is_at_no_distance_without_rounding(distance: Distance) -> None:
    counts = np.array([[1, 3, 7, 2], [2, 6, 14, 4], [3, 9, 21, 6]])
    assert distances(counts, distance, PAIRS).tolist() == [0.0, 0.0, 0.0]
    assert distances(np.array([[5]]), distance, (np.array([0]),)).tolist() == [0.0]


def test_limits_are_met_exactly() -> None:
    farthest = distances(np.array([[2, 3, 5], [0, 5, 5]]), "equal").max()
    assert 0.1 - TOLERANCE < farthest < 0.1 + TOLERANCE


@given(st.integers(1, 6), st.integers(1, 12), st.integers(0, 2**32))
def test_empty_cells_need_not_be_looked_at(groups: int, width: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (groups, width)) * (rng.random((groups, width)) < 0.4)
    counts = counts[counts.sum(axis=1) > 0]
    counts = counts[:, counts.sum(axis=0) > 0]
    if not counts.size:
        return
    differences = counts / counts.sum(axis=1, keepdims=True) - counts.sum(axis=0) / counts.sum()
    passing = np.abs(np.cumsum(differences, axis=1)).sum(axis=1) / max(counts.shape[1] - 1, 1)
    height = counts.shape[1]
    levels = (np.arange(height) // 2, np.arange(height) // 6, np.zeros(height, np.int64))
    np.testing.assert_allclose(distances(counts, "equal"), np.abs(differences).sum(axis=1) / 2, atol=1e-12)
    np.testing.assert_allclose(distances(counts, "ordered"), passing, atol=1e-12)
    np.testing.assert_allclose(distances(counts, "hierarchical", levels), dense_tree(counts, levels), atol=1e-12)
