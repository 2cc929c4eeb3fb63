"""The bound on a share fails with probability at most δ: exact sums, no simulation."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from streamqid.measures.bounds import LOG_TINY, Side, drawn_share_bound, share_bound

if TYPE_CHECKING:
    from numpy.typing import NDArray

DELTAS = [0.5, 0.2, 0.05, 0.01, 1e-6]
TRIALS = [1, 2, 3, 5, 8, 13]


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("trials", TRIALS)
def test_independent_draws_break_the_bound_with_probability_at_most_delta(trials: int, delta: float) -> None:
    """At a grid of true shares, and just beside each bound, where the failures are the most likely ones."""
    hits = np.arange(trials + 1)
    uppers = np.array([share_bound(int(h), trials, math.log(delta), "upper") for h in hits])
    lowers = np.array([share_bound(int(h), trials, math.log(delta), "lower") for h in hits])
    grid = np.concatenate([np.linspace(0, 1, 101), uppers + 1e-9, lowers - 1e-9])
    for true in grid[(grid >= 0) & (grid <= 1)]:
        likely = stats.binom.pmf(hits, trials, true)
        assert likely[uppers < true].sum() <= delta + 1e-7
        assert likely[lowers > true].sum() <= delta + 1e-7


@pytest.mark.parametrize("delta", DELTAS)
@pytest.mark.parametrize("trials", TRIALS)
def test_the_bound_for_independent_draws_is_the_one_of_clopper_and_pearson(trials: int, delta: float) -> None:
    for hits in range(trials + 1):
        exact = stats.binomtest(hits, trials, alternative="less").proportion_ci(1 - delta, "exact")
        assert share_bound(hits, trials, math.log(delta), "upper") == pytest.approx(exact.high, rel=1e-6)
        exact = stats.binomtest(hits, trials, alternative="greater").proportion_ci(1 - delta, "exact")
        assert share_bound(hits, trials, math.log(delta), "lower") == pytest.approx(exact.low, abs=1e-6)


@pytest.mark.parametrize("population", [1, 2, 3, 7, 12])
def test_draws_without_replacement_break_the_bound_with_probability_at_most_delta(population: int) -> None:
    """All populations, all numbers of marked elements, all sample sizes, in fractions; and no bound is tighter."""
    for trials in range(population + 1):
        for delta in DELTAS:
            bound = {
                (h, side): share_bound(h, trials, math.log(delta), side, population)
                for h in range(trials + 1)
                for side in ("lower", "upper")
            }
            for marked in range(population + 1):
                low = high = Fraction(0)
                for h in range(max(0, trials - population + marked), min(trials, marked) + 1):
                    ways = comb(marked, h) * comb(population - marked, trials - h)
                    likely = Fraction(ways, comb(population, trials))
                    high += likely * (bound[h, "upper"] < marked / population - 1e-12)
                    low += likely * (bound[h, "lower"] > marked / population + 1e-12)
                assert high <= delta
                assert low <= delta


@given(st.integers(1, 40), st.data())
def test_the_bound_without_replacement_is_the_smallest_that_is_not_ruled_out(
    population: int, data: st.DataObject
) -> None:
    trials = data.draw(st.integers(1, population))
    hits = data.draw(st.integers(0, trials))
    delta = data.draw(st.sampled_from(DELTAS))
    marked = round(share_bound(hits, trials, math.log(delta), "upper", population) * population)
    possible = population - (trials - hits)
    assert hits <= marked <= possible
    assert stats.hypergeom.cdf(hits, population, marked, trials) > delta
    if marked < possible and hits < trials:
        assert stats.hypergeom.cdf(hits, population, marked + 1, trials) <= delta


def failure_without_replacement(uppers: NDArray[np.float64], trials: int, population: int) -> float:
    """Return the probability that the bound is below the share, for the number of marked elements that is worst."""
    hits = np.arange(trials + 1)
    return max(
        float(stats.hypergeom.pmf(hits, population, marked, trials)[uppers < marked / population - 1e-12].sum())
        for marked in range(population + 1)
    )


@pytest.mark.parametrize("population", [*range(1, 16), 25, 40])
def test_the_bound_on_drawn_elements_holds_whatever_the_size_of_the_population(population: int) -> None:
    for trials in range(1, population + 1):
        for delta in (0.5, 0.25, 0.05, 1e-3, 1e-6):
            uppers = np.array([drawn_share_bound(h, trials, math.log(delta)) for h in range(trials + 1)])
            assert failure_without_replacement(uppers, trials, population) <= delta
    assert drawn_share_bound(0, 0, math.log(0.1)) == 1.0


def test_a_guessed_size_of_the_population_breaks_the_bound() -> None:
    """Control: 60 rows, 20 of them marked, among 300 records; 50 rows are drawn and none of the others is seen.

    With the number of rows guessed too small (as the readable share of a sample may suggest), the bound fails.
    """
    trials, delta = 50, 0.05
    guessed = np.array([share_bound(h, trials, math.log(delta), "upper", 52) for h in range(trials + 1)])
    free = np.array([drawn_share_bound(h, trials, math.log(delta)) for h in range(trials + 1)])
    assert failure_without_replacement(guessed, trials, 300) > 2 * delta
    assert failure_without_replacement(free, trials, 300) <= delta


@pytest.mark.parametrize("population", [*range(1, 13), 20, 30])
def test_the_bound_for_independent_draws_nearly_holds_without_replacement_too(population: int) -> None:
    """By Uhlmann (1966) a hit or more below the mean; between, where one element of all lacks the property, t/N
    may exceed 1 - (1 - 1/N)^t = δ.  So the probability of failure is at most -ln(1 - δ) and not quite δ.
    """
    for trials in range(1, population + 1):
        hits = np.arange(trials + 1)
        for delta in (0.25, 0.1, 0.05, 0.01):
            uppers = np.array([share_bound(int(h), trials, math.log(delta), "upper") for h in hits])
            for marked in range(population + 1):
                likely = stats.hypergeom.pmf(hits, population, marked, trials)
                assert likely[uppers < marked / population - 1e-12].sum() <= -math.log1p(-delta) + 1e-9


def test_a_sample_that_is_the_whole_population_is_exact() -> None:
    for hits in range(11):
        assert share_bound(hits, 10, math.log(0.01), "upper", 10) == hits / 10
        assert share_bound(hits, 10, math.log(0.01), "lower", 10) == pytest.approx(hits / 10)


def test_sampling_without_replacement_is_never_worse_than_independent_draws() -> None:
    for hits in range(0, 31, 3):
        free = share_bound(hits, 30, math.log(0.05), "upper")
        for population in (31, 40, 100, 1000):
            assert share_bound(hits, 30, math.log(0.05), "upper", population) <= free + 1e-9


@pytest.mark.parametrize("side", ["upper", "lower"])
def test_no_draw_says_nothing(side: Side) -> None:
    nothing = 1.0 if side == "upper" else 0.0
    for population in (None, 10):
        for log_delta in (math.log(0.05), -1000.0):
            assert share_bound(0, 0, log_delta, side, population) == nothing


def test_no_hit_gives_the_closed_form_also_beyond_the_range_of_floats() -> None:
    """1 - δ^(1/k): Lemma 3 of Motwani and Xu."""
    for log_delta in (-1.0, -50.0, LOG_TINY + 1, LOG_TINY, LOG_TINY - 1, -1400.0, -1e6):
        for trials in (10, 14_303, 10**6):
            expected = -math.expm1(log_delta / trials)
            assert share_bound(0, trials, log_delta, "upper") == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 500), st.integers(1, 500), st.floats(-2000, math.log(0.5)))
def test_a_smaller_delta_and_more_hits_widen_the_bound_across_the_limit_of_floats(
    hits: int, misses: int, log_delta: float
) -> None:
    trials = hits + misses
    here = share_bound(hits, trials, log_delta, "upper")
    assert hits / trials <= here <= 1.0
    assert share_bound(hits, trials, log_delta - 100.0, "upper") >= here - 1e-9
    assert share_bound(hits + 1, trials, log_delta, "upper") >= here - 1e-9
    assert share_bound(misses, trials, log_delta, "lower") == pytest.approx(1.0 - here)


def test_beyond_the_range_of_floats_the_bound_is_that_of_chernoff_and_hoeffding() -> None:
    hits, trials, log_delta = 300, 5000, -1390.0
    upper = share_bound(hits, trials, log_delta, "upper")
    share = hits / trials
    rate = share * math.log(share / upper) + (1 - share) * math.log((1 - share) / (1 - upper))
    assert rate == pytest.approx(-log_delta / trials, rel=1e-9)
    assert share_bound(hits, trials, log_delta, "upper", 10**6) == upper
    assert stats.binom.logcdf(hits, trials, upper) <= log_delta
