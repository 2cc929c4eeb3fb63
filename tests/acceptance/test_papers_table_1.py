"""The paper's hand-checked Table 1 through the public functions."""

from __future__ import annotations

import pytest

from streamqid import tables

PEOPLE = [
    {"age": 20, "sex": "F", "state": "CA"},
    {"age": 30, "sex": "F", "state": "CA"},
    {"age": 40, "sex": "F", "state": "TX"},
    {"age": 20, "sex": "M", "state": "NY"},
    {"age": 40, "sex": "M", "state": "CA"},
]


@pytest.mark.parametrize(
    ("columns", "distinct", "separation"),
    [
        (["age"], 0.6, 0.8),
        (["sex"], 0.4, 0.6),
        (["state"], 0.6, 0.7),
        (["sex", "state"], 0.8, 0.9),
        (["age", "sex"], 1.0, 1.0),
        (["age", "state"], 1.0, 1.0),
    ],
)
def test_ratios(columns: list[str], distinct: float, separation: float) -> None:
    answer = tables.check(PEOPLE, columns)
    assert answer.exact
    assert answer.distinct.estimate == pytest.approx(distinct)
    assert answer.separation.estimate == pytest.approx(separation)


@pytest.mark.parametrize("measure", ["separation", "distinct"])
@pytest.mark.parametrize("rule", ["paper", "certified"])
def test_minimum_keys(measure: str, rule: str) -> None:
    answer = tables.keys(PEOPLE, measure=measure, rule=rule, epsilon=0.01)
    assert set(answer.columns) in ({"age", "sex"}, {"age", "state"})
    assert answer.met


@pytest.mark.parametrize(
    ("measure", "beta", "publish"),
    [("distinct", 0.8, {"sex", "state"}), ("separation", 0.9, {"sex", "state"}), ("separation", 0.8, {"sex"})],
)
def test_masking_by_the_definition(measure: str, beta: float, publish: set[str]) -> None:
    """The published set is within β, and no column can be added."""
    answer = tables.mask(PEOPLE, measure=measure, beta=beta)
    assert set(answer.publish) == publish
    for column in answer.hide:
        more = tables.check(PEOPLE, [*answer.publish, column])
        assert (more.distinct if measure == "distinct" else more.separation).estimate > beta
