"""Minimum keys of the paper's real tables (its Table 4), δ = 0.01."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

import pytest

from streamqid import tables
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.sizes import key_capacity
from tests.acceptance.sampling import evidence_of_seed

if TYPE_CHECKING:
    from streamqid.problems.answer import KeyAnswer
    from tests.acceptance.conftest import RealTable

ADULT_WHOLE = [
    "age",
    "occupation",
    "hours-per-week",
    "education",
    "relationship",
    "workclass",
    "race",
    "income",
    "sex",
    "capital-gain",
    "native-country",
    "marital-status",
    "capital-loss",
]
COVTYPE_WHOLE = [
    "Horizontal_Distance_To_Roadways",
    "Horizontal_Distance_To_Fire_Points",
    "Elevation",
    "Aspect",
    "Horizontal_Distance_To_Hydrology",
]


def adult_keys(adult: RealTable, seeds: int, rule: str, measure: str, epsilon: float) -> list[KeyAnswer]:
    return [
        tables.keys(adult.path, ignore=["fnlwgt"], seed=seed, rule=rule, measure=measure, epsilon=epsilon)
        for seed in range(seeds)
    ]


def test_adult_by_separation_has_five_columns_and_the_certified_rule_needs_fewer(adult: RealTable) -> None:
    """20 seeds, ε = 0.001.  The paper: 5 columns, separation 0.99995."""
    paper, certified = (adult_keys(adult, 20, rule, "separation", 0.001) for rule in ("paper", "certified"))
    sizes = [len(answer.columns) for answer in paper]
    assert (median(sizes), max(sizes) <= 7) == (5, True)
    assert median(len(answer.columns) for answer in certified) < median(sizes)
    for answer in (*paper, *certified):
        assert answer.met
        assert not answer.exact
        assert adult.separation(answer.columns) >= 0.999


def test_adult_by_distinct_ratio_has_thirteen_columns(adult: RealTable) -> None:
    """ε = 0.1.  Adult holds duplicates: 0.8936 is the most that any set reaches, and the key loses little of it."""
    answers = adult_keys(adult, 20, "paper", "distinct", 0.1)
    for answer in answers:
        assert answer.met
        assert not answer.exact
        assert len(answer.columns) == 13
        assert adult.distinct(adult.columns) - adult.distinct(answer.columns) <= 0.1
        assert answer.sample == 3170  # a little more than the 2896 of Theorem 7, which knows no duplicates


def test_adult_whole_table_greedy(adult: RealTable) -> None:
    answer = tables.keys(adult.path, ignore=["fnlwgt"], measure="distinct", epsilon=0.0001)
    assert (answer.exact, answer.columns) == (True, ADULT_WHOLE)
    assert answer.distinct is not None
    assert answer.distinct.estimate == pytest.approx(0.893584, abs=1e-6)
    assert answer.distinct.estimate == adult.distinct(ADULT_WHOLE)
    assert answer.inseparable_rows == sum(size for size in adult.sizes(adult.columns) if size > 1)


@pytest.mark.slow
def test_covtype_whole_table_greedy(covtype: RealTable) -> None:
    answer = tables.keys(covtype.path, measure="distinct", epsilon=1e-5, memory=8 << 30)
    assert (answer.exact, answer.columns, answer.rows) == (True, COVTYPE_WHOLE, 581_012)
    assert answer.distinct is not None
    assert answer.distinct.estimate == covtype.distinct(COVTYPE_WHOLE) == 1.0


@pytest.mark.parametrize(("rule", "sizes"), [("paper", {2}), ("certified", {1, 2})])
def test_covtype_by_separation_has_two_columns_or_fewer(covtype: RealTable, rule: str, sizes: set[int]) -> None:
    """20 seeds, ε = 0.001.  The paper: 2 columns, separation 0.999996; one column alone reaches 0.9992."""
    answers = [tables.keys(covtype.path, rule=rule, seed=0, epsilon=0.001)]
    question = KeyQuestion(Measure.SEPARATION, 0.001, 0.01, Rule(rule), [1.0] * 54)
    capacity = key_capacity(54, question)
    answers += [minimum_key(evidence_of_seed(covtype, seed, capacity), question) for seed in range(1, 20)]
    for answer in answers:
        assert answer.met
        assert not answer.exact
        assert len(answer.columns) in sizes
        assert covtype.separation(answer.columns) >= 0.999


def test_covtype_by_distinct_ratio_has_three_columns(covtype: RealTable) -> None:
    """ε = 0.1.  The paper: 3 columns, distinct ratio 0.9997."""
    answers = [tables.keys(covtype.path, measure="distinct", seed=0, epsilon=0.1)]
    question = KeyQuestion(Measure.DISTINCT, 0.1, 0.01, Rule.PAPER, [1.0] * 54)
    capacity = key_capacity(54, question)
    answers += [minimum_key(evidence_of_seed(covtype, seed, capacity), question) for seed in range(1, 6)]
    for answer in answers:
        assert answer.met
        assert len(answer.columns) == 3
        assert covtype.distinct(answer.columns) >= 0.9
