"""Fixed-sequence testing: the order of the tests and what the first failure ends."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.problems.certified import longest_passing, separated_by_prefix, shortest_passing

LENGTHS = [2, 0, 3, 1]


@pytest.mark.parametrize(
    ("passing", "shortest", "asked"),
    [
        ({0, 1, 2, 3}, 0, [3, 2, 1, 0]),
        ({2, 3}, 2, [3, 2, 1]),
        ({0, 3}, 3, [3, 2]),
        ({0, 1, 2}, None, [3]),
        (set(), None, [3]),
    ],
)
def test_claims_of_a_high_ratio_are_tested_from_the_longest_set_down(
    passing: set[int], shortest: int | None, asked: list[int]
) -> None:
    seen: list[int] = []

    def passes(length: int) -> bool:
        seen.append(length)
        return length in passing

    assert shortest_passing(LENGTHS, passes) == shortest
    assert seen == asked


@pytest.mark.parametrize(
    ("passing", "longest", "asked"),
    [
        ({0, 1, 2, 3}, 3, [0, 1, 2, 3]),
        ({0, 1}, 1, [0, 1, 2]),
        ({0, 3}, 0, [0, 1]),
        ({1, 2, 3}, None, [0]),
    ],
)
def test_claims_of_a_low_ratio_are_tested_from_the_shortest_set_up(
    passing: set[int], longest: int | None, asked: list[int]
) -> None:
    seen: list[int] = []

    def passes(length: int) -> bool:
        seen.append(length)
        return length in passing

    assert longest_passing(LENGTHS, passes) == longest
    assert seen == asked


def test_no_claim_is_no_answer() -> None:
    assert shortest_passing([], lambda _: True) is None
    assert longest_passing([], lambda _: True) is None


def test_prefixes_separate_what_their_columns_separate() -> None:
    separated = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 0]], np.bool_)
    assert separated_by_prefix(separated, [1, 0, 2]).astype(int).tolist() == [
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [1, 1, 0, 0],
        [1, 1, 1, 0],
    ]
    assert separated_by_prefix(separated, []).tolist() == [[False] * 4]
    assert separated_by_prefix(np.empty((2, 0), np.bool_), [0, 1]).shape == (3, 0)
