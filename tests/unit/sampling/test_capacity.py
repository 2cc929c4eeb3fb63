"""The size of a sample and its threshold, for every number of records up to 10^15."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from streamqid.sampling.capacity import Capacity
from streamqid.sampling.priority import WHOLE

CAPACITIES = st.builds(
    Capacity,
    st.integers(1, 10**7),
    st.just(0.0) | st.floats(1e-9, 1e6),
    st.none() | st.integers(1, 10**8),
)
NUMBERS = st.integers(0, 2000) | st.integers(0, 10**15)


@given(CAPACITIES, NUMBERS, st.just(1) | NUMBERS)
def test_the_threshold_never_rises_and_the_sample_never_shrinks(capacity: Capacity, n: int, more: int) -> None:
    assert 0 <= capacity.threshold(n + more) <= capacity.threshold(n) <= WHOLE
    assert capacity.k(n + more) >= capacity.k(n) >= 1


@pytest.mark.parametrize(
    "capacity", [Capacity(1), Capacity(50_000), Capacity(16, 7.3), Capacity(16, 0.01), Capacity(9, 40.0, 5_000)]
)
def test_the_threshold_never_rises_from_one_record_to_the_next(capacity: Capacity) -> None:
    for start in (0, 10**6, 2**40, 2**49, 10**15):
        thresholds = [capacity.threshold(n) for n in range(start, start + 3000)]
        assert thresholds == sorted(thresholds, reverse=True)


@given(CAPACITIES, st.integers(1, 2000) | st.integers(1, 10**15))
def test_the_retained_set_is_smaller_than_the_sample_with_probability_below_1e_8(capacity: Capacity, n: int) -> None:
    wanted = min(n, capacity.k(n))
    share = capacity.threshold(n) / 2**64
    assert stats.binom.cdf(wanted - 1, n, share) < 1e-8


@given(CAPACITIES, st.integers(1, 2000) | st.integers(1, 10**15))
def test_the_retained_set_is_not_much_larger_than_the_sample(capacity: Capacity, n: int) -> None:
    k = capacity.k(n)
    assert n * (capacity.threshold(n) / 2**64) <= k + 6 * math.sqrt(k) + 21 + 1e-6 * k


@given(CAPACITIES, NUMBERS)
def test_a_whole_sample_retains_everything(capacity: Capacity, n: int) -> None:
    assert capacity.is_whole(n) == (capacity.k(n) >= n)
    if capacity.is_whole(n):
        assert capacity.threshold(n) == WHOLE


def test_hand_values() -> None:
    capacity = Capacity(100, 10.0, 5_000)
    assert [capacity.k(n) for n in (0, 1, 100, 101, 10_000, 250_000, 250_001, 10**15)] == [
        100, 100, 100, 101, 1000, 5000, 5000, 5000,
    ]  # fmt: skip
    assert Capacity(10).k(10**15) == 10
    assert Capacity(100).threshold(0) == WHOLE
    assert Capacity(100).threshold(180) == WHOLE  # 100 + 6 * 10 + 20
    assert Capacity(100).threshold(360) == 1 << 63
    assert Capacity(100, ceiling=25).threshold(150) == 1 << 63  # 25 + 6 * 5 + 20
    assert Capacity(1, 4.0).threshold(10**4) == int((4 / 100 + 6 * 2 / 1000 + 21 / 10**4) * 2**64)


@pytest.mark.parametrize(
    ("floor", "root", "ceiling"),
    [(0, 0.0, None), (-1, 0.0, None), (1, -0.1, None), (1, math.inf, None), (1, math.nan, None), (1, 0.0, 0)],
)
def test_a_capacity_without_a_row_is_refused(floor: int, root: float, ceiling: int | None) -> None:
    with pytest.raises(ValueError, match="capacity"):
        Capacity(floor, root, ceiling)
