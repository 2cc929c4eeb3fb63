import numpy as np
import pytest

from streamqid.measures.distances import equal_distance, hierarchical_distance, ordered_distance, within

WHOLE = np.array([3, 3, 3])


def test_the_whole_is_at_no_distance_from_itself() -> None:
    assert equal_distance(WHOLE[None], WHOLE).tolist() == [0.0]
    assert ordered_distance(WHOLE[None], WHOLE).tolist() == [0.0]


def test_equal_distance_counts_what_must_move_at_all() -> None:
    assert equal_distance(np.array([[3, 0, 0], [1, 1, 0]]), WHOLE) == pytest.approx([2 / 3, 1 / 3])


def test_ordered_distance_counts_how_far_it_must_move() -> None:
    # One third moves by one half, one third by the full way.
    assert ordered_distance(np.array([[3, 0, 0]]), WHOLE) == pytest.approx([1 / 2])
    assert ordered_distance(np.array([[0, 3, 0]]), WHOLE) == pytest.approx([1 / 3])


def test_a_single_value_is_everywhere_alike() -> None:
    one = np.array([5])
    assert ordered_distance(one[None], one).tolist() == [0.0]


def test_limits_are_met_exactly() -> None:
    tenth = float(equal_distance(np.array([[2, 3, 5]]), np.array([1, 4, 5]))[0])
    assert within(tenth, 0.1)
    assert not within(tenth, 0.0999)


def test_hierarchical_distance_counts_how_high_it_must_climb() -> None:
    # Two pairs of siblings under one root: a half to the sibling, the full way to a cousin.
    levels = [np.array([0, 0, 1, 1]), np.array([0, 0, 0, 0])]
    whole = np.array([1, 1, 1, 1])
    assert hierarchical_distance(np.array([[2, 2, 0, 0]]), whole, levels) == pytest.approx([1 / 2])
    assert hierarchical_distance(np.array([[1, 0, 1, 0]]), whole, levels) == pytest.approx([1 / 4])
    assert hierarchical_distance(whole[None], whole, levels).tolist() == [0.0]


def test_a_hierarchy_of_one_level_is_the_equal_distance() -> None:
    groups = np.array([[3, 0, 0], [1, 1, 0]])
    assert hierarchical_distance(groups, WHOLE, [np.zeros(3, np.int64)]) == pytest.approx(equal_distance(groups, WHOLE))
