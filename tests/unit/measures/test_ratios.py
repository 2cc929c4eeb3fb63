"""Separation, distinct ratio and unique rows, and the exact coverage of their intervals."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from scipy import stats

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition, Table, table_of
from streamqid.measures.ratios import (
    distinct,
    distinct_estimate,
    separation,
    separation_estimate,
    small,
    small_estimate,
    unique,
    unique_estimate,
)
from tests.unit.measures.groups import groups_in_sample, partitions
from tests.unit.sampling.plain import (
    PEOPLE,
    distinct_by_count,
    fingerprints,
    separation_by_pairs,
    unique_by_count,
)

DELTAS = [0.5, 0.2, 0.05]


def people() -> Table:
    return table_of(("age", "sex", "state"), fingerprints(PEOPLE))


@pytest.mark.parametrize(
    ("columns", "distinct_ratio", "separation_ratio"),
    [
        ([0], 0.6, 0.8),
        ([1], 0.4, 0.6),
        ([2], 0.6, 0.7),
        ([1, 2], 0.8, 0.9),
        ([0, 1], 1.0, 1.0),
        ([0, 2], 1.0, 1.0),
        ([0, 1, 2], 1.0, 1.0),
        ([], 0.2, 0.0),
    ],
)
def test_the_papers_table_1(columns: list[int], distinct_ratio: float, separation_ratio: float) -> None:
    here = people().partition(columns)
    assert distinct(here) == pytest.approx(distinct_ratio)
    assert separation(here) == pytest.approx(separation_ratio)
    assert separation_by_pairs(PEOPLE, columns) == pytest.approx(separation_ratio)


def test_unique_rows_of_the_papers_table_1() -> None:
    assert [unique(people().partition(c)) for c in ([0], [1], [2], [1, 2])] == [0.2, 0.0, 0.4, 0.6]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=25))
def test_the_ratios_are_those_of_counting_and_grow_with_the_set(rows: list[tuple[int, int]]) -> None:
    table = table_of(("a", "b"), fingerprints(rows))
    for ratio, oracle in ((separation, separation_by_pairs), (distinct, distinct_by_count), (unique, unique_by_count)):
        values = [ratio(table.partition(columns)) for columns in ([], [0], [0, 1])]
        assert values == pytest.approx([oracle(rows, columns) for columns in ([], [0], [0, 1])])
        assert values == sorted(values)


def test_tables_without_a_pair() -> None:
    assert [separation(Partition.trivial(n)) for n in (0, 1, 2)] == [1.0, 1.0, 0.0]
    assert [distinct(Partition.trivial(n)) for n in (0, 1, 2)] == [1.0, 1.0, 0.5]
    assert [unique(Partition.trivial(n)) for n in (0, 1, 2)] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("pairs", [1, 4, 11])
def test_the_interval_of_the_separation_holds_for_independent_pairs(pairs: int, delta: float) -> None:
    intervals = [separation_estimate(np.arange(pairs) < hits, delta) for hits in range(pairs + 1)]
    assert [interval.estimate for interval in intervals] == [hits / pairs for hits in range(pairs + 1)]
    for true in np.linspace(0, 1, 201):
        likely = stats.binom.pmf(np.arange(pairs + 1), pairs, true)
        missed = [not ((i.lower or 0) <= true <= (i.upper or 0)) for i in intervals]
        assert likely[missed].sum() <= delta + 1e-9


def test_without_pairs_the_separation_is_unknown() -> None:
    empty = separation_estimate(np.empty(0, np.bool_), 0.1)
    assert (empty.lower, empty.upper, empty.confidence) == (0.0, 1.0, 0.9)


@pytest.mark.parametrize("hidden", [0, 1, 4, 20])
@pytest.mark.parametrize("n", range(2, 9))
def test_the_intervals_of_distinct_and_unique_hold_for_every_table(n: int, hidden: int) -> None:
    """All group sizes of up to eight rows, all sample sizes, all samples: the exact probability of a miss.

    Besides the rows there are ``hidden`` records that cannot be read, of which the sample shows none.
    """
    records = n + hidden
    for sizes in partitions(n):
        groups, singles = len(sizes) / n, sizes.count(1) / n
        for k in range(1, n + 1):
            for delta in (0.2, 0.05):
                distinct_missed = unique_missed = Fraction(0)
                for (groups_seen, singles_seen), likely in groups_in_sample(sizes, k).items():
                    sample = sample_partition(k, groups_seen, singles_seen)
                    of_distinct = distinct_estimate(sample, records, delta)
                    of_unique = unique_estimate(sample, delta)
                    assert of_distinct.upper is not None
                    assert of_unique.upper is not None
                    high = of_distinct.upper < groups - 1e-12
                    low = of_distinct.lower is not None and of_distinct.lower > groups + 1e-12
                    distinct_missed += likely * (high or low)
                    unique_missed += likely * (of_unique.upper < singles - 1e-12)
                assert float(distinct_missed) <= delta
                assert float(unique_missed) <= delta


def sample_partition(k: int, groups: int, singles: int) -> Partition:
    """Return a partition with these counts; the estimates depend on nothing else."""
    rows = np.arange(k - singles)
    sizes = np.zeros(groups - singles, np.int64)
    return Partition(k, rows, rows.astype(np.int32), sizes)


def test_the_estimate_of_the_distinct_ratio_is_the_samples_own() -> None:
    estimate = distinct_estimate(Partition.trivial(10).refine(np.arange(10, dtype=np.int32) // 2, 5), 1000, 0.1)
    assert (estimate.estimate, estimate.lower, estimate.confidence) == (0.5, None, 0.9)
    assert unique_estimate(Partition.trivial(10), 0.1).estimate == 0.0


def test_without_rows_everything_is_possible() -> None:
    for estimate in (distinct_estimate(Partition.trivial(0), 5, 0.1), unique_estimate(Partition.trivial(0), 0.1)):
        assert (estimate.lower, estimate.upper) == (None, 1.0)


def test_a_set_chosen_by_the_sample_pays_for_all_that_could_have_been_chosen() -> None:
    sample = sample_partition(100, 90, 80)
    one, many = unique_estimate(sample, 0.1 / 32), unique_estimate(sample, 0.1, math.log(32))
    assert one.upper == pytest.approx(many.upper)


def test_an_exact_value_is_its_own_interval_and_cannot_be_changed() -> None:
    exact = Estimate.exact(0.25)
    assert exact.model_dump() == {"estimate": 0.25, "lower": 0.25, "upper": 0.25, "confidence": 1.0}
    with pytest.raises(ValidationError):
        exact.estimate = 0.5  # type: ignore[misc]


@pytest.mark.parametrize(("k", "expected"), [(2, 0.1), (3, 0.3), (9, 1.0)])
def test_rows_in_small_groups(k: int, expected: float) -> None:
    here = table_of(("x",), np.array([1, 2, 2, 3, 3, 3, 3, 3, 3, 3], np.uint64)[:, None]).partition([0])
    assert small(here, k) == pytest.approx(expected)
    found = small_estimate(here, k, 0.05)
    assert found.lower is None
    assert found.upper is not None
    assert found.upper >= expected
    assert small_estimate(here, k, 0.5).upper <= found.upper  # type: ignore[operator]


def test_no_rows_are_in_no_small_group() -> None:
    assert small(Partition.trivial(0), 5) == 0.0
    assert small_estimate(Partition.trivial(0), 5, 0.05).upper == 1.0
