"""Covering programs: what they say when time runs out, and weights that mislead the greedy algorithm."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.measures.partition import Table
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.optimal_key import optimal_key
from streamqid.problems.optimal_mask import optimal_mask
from streamqid.problems.programs import lightest
from tests.unit.problems.whole_tables import whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.problems.programs import Row


def misleading() -> Table:
    """Return a table of which the greedy algorithm takes three columns, though {first, second} is a key.

    Rows are the places (i, j) of a 6 x 6 square; the first columns are i and j, the third splits the square finer.
    """
    places = np.array(list(itertools.product(range(6), range(6))), np.int32).T
    i, j = places
    finer = i // 2 * 3 + j // 2
    codes = np.stack([i, j, finer]).astype(np.int32)
    return Table(("i", "j", "finer"), codes, (6, 6, 9))


def test_the_optimum_beats_the_greedy_key() -> None:
    answer = optimal_key(misleading(), [1.0] * 3)
    assert answer.columns == ["i", "j"]
    assert answer.optimality.greedy == ["finer", "i", "j"]
    assert (answer.optimality.weight, answer.optimality.greedy_weight, answer.optimality.gap) == (2.0, 3.0, 0.0)
    assert "It is an optimum: no lighter set will do (weight 2, greedy 3)." in answer.guarantee


@pytest.mark.parametrize("measure", list(Measure))
def test_without_time_the_greedy_answer_is_given_and_said_to_be_no_optimum(measure: Measure) -> None:
    key = optimal_key(misleading(), [1.0] * 3, measure, seconds=1e-9)
    assert key.columns == ["i", "j", "finer"]
    assert not key.optimality.optimal
    assert (key.optimality.bound, key.optimality.gap) == (0.0, 1.0)
    assert "time of 1e-09 s ran out" in key.guarantee
    mask = optimal_mask(misleading(), MaskQuestion(measure, 0.95, 0.01, Rule.PAPER, [1.0] * 3), seconds=1e-9)
    assert not mask.optimality.optimal
    assert mask.optimality.bound == 3.0
    assert mask.optimality.weight == mask.optimality.greedy_weight < 3.0
    assert mask.optimality.gap == pytest.approx(1.0 - mask.optimality.weight / 3.0)
    assert "before a heavier set, up to 3, could be ruled out" in mask.guarantee


def test_weights_decide_between_equal_sets() -> None:
    codes = np.arange(4, dtype=np.int32)
    twice = Table(("a", "b"), np.stack([codes, codes]), (4, 4))
    assert optimal_key(twice, [2.0, 1.0]).columns == ["b"]
    assert optimal_key(twice, [1.0, 2.0]).columns == ["a"]


@pytest.mark.parametrize("forced", [[], [0]])
def test_a_heavy_column_that_is_not_to_be_chosen_does_not_make_the_others_equal(forced: list[int]) -> None:
    """Column 1 does what columns 2 and 3 do together, which weigh less; column 0 weighs a million."""
    rows = np.array([[0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 1.0]])

    def cuts(chosen: Sequence[int]) -> list[Row]:
        return [row for row in rows if not row[list(chosen)].any()]

    cover = lightest([1e6, 9.0, 2.0, 3.0], cuts, [*forced, 1], 60.0, forced)
    assert (cover.chosen, cover.optimal) == ([*forced, 2, 3], True)
    assert cover.weight == cover.bound == pytest.approx(5.0 + 1e6 * len(forced))


def test_a_solution_that_time_cut_short_is_taken_only_if_it_is_lighter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solver may return a feasible set that is no optimum, with a bound below it."""
    found = iter([([0, 1, 2], 0.5), ([1], 0.5), ([1], 1.0)])
    monkeypatch.setattr("streamqid.problems.programs._solve", lambda *_: next(found))
    cover = lightest([1.0, 1.0, 1.0], lambda _: [], [0, 1], 60.0)
    assert (cover.chosen, cover.weight, cover.bound, cover.optimal) == ([1], 1.0, 1.0, True)


def test_a_solver_that_finds_nothing_in_time_leaves_the_known_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamqid.problems.programs._solve", lambda *_: (None, 0.5))
    cover = lightest([1.0, 1.0, 1.0], lambda _: [], [0, 1], 60.0)
    assert (cover.chosen, cover.bound, cover.optimal) == ([0, 1], 0.5, False)


@pytest.mark.parametrize("measure", list(Measure))
def test_a_ratio_out_of_reach_is_answered_by_a_key(measure: Measure) -> None:
    table = whole([(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 0, 0)])
    answer = optimal_key(table, [1.0] * 3, measure, beta=0.99)
    assert (answer.columns, answer.met) == (["a", "b"], False)
