"""Keys by separation from a sample: what is promised, and what is not when the sample is too small."""

from __future__ import annotations

import pytest

from streamqid.measures.bounds import separation_key_pairs
from streamqid.problems.answer import GENERAL_RULES, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.sizes import key_pairs
from streamqid.sampling.fingerprint import MissingRule
from tests.unit.problems.asking import key, numbers
from tests.unit.sampling.plain import separation_by_pairs

UNIQUE = [(i % 30, i // 30, 5) for i in range(900)]
"""900 rows that two columns tell apart; the third is constant."""
DUPLICATES = [(i % 4, i // 4 % 2, 5) for i in range(900)]
"""Eight groups: all columns together separate 0.876 of the pairs."""


def test_the_paper_promises_its_target_from_its_own_number_of_pairs() -> None:
    answer = key(UNIQUE, epsilon=0.1)
    pairs = separation_key_pairs(3, 0.1, 0.05)
    assert (answer.sample, answer.sample_unit, answer.exact, answer.met) == (pairs, "pairs", False, True)
    assert sorted(numbers(answer.columns)) == [0, 1]
    assert answer.separation is not None
    assert answer.separation.estimate == answer.separation.upper == 1.0
    assert answer.separation.lower == pytest.approx((0.05 / 2**3) ** (1 / pairs))  # Lemma 3
    assert "at least 90 %" in answer.guarantee
    assert "confidence 95 %" in answer.guarantee


def test_the_certified_rule_stops_before_all_pairs_are_separated() -> None:
    answer = key(UNIQUE, rule=Rule.CERTIFIED, epsilon=0.2)
    assert (answer.met, len(answer.columns), answer.sample_unit) == (True, 1, "pairs")
    assert separation_by_pairs(UNIQUE, numbers(answer.columns)) > 0.95
    assert answer.separation is not None
    assert answer.separation.lower == pytest.approx(0.8)
    assert answer.separation.upper == 1.0


def test_the_paper_promises_what_is_lost_against_all_columns_where_duplicates_are() -> None:
    answer = key(DUPLICATES, epsilon=0.05)
    assert answer.met
    assert sorted(numbers(answer.columns)) == [0, 1]
    assert answer.separation is not None
    assert answer.separation.lower is not None
    assert answer.separation.lower < 0.876
    assert "as well as all columns seen, but for at most 5 % of the pairs" in answer.guarantee
    assert answer.inseparable.lower is not None
    assert answer.inseparable.upper is None
    assert answer.inseparable.lower <= 1.0 == answer.inseparable.estimate


def test_the_certified_rule_judges_the_loss_where_duplicates_are() -> None:
    answer = key(DUPLICATES, rule=Rule.CERTIFIED, epsilon=0.05)
    assert answer.met
    assert sorted(numbers(answer.columns)) == [0, 1]
    assert "as well as all columns seen, but for at most 5 % of the pairs" in answer.guarantee
    assert answer.separation is not None
    assert answer.separation.lower is not None
    assert answer.separation.lower <= 0.876


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("rows", [UNIQUE, DUPLICATES])
def test_a_sample_that_is_too_small_promises_only_what_it_can(rows: list[tuple[int, ...]], rule: Rule) -> None:
    answer = key(rows, rule=rule, epsilon=0.05, capacity=30)
    assert not answer.met
    assert answer.guarantee.startswith("Unknown: the sample is too small to promise 95 %")
    assert answer.separation is not None
    assert answer.separation.lower is not None
    assert 0.0 < answer.separation.lower < 0.95
    assert answer.sample <= 60


@pytest.mark.parametrize("rule", Rule)
def test_a_sample_of_one_row_promises_nothing(rule: Rule) -> None:
    """Two rows make one pair at most, and by chance A and B may hold the same row."""
    for seed in range(10):
        answer = key([(0,), (1,)], rule=rule, capacity=1, seed=seed)
        assert not answer.met
        assert answer.separation is not None
        assert answer.separation.lower is not None
        assert answer.separation.lower < 0.9


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_a_beta_separation_set_is_as_short_as_the_sample_allows(rule: Rule) -> None:
    rows = [(i % 10, i // 10 % 10, i // 100) for i in range(3000)]
    answer = key(rows, rule=rule, epsilon=0.3, beta=0.8)
    assert (answer.met, len(answer.columns), answer.exact) == (True, 1, False)
    question = KeyQuestion(answer.measure, 0.3, 0.05, rule, [1.0] * 3, 0.8)
    assert key_pairs(3, question) <= answer.sample <= key_pairs(3, question) + 8
    assert answer.separation is not None
    assert answer.separation.lower is not None
    assert answer.separation.lower >= 0.7 * 0.8 - 1e-9
    assert "at least 56 %" in answer.guarantee


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_a_beta_out_of_reach_is_not_met(rule: Rule) -> None:
    answer = key([(i % 2, 0) for i in range(3000)], rule=rule, epsilon=0.3, beta=0.9)
    assert (answer.met, answer.exact, numbers(answer.columns)) == (False, False, [0])
    assert answer.guarantee.startswith("Unknown")


def test_rows_that_are_all_equal_have_no_key_in_a_sample_either() -> None:
    for rule in Rule:
        answer = key([(1, 2)] * 500, rule=rule, capacity=100)
        assert (answer.columns, answer.exact) == ([], False)
        assert answer.guarantee.startswith("All columns seen together add at most")


def test_weights_change_the_key_of_a_sample() -> None:
    rows = [(i, i, 0) for i in range(900)]
    for rule in Rule:
        assert [numbers(key(rows, rule=rule, weights=w).columns) for w in ([1, 1, 1], [2, 1, 1])] == [[0], [1]]


@pytest.mark.parametrize(("missing", "columns"), [(MissingRule.EQUAL, [1]), (MissingRule.DISTINCT, [0])])
def test_the_missing_rule_holds_in_pairs(missing: MissingRule, columns: list[int]) -> None:
    rows = [(None, i) for i in range(900)]
    for rule in Rule:
        assert numbers(key(rows, rule=rule, missing=missing).columns) == columns
