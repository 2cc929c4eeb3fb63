"""The greedy algorithms step by step on tables whose answer is known by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.measures.partition import Table, table_of
from streamqid.problems import greedy, rare_values
from streamqid.problems.exposure import Exposure
from streamqid.problems.greedy import Grouping, PairCover, Refinement, key_chain, mask_chain
from tests.unit.sampling.plain import PEOPLE, fingerprints, names

if TYPE_CHECKING:
    from collections.abc import Callable

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


def test_pairs_take_from_other_gains_what_they_separate_too() -> None:
    cover = PairCover(COVER)
    assert cover.shrink(0).tolist() == [4, 2, 0, 0]
    cover.add(0)
    assert cover.shrink(1).tolist() == [0, 2, 1, 0]


class Counting(Grouping):
    """Counts how often a gain is counted."""

    counted = 0

    def gain(self, j: int) -> int:
        self.counted += 1
        return super().gain(j)


def rare_flags(columns: int, rows: int) -> Table:
    """Return columns that are 0 but in a few rows, fewer in each column than in the one before."""
    codes = np.zeros((columns, rows), np.int32)
    for j in range(columns):
        codes[j, (7 * j + np.arange(columns - j)) % rows] = 1
    return Table(tuple(map(str, range(columns))), codes, (2,) * columns)


@pytest.mark.parametrize("compared", [1, 1 << 22])
@pytest.mark.parametrize("kind", [Refinement, Grouping, lambda table: Exposure(table, 3)])
def test_many_columns_are_chosen_as_few_are(
    kind: Callable[[Table], Refinement], compared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, few = rare_flags(greedy.MANY + 8, 200), greedy.MANY + 9
    monkeypatch.setattr(rare_values, "COMPARED", compared)
    chain = mask_chain(kind(table), [1.0] * len(table.columns), [], range(len(table.columns)), 0.9)
    monkeypatch.setattr(greedy, "MANY", few)
    assert chain == mask_chain(kind(table), [1.0] * len(table.columns), [], range(len(table.columns)), 0.9)


def test_of_many_columns_only_those_that_may_be_next_are_counted_again() -> None:
    codes = (np.random.default_rng(1).random((200, 2000)) < 0.002).astype(np.int32)
    state = Counting(Table(tuple(map(str, range(200))), codes, (2,) * 200))
    assert len(mask_chain(state, [1.0] * 200, [], range(200), 0.9)) == 200
    assert state.counted < 200 * 201 / 2 / 4
