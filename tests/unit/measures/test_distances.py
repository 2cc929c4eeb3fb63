import numpy as np
import pytest

from streamqid.measures.distances import equal_distance, ordered_distance

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
