"""Keys by distinct ratio from a sample of tuples."""

from __future__ import annotations

import pytest

from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from tests.unit.problems.asking import key, numbers
from tests.unit.sampling.plain import distinct_by_count

DISTINCT = Measure.DISTINCT
UNIQUE = [(i % 100, i // 100, 5) for i in range(4000)]
NEARLY = [(i, i % 7) if i % 50 else (i + 1, i % 7) for i in range(4000)]
"""The first column has 80 repeats among 4000 rows; both columns together have none."""
TWINS = [(i // 2, i % 3, 5) for i in range(4000)]
"""Every value of the first column occurs twice, and only the second column tells some of the twins apart."""
DUPLICATES = [(i // 4, 1, 5) for i in range(4000)]
"""Groups of four equal rows."""


def test_the_paper_finds_a_key_of_its_sample() -> None:
    answer = key(UNIQUE, DISTINCT, epsilon=0.2)
    assert (answer.met, sorted(numbers(answer.columns)), answer.sample_unit, answer.exact) == (
        True,
        [0, 1],
        "tuples",
        False,
    )
    assert answer.distinct is not None
    assert answer.distinct.lower is not None
    assert answer.distinct.lower >= 0.8
    assert answer.distinct.upper == 1.0
    assert "at least 80 %" in answer.guarantee


def test_the_certified_rule_stops_at_the_target() -> None:
    answer = key(NEARLY, DISTINCT, Rule.CERTIFIED, epsilon=0.2)
    assert (answer.met, numbers(answer.columns)) == (True, [0])
    assert distinct_by_count(NEARLY, [0]) >= 0.8
    assert answer.distinct is not None
    assert answer.distinct.lower == pytest.approx(0.8)


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_where_duplicates_are_the_loss_against_all_columns_is_promised(rule: Rule) -> None:
    answer = key(DUPLICATES, DISTINCT, rule, epsilon=0.2)
    assert (answer.met, numbers(answer.columns)) == (True, [0])
    assert answer.distinct is not None
    assert answer.distinct.lower is None or answer.distinct.lower < 0.8
    assert "as well as all columns seen" in answer.guarantee
    assert "of the rows" in answer.guarantee
    assert answer.inseparable.lower is not None
    assert 0 < answer.inseparable.lower <= 1.0


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("rows", [UNIQUE, TWINS])
def test_a_sample_that_is_too_small_promises_nothing(rows: list[tuple[int, ...]], rule: Rule) -> None:
    answer = key(rows, DISTINCT, rule, epsilon=0.1, capacity=20)
    assert not answer.met
    assert answer.guarantee.startswith("Unknown: the sample is too small to promise 90 %")
    assert "nothing is certain" in answer.guarantee
    assert answer.distinct is not None
    assert answer.distinct.lower is None


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_a_sample_that_is_nearly_large_enough_says_what_is_certain(rule: Rule) -> None:
    answer = key(UNIQUE, DISTINCT, rule, epsilon=0.001, capacity=1000)
    assert not answer.met
    assert answer.distinct is not None
    assert answer.distinct.lower is not None
    assert 0.5 < answer.distinct.lower < 0.999
    assert "is certain" in answer.guarantee


def test_a_prefix_is_chosen_by_what_it_loses_where_the_target_is_out_of_reach() -> None:
    """All columns leave every row with its twin; the second column adds next to nothing."""
    rows = [(i // 2, int(i == 0), 5) for i in range(4000)]
    answer = key(rows, DISTINCT, Rule.CERTIFIED, epsilon=0.2)
    assert (answer.met, numbers(answer.columns)) == (True, [0])
    assert "as well as all columns seen" in answer.guarantee


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_rows_that_are_all_equal(rule: Rule) -> None:
    answer = key([(1, 2)] * 4000, DISTINCT, rule, epsilon=0.2)
    assert (answer.columns, answer.exact, answer.inseparable_rows) == ([], False, 4000)
    assert answer.guarantee.startswith("All columns seen together add at most")


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_weights_change_the_key(rule: Rule) -> None:
    rows = [(i, i, 0) for i in range(4000)]
    for weights, columns in (([1, 1, 1], [0]), ([2, 1, 1], [1])):
        assert numbers(key(rows, DISTINCT, rule, epsilon=0.2, weights=weights).columns) == columns


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_contributions_from_tuples_carry_no_bound(rule: Rule) -> None:
    answer = key(UNIQUE, DISTINCT, rule, epsilon=0.2)
    for part in answer.contributions:
        assert (part.change.lower, part.change.upper, part.change.confidence) == (None, None, 0.0)
        assert part.change.estimate >= 0.0
