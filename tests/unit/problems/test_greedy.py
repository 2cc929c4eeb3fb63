"""The greedy algorithms step by step on tables whose answer is known by hand."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.measures.partition import Table, table_of
from streamqid.problems.greedy import Grouping, PairCover, Refinement, key_chain, mask_chain
from tests.unit.sampling.plain import PEOPLE, fingerprints, names

COVER = np.array(
    [
        [1, 1, 1, 1, 0, 0, 0, 0],
        [0, 0, 1, 1, 1, 1, 0, 0],
        [0, 0, 0, 0, 0, 1, 1, 0],
        [0, 0, 0, 0, 0, 0, 0, 0],
    ],
    np.bool_,
)
"""Which of four columns separates which of eight pairs; no column separates the last one."""


def people() -> Table:
    return table_of(("age", "sex", "state"), fingerprints(PEOPLE))


def test_a_cover_takes_the_column_with_most_new_pairs_and_stops_when_nothing_is_left_to_gain() -> None:
    assert key_chain(PairCover(COVER), [1.0] * 4) == [0, 1, 2]


def test_weights_change_the_order_by_gain_per_weight() -> None:
    assert key_chain(PairCover(COVER), [4.1, 1.0, 1.0, 1.0]) == [1, 2, 0]
    assert key_chain(PairCover(COVER), [1.0, 9.0, 0.1, 1.0]) == [2, 0, 1]


def test_the_first_column_wins_among_equals() -> None:
    assert key_chain(PairCover(np.ones((3, 5), np.bool_)), [1.0] * 3) == [0]
    assert key_chain(PairCover(np.ones((3, 5), np.bool_)), [2.0, 1.0, 1.0]) == [1]


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 4)])
def test_without_columns_or_pairs_nothing_is_chosen(shape: tuple[int, int]) -> None:
    assert key_chain(PairCover(np.ones(shape, np.bool_)), [1.0] * shape[0]) == []


def test_a_cover_counts_what_is_separated() -> None:
    cover = PairCover(COVER)
    assert (cover.count, cover.total, cover.gain(0), cover.gain(1)) == (0, 8, 4, 4)
    cover.add(0)
    assert (cover.count, cover.total, cover.gain(0), cover.gain(1), cover.gain(3)) == (4, 8, 0, 2, 0)


def test_a_key_of_the_papers_table_1() -> None:
    assert key_chain(Refinement(people()), [1.0] * 3) == [0, 1]
    assert key_chain(Refinement(people()), [1.0, 9.0, 1.0]) == [0, 2]
    assert key_chain(Refinement(people()), [9.0, 1.0, 1.0]) == [2, 1, 0]


def test_states_over_a_table_count_pairs_or_groups() -> None:
    pairs, groups = Refinement(people()), Grouping(people())
    assert (pairs.count, pairs.total, groups.count, groups.total) == (0, 10, 1, 5)
    assert [pairs.gain(j) for j in range(3)] == [8, 6, 7]
    assert [groups.gain(j) for j in range(3)] == [2, 1, 2]
    for state in (pairs, groups):
        state.add(1)
    assert (pairs.count, groups.count) == (6, 2)
    assert [pairs.gain(j) for j in range(3)] == [4, 0, 3]
    assert [groups.gain(j) for j in range(3)] == [3, 0, 2]


def test_rows_that_are_all_equal_have_no_key() -> None:
    same = table_of(tuple(names(2)), fingerprints([(1, 1)] * 4))
    assert key_chain(Refinement(same), [1.0, 1.0]) == []


def test_masking_takes_the_column_with_the_smallest_gain_and_leaves_out_what_passes_the_limit() -> None:
    assert mask_chain(PairCover(COVER), [1.0] * 4, [], range(4), 0.5) == [3, 2]
    assert mask_chain(PairCover(COVER), [1.0] * 4, [], range(4), 0.625) == [3, 2, 1]
    assert mask_chain(PairCover(COVER), [1.0] * 4, [], range(4), 0.0) == [3]
    assert mask_chain(PairCover(COVER), [1.0] * 4, [], range(4), 1.0) == [3, 2, 1, 0]


def test_masking_by_utility() -> None:
    """The gain is divided by the utility, so a column that is wanted more may separate more."""
    assert mask_chain(PairCover(COVER), [9.0, 1.0, 1.0, 1.0], [], range(4), 0.5) == [3, 0]


def test_masking_starts_with_what_must_be_published_whatever_its_ratio() -> None:
    assert mask_chain(PairCover(COVER), [1.0] * 4, [0], [1, 2, 3], 0.5) == [0, 3]
    assert mask_chain(PairCover(COVER), [1.0] * 4, [0, 1], [2, 3], 0.1) == [0, 1]
    assert mask_chain(PairCover(COVER), [1.0] * 4, [2], [], 0.9) == [2]


def test_masking_of_the_papers_table_1() -> None:
    """By the definition: {sex, state} has distinct 0.8 and separation 0.9, and every larger set has more."""
    assert mask_chain(Grouping(people()), [1.0] * 3, [], range(3), 0.8) == [1, 2]
    assert mask_chain(Refinement(people()), [1.0] * 3, [], range(3), 0.9) == [1, 2]
    assert mask_chain(Refinement(people()), [1.0] * 3, [], range(3), 0.8) == [1]
    assert mask_chain(Grouping(people()), [1.0] * 3, [], range(3), 0.3) == []


def test_extreme_weights_neither_warn_nor_change_what_is_chosen() -> None:
    weights = [5e-324, 1.0, 1e308, 1.0]
    assert mask_chain(PairCover(COVER), weights, [], range(4), 1.0) == [3, 2, 1, 0]
