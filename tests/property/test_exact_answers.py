"""Answers over a whole table equal brute force, with duplicates, ties, constant columns and missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from streamqid.problems.check import check
from streamqid.sampling.fingerprint import MissingRule
from tests.unit.problems.asking import key, mask, numbers
from tests.unit.sampling.plain import (
    distinct_by_count,
    evidence_of,
    names,
    project,
    separation_by_pairs,
    unique_by_count,
)

if TYPE_CHECKING:
    from collections.abc import Hashable

Rows = list[tuple[int | None, ...]]
ROWS: st.SearchStrategy[Rows] = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * m), min_size=2, max_size=16)
)
RULES = st.sampled_from(GENERAL_RULES)
MISSING = st.sampled_from(list(MissingRule))


def seen_as(rows: Rows, missing: MissingRule) -> list[tuple[Hashable, ...]]:
    """Return the rows as the missing rule compares them."""
    if missing is not MissingRule.DISTINCT:
        return list(rows)
    return [tuple((i, j) if v is None else v for j, v in enumerate(row)) for i, row in enumerate(rows)]


@given(ROWS, st.sampled_from(list(Rule)), MISSING, st.sampled_from([0.01, 0.1, 0.4]))
def test_a_key_by_separation(rows: Rows, rule: Rule, missing: MissingRule, epsilon: float) -> None:
    answer = key(rows, rule=rule, missing=missing, epsilon=epsilon, capacity=100)
    seen, chosen = seen_as(rows, missing), numbers(answer.columns)
    best, ratio = separation_by_pairs(seen, range(len(rows[0]))), separation_by_pairs(seen, chosen)
    assert answer.exact
    assert answer.met
    assert answer.separation is not None
    assert answer.separation.estimate == pytest.approx(ratio)
    if rule is not Rule.CERTIFIED:
        assert ratio == pytest.approx(best)
    else:
        assert ratio >= min(1 - epsilon, best - epsilon) - 1e-9
    assert answer.inseparable.estimate == pytest.approx(1 - unique_by_count(seen, range(len(rows[0]))))
    assert answer.inseparable_rows == round(len(rows) * answer.inseparable.estimate)


@given(ROWS, RULES, MISSING, st.sampled_from([0.01, 0.1, 0.4]))
def test_a_key_by_distinct_ratio(rows: Rows, rule: Rule, missing: MissingRule, epsilon: float) -> None:
    answer = key(rows, Measure.DISTINCT, rule, missing=missing, epsilon=epsilon, capacity=100)
    seen, chosen = seen_as(rows, missing), numbers(answer.columns)
    best, ratio = distinct_by_count(seen, range(len(rows[0]))), distinct_by_count(seen, chosen)
    assert answer.distinct is not None
    assert answer.distinct.estimate == pytest.approx(ratio)
    if rule is Rule.PAPER:
        assert ratio == pytest.approx(best)
    else:
        assert ratio >= min(1 - epsilon, best - epsilon) - 1e-9


@given(ROWS, RULES, st.sampled_from([0.05, 0.3, 0.55, 0.9]))
def test_a_beta_separation_set_is_the_shortest_prefix_of_the_key(rows: Rows, rule: Rule, beta: float) -> None:
    whole = numbers(key(rows, capacity=100).columns)
    answer = key(rows, rule=rule, beta=beta, capacity=100)
    chosen = numbers(answer.columns)
    assert chosen == whole[: len(chosen)]
    reached = separation_by_pairs(rows, chosen)
    assert answer.met == (reached >= 0.9 * beta)
    if chosen:
        assert separation_by_pairs(rows, chosen[:-1]) < min(beta, separation_by_pairs(rows, whole))


@given(ROWS, st.sampled_from(list(Measure)), RULES, MISSING, st.floats(0.1, 1.0))
def test_a_mask_is_within_beta_and_maximal(
    rows: Rows, measure: Measure, rule: Rule, missing: MissingRule, beta: float
) -> None:
    answer = mask(rows, measure, rule, beta=beta, missing=missing)
    oracle = separation_by_pairs if measure is Measure.SEPARATION else distinct_by_count
    seen, published = seen_as(rows, missing), numbers(answer.publish)
    ratio = answer.separation if measure is Measure.SEPARATION else answer.distinct
    assert ratio is not None
    assert ratio.estimate == pytest.approx(oracle(seen, published))
    assert answer.met == (ratio.estimate <= beta)
    assert answer.met or not published
    assert sorted(published + numbers(answer.hide)) == list(range(len(rows[0])))
    for j in numbers(answer.hide):
        assert oracle(seen, [*published, j]) > beta - 1e-9


@given(ROWS, MISSING, st.data())
def test_a_check_measures_what_counting_measures(rows: Rows, missing: MissingRule, data: st.DataObject) -> None:
    m = len(rows[0])
    columns = data.draw(st.lists(st.integers(0, m - 1), unique=True, min_size=1))
    answer = check(evidence_of(rows, 0, 100, missing), [names(m)[j] for j in columns], 0.05)
    seen = seen_as(rows, missing)
    sizes = sorted(project(seen, columns).count(row) for row in set(project(seen, columns)))
    assert answer.separation.estimate == pytest.approx(separation_by_pairs(seen, columns))
    assert answer.distinct.estimate == pytest.approx(distinct_by_count(seen, columns))
    assert answer.unique_rows.estimate == pytest.approx(unique_by_count(seen, columns))
    assert answer.group_sizes is not None
    assert (answer.group_sizes.groups, answer.group_sizes.smallest) == (len(sizes), sizes[0])
    assert (answer.group_sizes.largest, answer.group_sizes.rows_below_5) == (
        sizes[-1],
        sum(size for size in sizes if size < 5),
    )
