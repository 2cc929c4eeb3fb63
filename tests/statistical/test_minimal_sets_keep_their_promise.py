"""Pruning on sub-tables loses no minimal set, and sets told from a sample miss none, beyond δ.

Each check counts broken promises over fixed seeds, as in ``promises``; each has a control that must break them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.measures.partition import Table
from streamqid.problems import agree_sets, levelwise, minimal_on_samples
from streamqid.problems.answer import Measure
from streamqid.problems.levelwise import PrunedSearch
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.minimal_sets import BorderSearch
from streamqid.problems.set_costs import TableCosts, limit_of
from tests.statistical.promises import SEEDS, allowed
from tests.unit.problems.asking import numbers
from tests.unit.sampling.plain import names, sampler_of

if TYPE_CHECKING:
    from streamqid.problems.minimal_answer import MinimalAnswer

ROWS, DELTA = 1000, 0.01
VALUES = (2, 3, 4, 6, 30)
SIZES = {Measure.SEPARATION: [1000, 10_000], Measure.DISTINCT: [200, 500]}


@pytest.fixture(autouse=True)
def _rough_guesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """A guess serves speed only, and on tables this small a rough one serves it better."""
    monkeypatch.setattr(agree_sets, "PAIRS", 200)
    monkeypatch.setattr(agree_sets, "ROWS", 20)


def at_the_border() -> Table:
    """Column 0 is the same in a tenth of the rows and unique in the others: distinct 0.901, separation 0.9901."""
    rng = np.random.default_rng(5)
    first = np.maximum(np.arange(ROWS) - ROWS // 10 + 1, 0)
    codes = np.array([first, *(rng.integers(size, size=ROWS) for size in VALUES)], np.int32)
    return Table(tuple(names(6)), codes, (901, *VALUES))


TABLE = at_the_border()
PROBLEMS = {
    "separation": MinimalQuestion(Measure.SEPARATION, 0.01, DELTA, [1.0] * 6),
    "distinct": MinimalQuestion(Measure.DISTINCT, 0.1, DELTA, [1.0] * 6),
    "keys": MinimalQuestion(Measure.SEPARATION, 0.0, DELTA, [1.0] * 6),
}


def exactly(question: MinimalQuestion) -> set[tuple[int, ...]]:
    costs = TableCosts(TABLE, question.measure)
    return {found.columns for found in BorderSearch(costs, limit_of(costs, question), 6).take()}


def lost(question: MinimalQuestion, seeds: int) -> tuple[int, float]:
    """Return under how many seeds a minimal set was lost, and the mean share of sets never tested on all rows."""
    truth, losses, saved = exactly(question), 0, 0.0
    sizes = [30, 300] if question.keys else SIZES[question.measure]
    for seed in range(seeds):
        search = PrunedSearch(TABLE, question, seed, sizes)
        losses += {found.columns for found in search.take()} != truth
        saved += search.saved / (search.saved + search.tested)
    return losses, saved / seeds


@pytest.mark.parametrize(("problem", "share"), [("separation", 0.4), ("distinct", 0.75), ("keys", 0.85)])
def test_pruning_loses_no_minimal_set_in_a_thousand_seeds(problem: str, share: float) -> None:
    losses, saved = lost(PROBLEMS[problem], SEEDS)
    print(f"{problem}: {losses} of {SEEDS} lost a set; {saved:.1%} of the sets were never tested on the whole table")
    assert losses == 0
    assert saved > share


@pytest.mark.parametrize("problem", ["separation", "distinct"])
def test_a_wrong_alpha_loses_sets(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(levelwise, "masking_threshold", lambda _m, beta, _delta, _k: beta)
    losses, _ = lost(PROBLEMS[problem], SEEDS // 5)
    assert losses > allowed(SEEDS // 5, DELTA)


def test_a_limit_too_low_on_sub_tables_loses_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys of a sub-table are asked to leave one pair of rows fewer together than all columns leave."""

    def lower(costs: TableCosts, question: MinimalQuestion) -> int:
        return limit_of(costs, question) - (costs.total < ROWS * (ROWS - 1) // 2)

    monkeypatch.setattr(levelwise, "limit_of", lower)
    losses, _ = lost(PROBLEMS["keys"], SEEDS // 20)
    assert losses > allowed(SEEDS // 20, DELTA)


def broken(answer: MinimalAnswer, question: MinimalQuestion, truth: set[tuple[int, ...]]) -> bool:
    """Whether a minimal set holds none of the told ones, or a set is called certain that does not reach the ratio."""
    told = [set(numbers(one.columns)) for one in answer.sets]
    costs = TableCosts(TABLE, question.measure)
    limit = limit_of(costs, question)
    certain = [numbers(one.columns) for one in answer.sets if one.certain]
    wrong = any(int(costs.of(_one(columns))[0]) > limit for columns in certain)
    return wrong or any(not any(one <= set(columns) for one in told) for columns in truth)


def _one(columns: list[int]) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    chosen = np.zeros((1, 6), np.bool_)
    chosen[0, columns] = True
    return chosen


def trials(question: MinimalQuestion, seeds: int) -> tuple[int, int]:
    """Return how many answers from samples of 400 rows were broken, and how many called a set certain."""
    fingerprints = TABLE.codes.T.astype(np.uint64) + np.uint64(1)
    truth, bad, sure = exactly(question), 0, 0
    for seed in range(seeds):
        evidence = sampler_of(fingerprints, seed, 400).evidence().select(names(6))
        answer = minimal_on_samples.minimal_on_samples(evidence, question)
        assert not answer.exact
        assert answer.complete
        bad += broken(answer, question, truth)
        sure += any(one.certain for one in answer.sets)
    return bad, sure


@pytest.mark.parametrize("problem", list(PROBLEMS))
def test_sets_from_a_sample_miss_none(problem: str) -> None:
    question = PROBLEMS[problem]
    bad, sure = trials(question, SEEDS // 10)
    assert bad <= allowed(SEEDS // 10, DELTA)
    if question.keys:
        assert bad == sure == 0


def test_a_larger_epsilon_is_certain_from_a_sample() -> None:
    bad, sure = trials(MinimalQuestion(Measure.SEPARATION, 0.1, DELTA, [1.0] * 6), 50)
    assert bad <= allowed(50, DELTA)
    assert sure == 50


@pytest.mark.parametrize("problem", ["separation", "distinct"])
def test_bounds_of_no_confidence_miss_sets(problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minimal_on_samples, "log_subsets", lambda _m, _delta: 0.5)
    bad, _ = trials(PROBLEMS[problem], SEEDS // 20)
    assert bad > allowed(SEEDS // 20, DELTA)
