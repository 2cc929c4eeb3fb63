"""Counted groups: exact while all are held, bounded on both sides beyond that."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from streamqid.measures.bounds import Side, drawn_mean_bound, groups_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.group_counts import GroupCounts
from streamqid.sampling.groups import GroupSampler
from streamqid.sampling.priority import mix64


def sampler_of(sizes: list[int], capacity: int, seed: int = 1) -> GroupSampler:
    sampler = GroupSampler(capacity)
    sampler.update(np.repeat(mix64(seed, np.arange(len(sizes))), sizes))
    return sampler


def test_everything_is_exact_while_all_groups_are_held() -> None:
    counts = GroupCounts.of(sampler_of([1, 1, 2, 3, 5], capacity=5))
    assert counts.exact
    assert counts.distinct(0.01) == Estimate.exact(5 / 12)
    assert counts.unique(0.01) == Estimate.exact(2 / 12)
    assert counts.small(5, 0.01) == Estimate.exact(7 / 12)
    assert counts.small(1, 0.01) == Estimate.exact(0.0)
    assert counts.smallest() == 1


def test_no_rows_have_no_groups() -> None:
    counts = GroupCounts.of(GroupSampler(4))
    assert counts.distinct(0.01) == Estimate.exact(1.0)
    assert counts.small(5, 0.01) == Estimate.exact(0.0)
    assert counts.smallest() == 0


def test_a_sample_of_groups_has_both_sides() -> None:
    sizes = [1] * 3000 + [2] * 2000 + [7] * 1000
    counts = GroupCounts.of(sampler_of(sizes, capacity=2000))
    n = sum(sizes)
    assert not counts.exact
    for found, true in (
        (counts.distinct(0.01), 6000 / n),
        (counts.unique(0.01), 3000 / n),
        (counts.small(5, 0.01), 7000 / n),
        (counts.small(1, 0.01), 0.0),
    ):
        assert found.lower is not None
        assert found.upper is not None
        assert found.lower <= true <= found.upper
        assert found.lower <= found.estimate <= found.upper
        assert found.upper - found.lower < 0.5 * true + 1e-12
        assert found.confidence == 0.99


@pytest.mark.parametrize("size", [1, 4])
@pytest.mark.parametrize("groups", [11, 12, 400])
def test_an_interval_is_one_of_shares_and_holds_its_estimate(size: int, groups: int) -> None:
    """Whatever the threshold is by chance: too high and too low ones are among so many, and bounds that are wrong."""
    for seed in range(300):
        counts = GroupCounts.of(sampler_of([size] * groups, capacity=10, seed=seed))
        for found in (counts.distinct(0.2), counts.unique(0.2), counts.small(5, 0.2)):
            assert found.lower is not None
            assert found.upper is not None
            assert 0.0 <= found.lower <= found.estimate <= found.upper <= 1.0


@pytest.mark.parametrize("delta", [0.2, 0.01, 1e-6])
@pytest.mark.parametrize("held", [1, 10, 1000])
@pytest.mark.parametrize("surplus", [1, 7, 5000])
def test_the_number_of_groups_is_missed_with_probability_delta_on_each_side(
    held: int, surplus: int, delta: float
) -> None:
    """The threshold is the (held + 1)-th of N uniform numbers: a beta variable, so the border is known exactly."""
    n = held + surplus
    border = stats.beta(held + 1, n - held)
    high, low = float(border.isf(delta)), float(border.ppf(delta))

    def bound(threshold: float, side: Side) -> int:
        return groups_bound(held, threshold, math.log(delta), side, 10 * n)

    assert bound(high * (1 - 1e-6), "upper") >= n > bound(min(high * (1 + 1e-6), 1.0), "upper") or n == held + 1
    assert bound(low * (1 + 1e-6), "lower") <= n < bound(low * (1 - 1e-6), "lower")


def test_no_more_groups_than_rows() -> None:
    assert groups_bound(5, 1e-9, math.log(0.01), "upper", 40) == 40


def test_the_bound_on_a_mean_is_near_that_of_a_share_where_numbers_are_zero_or_one() -> None:
    for hits in (0, 3, 10):
        upper = drawn_mean_bound(hits / 10, 10, math.log(0.05), "upper")
        exact = stats.binomtest(hits, 10, alternative="less").proportion_ci(0.95, "exact").high
        assert exact - 1e-9 <= upper <= exact + 0.1
        assert drawn_mean_bound(1 - hits / 10, 10, math.log(0.05), "lower") == pytest.approx(1 - upper)
    assert drawn_mean_bound(0.3, 0, math.log(0.05), "upper") == 1.0
