"""The measures of a given column set."""

from __future__ import annotations

import pytest

from streamqid.measures.partition import table_of
from streamqid.problems.check import Checker, check, exact_check
from streamqid.sampling.fingerprint import MissingRule
from tests.unit.sampling.plain import (
    PEOPLE,
    distinct_by_count,
    evidence_of,
    fingerprints,
    names,
    separation_by_pairs,
    unique_by_count,
)

ROWS = [(i % 7, i // 3, 5) for i in range(600)]


def test_exact_measures_of_the_papers_table_1() -> None:
    answer = check(evidence_of(PEOPLE), ["c0001", "c0002"], 0.05)
    assert (answer.exact, answer.delta, answer.rows, answer.sample, answer.sample_unit) == (True, 0.0, 5, 5, "rows")
    assert answer.separation.estimate == pytest.approx(0.9)
    assert answer.distinct.estimate == pytest.approx(0.8)
    assert answer.unique_rows.estimate == pytest.approx(0.6)
    assert answer.group_sizes is not None
    assert answer.group_sizes.model_dump() == {
        "groups": 4,
        "smallest": 1,
        "median": 1.0,
        "largest": 2,
        "rows_below_5": 5,
    }
    assert "90 %" in answer.guarantee
    assert "exact" in answer.guarantee


def test_group_sizes_count_rows_in_groups_below_five() -> None:
    rows = [(0,)] * 4 + [(1,)] * 5 + [(2,)]
    sizes = check(evidence_of(rows), names(1), 0.05).group_sizes
    assert sizes is not None
    assert (sizes.groups, sizes.smallest, sizes.median, sizes.largest, sizes.rows_below_5) == (3, 1, 4.0, 5, 5)


def test_an_exact_check_from_a_partition() -> None:
    answer = exact_check(["x"], table_of(("x",), fingerprints([(1,), (1,), (2,)])).partition([0]), [])
    assert (answer.rows, answer.contributions) == (3, [])
    assert answer.separation.estimate == pytest.approx(2 / 3)


@pytest.mark.parametrize("columns", [[0], [1], [2], [0, 1], [2, 1, 0]])
def test_estimates_from_a_sample_hold_the_truth(columns: list[int]) -> None:
    """The fixed seed is one of the many for which all intervals hold; tests/statistical counts the others."""
    chosen = [names(3)[j] for j in columns]
    answer = check(evidence_of(ROWS, 1, 200), chosen, 0.05)
    assert (answer.exact, answer.columns, answer.group_sizes, answer.rows) == (False, chosen, None, 600)
    assert answer.sample_unit == "pairs"
    assert 180 < answer.sample <= 200
    for estimate, oracle in (
        (answer.separation, separation_by_pairs),
        (answer.distinct, distinct_by_count),
        (answer.unique_rows, unique_by_count),
    ):
        true = oracle(ROWS, columns)
        assert estimate.confidence == 0.95
        assert estimate.lower is None or estimate.lower <= true
        assert estimate.upper is not None
        assert estimate.upper >= true
    assert answer.unique_rows.lower is None
    assert "confidence 95 %" in answer.guarantee


def test_contributions_of_a_given_set_are_estimated_from_the_same_pairs() -> None:
    answer = check(evidence_of(ROWS, 2, 300), [names(3)[0]], 0.05)
    gains = {part.column: part for part in answer.contributions}
    assert [gains[name].member for name in names(3)] == [True, False, False]
    assert gains["c0000"].change.estimate == answer.separation.estimate
    assert gains["c0002"].change.estimate == 0.0
    true = separation_by_pairs(ROWS, [0, 1]) - separation_by_pairs(ROWS, [0])
    change = gains["c0001"].change
    assert change.lower is not None
    assert change.upper is not None
    assert change.lower <= true <= change.upper


@pytest.mark.parametrize("capacity", [50, 1000])
def test_the_missing_rule_decides_whether_missing_rows_are_unique(capacity: int) -> None:
    rows: list[tuple[int | None, ...]] = [(None,)] * 100
    equal = check(evidence_of(rows, 0, capacity, MissingRule.EQUAL), names(1), 0.05)
    differ = check(evidence_of(rows, 0, capacity, MissingRule.DISTINCT), names(1), 0.05)
    assert (equal.separation.estimate, equal.unique_rows.estimate) == (0.0, 0.0)
    assert (differ.separation.estimate, differ.unique_rows.estimate) == (1.0, 1.0)


def test_the_only_row_is_unique() -> None:
    answer = check(evidence_of([(1, 2)]), names(2), 0.05)
    assert (answer.separation.estimate, answer.distinct.estimate, answer.unique_rows.estimate) == (1.0, 1.0, 1.0)
    assert "nothing to tell apart" in answer.guarantee


@pytest.mark.parametrize("capacity", [1000, 200])
def test_one_checker_measures_many_sets_as_if_each_were_the_only_one(capacity: int) -> None:
    evidence = evidence_of(ROWS, capacity=capacity)
    checker = Checker(evidence)
    for columns in (names(3)[:1], names(3)[1:], names(3), []):
        assert checker.check(columns, 0.05) == check(evidence, columns, 0.05)
        assert checker.partition(columns).n == len(evidence.a)
