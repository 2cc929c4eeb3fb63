"""Keys of tables that the sample holds whole: every number is exact."""

from __future__ import annotations

from itertools import combinations

import pytest

from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from streamqid.sampling.fingerprint import MissingRule
from tests.unit.problems.asking import key, numbers
from tests.unit.sampling.plain import PEOPLE, distinct_by_count, separation_by_pairs

TWINS = [(i // 2, i % 4 // 2, 7) for i in range(16)]
"""Sixteen rows in eight equal pairs: the first column tells all pairs apart, no set reaches more."""


@pytest.mark.parametrize("measure", Measure)
def test_a_minimum_key_of_the_papers_table_1(measure: Measure) -> None:
    answer = key(PEOPLE, measure)
    assert numbers(answer.columns) in ([0, 1], [0, 2])
    ratio = answer.separation if measure is Measure.SEPARATION else answer.distinct
    other = answer.distinct if measure is Measure.SEPARATION else answer.separation
    assert ratio is not None
    assert (ratio.estimate, ratio.lower, ratio.upper, ratio.confidence, other) == (1.0, 1.0, 1.0, 1.0, None)
    assert (answer.met, answer.exact, answer.rows, answer.sample, answer.sample_unit) == (True, True, 5, 5, "rows")
    assert answer.inseparable.estimate == answer.inseparable_rows == 0
    assert not any(separation_by_pairs(PEOPLE, [j]) == 1.0 for j in range(3))  # so two columns are the minimum


def test_duplicates_leave_no_key_but_a_set_as_good_as_all_columns() -> None:
    answer = key(TWINS, epsilon=0.01)
    assert numbers(answer.columns) == [0]
    assert answer.separation is not None
    assert answer.separation.estimate == pytest.approx(separation_by_pairs(TWINS, [0, 1, 2]))
    assert answer.separation.estimate < 0.99
    assert answer.met
    assert (answer.inseparable.estimate, answer.inseparable_rows) == (1.0, 16)
    assert "as well as all columns seen" in answer.guarantee
    assert "99 %" in answer.guarantee


def test_duplicates_by_the_certified_rule_may_lose_epsilon() -> None:
    """{first} separates 0.9333, {second} 0.5333, all of them 0.9333; half of it may go with epsilon = 0.45."""
    rows = [(i // 2, i % 4 // 2, 7) for i in range(16)]
    strict = key(rows, rule=Rule.CERTIFIED, epsilon=0.01)
    assert numbers(strict.columns) == [0]
    spread = [(i % 4, i % 2, 0) for i in range(40)]
    loose = key(spread, rule=Rule.CERTIFIED, epsilon=0.2)
    assert loose.met
    assert numbers(loose.columns) == [0]
    looser = key([(i % 2, i // 2 % 2, 0) for i in range(40)], rule=Rule.CERTIFIED, epsilon=0.23)
    assert numbers(looser.columns) == [0, 1]
    assert "as well as all columns seen" in looser.guarantee


def test_the_certified_rule_stops_at_the_target() -> None:
    rows = [(i % 50, i // 50) for i in range(100)]
    assert numbers(key(rows, rule=Rule.CERTIFIED, epsilon=0.02).columns) == [0]
    assert numbers(key(rows, rule=Rule.PAPER, epsilon=0.02).columns) == [0, 1]
    half, more = (key(rows, Measure.DISTINCT, Rule.CERTIFIED, epsilon=e, capacity=100) for e in (0.5, 0.49))
    assert (numbers(half.columns), numbers(more.columns)) == ([0], [0, 1])


def test_a_beta_separation_set_is_the_shortest_of_its_chain() -> None:
    rows = [(i % 5, i // 5 % 5, i // 25) for i in range(50)]
    values = [separation_by_pairs(rows, range(length)) for length in range(4)]
    for length in (1, 2, 3):
        answer = key(rows, beta=values[length], epsilon=0.1)
        assert (numbers(answer.columns), answer.met) == (list(range(length)), True)
        assert answer.problem == "minimum beta-separation set"
    assert numbers(key(rows, beta=0.0001, epsilon=0.1).columns) == [0]


def test_a_beta_out_of_reach_is_not_met() -> None:
    answer = key([(i % 2,) for i in range(20)], beta=0.9, epsilon=0.1)
    assert (answer.met, numbers(answer.columns)) == (False, [0])
    assert answer.guarantee.startswith("No column set reaches")


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_rows_that_are_all_equal(rule: Rule, measure: Measure) -> None:
    answer = key([(1, 2)] * 5, measure, rule)
    assert (answer.columns, answer.inseparable_rows) == ([], 5)
    assert answer.guarantee.startswith("All rows are equal on all columns")


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_a_table_of_one_row(rule: Rule, measure: Measure) -> None:
    answer = key([(1, 2)], measure, rule)
    assert (answer.columns, answer.met, answer.rows, answer.inseparable_rows) == ([], True, 1, 0)
    assert "nothing to tell apart" in answer.guarantee


def test_weights_change_the_key() -> None:
    rows = [(i, i, i % 2) for i in range(8)]
    assert [numbers(key(rows, weights=w).columns) for w in ([1, 1, 1], [2, 1, 1])] == [[0], [1]]


def test_constant_columns_never_belong_to_a_key() -> None:
    rows = [(0, i % 3, 1, i // 3) for i in range(9)]
    assert sorted(numbers(key(rows).columns)) == [1, 3]


@pytest.mark.parametrize(
    ("missing", "columns"), [(MissingRule.VALUE, [0, 1]), (MissingRule.EQUAL, [0, 1]), (MissingRule.DISTINCT, [0])]
)
def test_the_missing_rule_decides_whether_missing_values_separate(missing: MissingRule, columns: list[int]) -> None:
    rows = [(None if i < 4 else i, i % 4) for i in range(8)]
    assert sorted(numbers(key(rows, missing=missing).columns)) == columns


def test_contributions_are_exact_changes_of_the_ratio() -> None:
    for measure, oracle in ((Measure.SEPARATION, separation_by_pairs), (Measure.DISTINCT, distinct_by_count)):
        answer = key(PEOPLE, measure)
        chosen = numbers(answer.columns)
        for j, part in enumerate(answer.contributions):
            others = [i for i in chosen if i != j]
            without, with_it = oracle(PEOPLE, others), oracle(PEOPLE, [*others, j])
            assert part.member == (j in chosen)
            assert part.change.estimate == pytest.approx(with_it - without)
            assert (part.change.lower, part.change.confidence) == (part.change.estimate, 1.0)


def test_no_smaller_set_is_a_key_where_greedy_finds_two_columns() -> None:
    rows = [(i % 4, i // 4, i % 3) for i in range(12)]
    size = min(k for k in range(4) for c in combinations(range(3), k) if separation_by_pairs(rows, c) == 1.0)
    assert len(key(rows).columns) == size == 2
