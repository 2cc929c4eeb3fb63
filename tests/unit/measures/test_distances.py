"""Distances of groups from the table, against their definitions over a whole table of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.measures.distances import Counts, EqualSpace, OrderedSpace

if TYPE_CHECKING:
    from collections.abc import Sequence


def equal(groups: Sequence[Sequence[int]], whole: Sequence[int] = (3, 3, 3)) -> list[float]:
    return list(EqualSpace(np.array(whole)).distances(Counts.of(np.array(groups))))


def ordered(groups: Sequence[Sequence[int]], whole: Sequence[int] = (3, 3, 3)) -> list[float]:
    return list(OrderedSpace(np.array(whole)).distances(Counts.of(np.array(groups))))


def test_the_whole_is_at_no_distance_from_itself() -> None:
    assert equal([[3, 3, 3]]) == [0.0]
    assert ordered([[3, 3, 3]]) == [0.0]


def test_equal_distance_counts_what_must_move_at_all() -> None:
    assert equal([[3, 0, 0], [1, 1, 0]]) == pytest.approx([2 / 3, 1 / 3])


def test_ordered_distance_counts_how_far_it_must_move() -> None:
    # One third moves by one half, one third by the full way.
    assert ordered([[3, 0, 0], [0, 3, 0]]) == pytest.approx([1 / 2, 1 / 3])


def test_a_single_value_is_everywhere_alike() -> None:
    assert ordered([[5]], [5]) == [0.0]
    assert OrderedSpace(np.array([5])).least(Counts.of(np.array([[2]]))).tolist() == [0.0]


def test_a_table_of_counts_is_held_by_its_cells() -> None:
    counts = Counts.of(np.array([[0, 2, 1], [4, 0, 0]]))
    assert (counts.group.tolist(), counts.value.tolist(), counts.count.tolist()) == ([0, 0, 1], [1, 2, 0], [2, 1, 4])
    assert (counts.starts.tolist(), counts.sizes.tolist()) == ([0, 2], [3, 4])


@given(st.integers(1, 5), st.integers(1, 9), st.integers(0, 2**32))
def test_every_group_has_the_distance_of_the_definition_and_no_part_of_it_is_nearer_than_the_bound(
    groups: int, width: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 5, (groups, width)) * (rng.random((groups, width)) < 0.4)
    counts = counts[counts.sum(axis=1) > 0]
    if not counts.size:
        return
    # Other rows of the table may have values that no group has.
    whole = counts.sum(axis=0) + rng.integers(1, 3, width)
    differences = counts / counts.sum(axis=1, keepdims=True) - whole / whole.sum()
    apart = np.abs(np.subtract.outer(np.arange(width), np.arange(width)))
    steps = max(width - 1, 1)
    definitions: list[tuple[EqualSpace | OrderedSpace, Any, Any]] = [
        (EqualSpace(whole), np.abs(differences).sum(axis=1) / 2, apart > 0),
        (OrderedSpace(whole), np.abs(np.cumsum(differences, axis=1)).sum(axis=1) / steps, apart / steps),
    ]
    for space, distances, ground in definitions:
        np.testing.assert_allclose(space.distances(Counts.of(counts)), distances, atol=1e-12)
        nearest = [ground[:, row > 0].min(axis=1) @ (whole / whole.sum()) for row in counts]
        np.testing.assert_allclose(space.least(Counts.of(counts)), nearest, atol=1e-12)
        assert (np.array(nearest) <= distances + 1e-12).all()
