"""How large a sample each question asks for, and what a question is."""

from __future__ import annotations

import math

import pytest

from streamqid.measures.bounds import certified_units, distinct_key_root, log_subsets, repeats_bound
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.sizes import SPARE_ROWS, key_capacity, key_pairs, key_root, table_capacity

SEPARATION, DISTINCT, PAPER, CERTIFIED = Measure.SEPARATION, Measure.DISTINCT, Rule.PAPER, Rule.CERTIFIED


def question(measure: Measure, rule: Rule, beta: float | None = None) -> KeyQuestion:
    return KeyQuestion(measure, 0.001, 0.01, rule, (), beta)


def test_pairs_by_rule() -> None:
    assert key_pairs(14, question(SEPARATION, PAPER)) == 14_303
    assert key_pairs(14, question(SEPARATION, CERTIFIED)) == math.ceil(certified_units(0.01) / 0.001)
    assert key_pairs(54, question(SEPARATION, CERTIFIED)) == key_pairs(14, question(SEPARATION, CERTIFIED))


def test_pairs_for_a_given_beta() -> None:
    """16 / (0.8 * 1e-6) times ln(2^14/δ), or ln(1/δ) where one set is paid for."""
    assert key_pairs(14, question(SEPARATION, PAPER, 0.8)) == math.ceil(2e7 * math.log(2**14 / 0.01))
    assert key_pairs(14, question(SEPARATION, CERTIFIED, 0.8)) == math.ceil(2e7 * math.log(1 / 0.01))


def test_tuples_by_rule() -> None:
    assert key_root(14, question(DISTINCT, PAPER)) == distinct_key_root(14, 0.001, 0.01)
    assert key_root(14, question(DISTINCT, CERTIFIED)) == math.sqrt(certified_units(0.01, tuples=True) / 0.001)


def test_capacities() -> None:
    paper = key_capacity(14, question(SEPARATION, PAPER))
    certified = key_capacity(14, question(SEPARATION, CERTIFIED))
    tuples = key_capacity(14, question(DISTINCT, PAPER))
    assert (paper.floor, paper.root) == (14_303 + SPARE_ROWS, 0.0)
    assert certified.floor == 2 * key_pairs(14, question(SEPARATION, CERTIFIED)) + SPARE_ROWS
    assert tuples.floor == SPARE_ROWS
    assert 1.0 < tuples.root / distinct_key_root(14, 0.001, 0.01) < 1.04


def test_the_papers_pairs_of_a_table_have_a_spare_for_unreadable_rows() -> None:
    assert table_capacity(14, question(SEPARATION, PAPER)).floor == math.ceil((14_303 + SPARE_ROWS) / 0.81)
    for other in (question(SEPARATION, CERTIFIED), question(SEPARATION, Rule.TUPLES), question(DISTINCT, PAPER)):
        assert table_capacity(14, other) == key_capacity(14, other)


def test_targets() -> None:
    assert question(SEPARATION, PAPER).target == pytest.approx(0.999)
    assert question(SEPARATION, PAPER).slack == pytest.approx(0.001)
    assert question(SEPARATION, PAPER, 0.8).target == pytest.approx(0.7992)
    weighted = question(SEPARATION, PAPER).on([1.0, 2.0], CERTIFIED)
    assert (weighted.weights, weighted.rule) == ([1.0, 2.0], CERTIFIED)
    assert weighted.epsilon == 0.001


def test_a_mask_question_fixes_columns_by_default_none() -> None:
    asked = MaskQuestion(DISTINCT, 0.5, 0.01, PAPER, [1.0, 1.0])
    assert (asked.must_publish, asked.must_hide) == ((), ())


@pytest.mark.parametrize("n", [10**4, 32_561, 581_012, 10**6, 10**8])
@pytest.mark.parametrize("epsilon", [0.3, 0.1, 0.01])
@pytest.mark.parametrize("columns", [3, 14, 54])
def test_the_tuples_kept_are_enough_for_the_promise_where_rows_are_duplicates(
    columns: int, epsilon: float, n: int
) -> None:
    """A sample in which the key loses nothing bounds by ε what it loses against all columns: 2 repeats_bound."""
    asked = KeyQuestion(DISTINCT, epsilon, 0.01, PAPER, [1.0] * columns)
    k = min(n, key_capacity(columns, asked).k(n))
    bound = repeats_bound(0, k, n, -log_subsets(columns, 0.01 / 2))
    assert bound is not None
    assert 2 * bound <= epsilon
