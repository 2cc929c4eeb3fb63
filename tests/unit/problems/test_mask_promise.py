"""Nothing is published without a promise, and nothing is hidden for the sake of rounding."""

from __future__ import annotations

import pytest

from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from tests.unit.problems.asking import mask, numbers


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_a_set_that_is_published_is_within_beta(measure: Measure, rule: Rule) -> None:
    """From ten pairs nothing is certain at β = 0.15, not even about columns that look constant in them."""
    rows = [tuple(int((7 * i + j) % 10 == 0) for j in range(8)) for i in range(1000)]
    for seed in range(40):
        answer = mask(rows, measure, rule, beta=0.15, capacity=10, seed=seed)
        assert answer.met or not answer.publish


@pytest.mark.parametrize(("groups", "beta"), [(29, 0.29), (57, 0.57), (58, 0.58), (50, 0.5)])
def test_a_column_whose_ratio_is_beta_is_published(groups: int, beta: float) -> None:
    """0.29 * 100 is 28.999999999999996 in floating point."""
    answer = mask([(i % groups,) for i in range(100)], Measure.DISTINCT, beta=beta)
    assert answer.distinct is not None
    assert (numbers(answer.publish), answer.met, answer.distinct.estimate) == ([0], True, groups / 100)


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_two_rows_of_which_one_is_sampled_publish_nothing(measure: Measure, rule: Rule) -> None:
    """A and B may even hold the same row, which makes no pair."""
    for seed in range(20):
        answer = mask([(0, 1), (1, 1)], measure, rule, beta=0.4, capacity=1, seed=seed)
        assert answer.met or not answer.publish
