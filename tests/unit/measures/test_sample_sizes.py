"""The papers' sample sizes: values computed by hand, and the promise that each size is made for."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from streamqid.measures.bounds import (
    beta_pairs,
    certified_units,
    distinct_key_root,
    log_subsets,
    masking_threshold,
    repeats_bound,
    separation_key_pairs,
    share_bound,
)


def test_the_price_of_all_subsets() -> None:
    assert log_subsets(0, 0.01) == pytest.approx(math.log(100))
    assert log_subsets(14, 0.01) == pytest.approx(math.log(2**14 / 0.01))
    assert log_subsets(2000, 0.01) == pytest.approx(1390.8995, abs=1e-4)


@pytest.mark.parametrize(
    ("columns", "epsilon", "delta", "pairs"),
    [
        (14, 0.001, 0.01, 14_303),
        (54, 0.001, 0.01, 42_015),
        (0, 0.5, 0.25, 2),
        (1, 0.5, 0.5, 2),
        (2000, 0.01, 0.01, 138_394),
    ],
)
def test_pairs_of_the_separation_key(columns: int, epsilon: float, delta: float, pairs: int) -> None:
    """Theorem 5: the fewest pairs that bring 2^m (1-ε)^k down to δ."""
    assert separation_key_pairs(columns, epsilon, delta) == pairs
    left = columns * math.log(2) + pairs * math.log1p(-epsilon)
    assert left <= math.log(delta) + 1e-9
    assert left - math.log1p(-epsilon) > math.log(delta)


@pytest.mark.parametrize(
    ("columns", "epsilon", "delta", "root"),
    [(14, 0.1, 0.01, 16.0489), (54, 0.1, 0.01, 27.506), (0, 0.5, 1 / math.e, math.sqrt(2))],
)
def test_tuples_of_the_distinct_key(columns: int, epsilon: float, delta: float, root: float) -> None:
    assert distinct_key_root(columns, epsilon, delta) == pytest.approx(root, abs=1e-3)


def test_tuples_of_the_distinct_key_suffice_for_its_promise() -> None:
    """Theorem 7: a sample without repeats then rules out that more than εn rows repeat others."""
    for columns in (2, 14, 54):
        for epsilon in (0.05, 0.1, 0.3):
            for n in (10**4, 10**6, 10**9):
                k = min(n, math.ceil(distinct_key_root(columns, epsilon, 0.01) * math.sqrt(n)))
                bound = repeats_bound(0, k, n, -log_subsets(columns, 0.01))
                assert bound is not None
                assert bound <= epsilon


def test_pairs_of_the_beta_separation_set() -> None:
    assert beta_pairs(0, 0.8, 0.5, 1 / math.e) == 80
    assert beta_pairs(14, 0.8, 0.1, 0.01) == 28_619  # 2000 * 14.30923


def test_the_threshold_of_masking() -> None:
    """Theorems 11 and 12, by hand: 2 ln(2^m/δ) / (βk) = 0.01 takes a tenth off β."""
    k = 2 * math.log(2**14 / 0.01) / (0.8 * 0.01)
    assert masking_threshold(14, 0.8, 0.01, round(k)) == pytest.approx(0.72, abs=1e-4)
    assert masking_threshold(14, 0.8, 0.01, 10**12) == pytest.approx(0.8, abs=1e-4)
    assert masking_threshold(14, 0.8, 0.01, 35) == 0.0
    assert masking_threshold(14, 0.8, 0.01, 0) == 0.0


def test_what_stays_within_the_threshold_of_masking_is_certified_by_the_exact_bound() -> None:
    """The exact bound is never worse than the paper's Chernoff bound, so the paper's choice always meets β."""
    for columns in (1, 14, 54, 2000):
        for beta in (0.1, 0.5, 0.8, 1.0):
            for k in (100, 5000, 50_000):
                threshold = masking_threshold(columns, beta, 0.01, k)
                if threshold > 0.0:
                    upper = share_bound(math.floor(threshold * k), k, -log_subsets(columns, 0.01), "upper")
                    assert upper <= beta


@pytest.mark.parametrize("delta", [0.2, 0.05, 0.01, 1e-6])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.99])
def test_certified_units_are_the_fewest_that_pass_with_the_stated_power(delta: float, power: float) -> None:
    units = certified_units(delta, power=power)
    passing = [r for r in range(400) if stats.poisson.cdf(r, units) <= delta * (1 + 1e-9)]
    assert stats.poisson.cdf(max(passing), units / 4.0) >= power
    fewer = units * 0.999
    passing = [r for r in range(400) if stats.poisson.cdf(r, fewer) <= delta]
    assert not passing or stats.poisson.cdf(max(passing), fewer / 4.0) < power


def test_certified_pairs_let_a_set_pass_that_is_four_times_better_than_asked() -> None:
    delta, epsilon = 0.01, 0.01
    k = math.ceil(certified_units(delta) / epsilon)
    passing = [u for u in range(60) if share_bound(u, k, math.log(delta), "upper") <= epsilon]
    assert stats.binom.cdf(max(passing), k, epsilon / 4) > 0.78


def test_certified_tuples_use_the_chernoff_bound() -> None:
    """For u units and r failures: u - r + r ln(r/u) reaches -ln δ, so more units than the exact tail needs."""
    for delta in (0.2, 0.05, 0.01):
        units = certified_units(delta, tuples=True)
        assert units > certified_units(delta)
        exponents = [units - r + (r * math.log(r / units) if r else 0.0) for r in range(math.floor(units) + 1)]
        passing = [r for r, exponent in enumerate(exponents) if exponent >= -math.log(delta) - 1e-9]
        assert stats.poisson.cdf(max(passing), units / 4.0) >= 0.8
        n, epsilon = 10**6, 0.01
        k = math.ceil(math.sqrt(units / epsilon * n))
        bound = repeats_bound(max(passing), k, n, math.log(delta))
        assert bound is not None
        assert bound <= 1.05 * epsilon
