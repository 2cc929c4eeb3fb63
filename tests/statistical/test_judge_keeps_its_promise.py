"""Published sets judged over the life of a stream: how often a verdict is wrong, and how soon a step is found.

The windows of 1,000 streams are drawn from the exact distribution of what the samplers hold (independent pairs, or the
groups with the lowest hashes) and go through the judge and the hysteresis.  A judge that keeps its promise fails
a test of these with probability at most 1e-6 over the choice of the seeds; each says why.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from streamqid.engine.documents import VerdictState
from streamqid.engine.judge import find, judge, judged_by, level
from streamqid.engine.measuring import Measuring
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.engine.settling import settled
from streamqid.measures.estimate import Estimate
from streamqid.measures.ratios import separation_estimate
from streamqid.sampling.groups import GroupSampler
from streamqid.sampling.priority import mix64
from streamqid.sampling.secret import Secret
from tests.statistical.promises import FALSE_ALARM, allowed
from tests.unit.engine.windows import even, window

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from streamqid.engine.documents import Verdict
    from streamqid.engine.judge import Window

    Judge = Callable[[PublishedSet, int, Callable[[Limit, float], Estimate]], Verdict]

STREAMS, WINDOWS, PAIRS, DELTA, LIMIT, STEP = 1000, 40, 400, 0.05, 0.5, 0.75
RULE = PaneRule(1.0, "seconds")
BY_PAIRS = PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, LIMIT),), DELTA)


def real(published: PublishedSet, number: int, measure: Callable[[Limit, float], Estimate]) -> Verdict:
    return judged_by(published, RULE.span(number, number), 1, number, measure)


def without_interval(published: PublishedSet, number: int, measure: Callable[[Limit, float], Estimate]) -> Verdict:
    """A judge that takes the estimate for the truth."""
    return real(published, number, lambda limit, delta: Estimate.exact(measure(limit, delta).estimate))


def without_correction(published: PublishedSet, number: int, measure: Callable[[Limit, float], Estimate]) -> Verdict:
    """A judge that spends the whole δ on each window."""
    return real(published, number, lambda limit, _: measure(limit, published.delta))


@lru_cache(maxsize=100_000)
def by_hits(hits: int, delta: float) -> Estimate:
    return separation_estimate(np.arange(PAIRS) < hits, delta)


def series_of_pairs(seed: int, ratios: Sequence[float], by: Judge = real) -> list[VerdictState]:
    """The states of one stream whose separation takes these values in its windows."""
    hits = np.random.default_rng(seed).binomial(PAIRS, ratios).tolist()
    return [judged(by, h, j) for j, h in enumerate(hits, 1)]


@lru_cache(maxsize=100_000)
def judged(by: Judge, hits: int, number: int) -> VerdictState:
    """Judge so many separated pairs; a verdict depends on nothing else, and thousands of streams share it."""
    return by(BY_PAIRS, number, lambda _, delta: by_hits(hits, delta)).state


def settled_states(states: Sequence[VerdictState], windows: int = 2) -> Iterator[VerdictState]:
    now = VerdictState.UNKNOWN
    for j in range(1, len(states) + 1):
        now = settled(now, states[:j], windows)
        yield now


def ever_unsafe(ratio: float, by: Judge = real) -> int:
    """Of 1,000 stationary streams, those that were ever unsafe."""
    return sum(
        VerdictState.UNSAFE in settled_states(series_of_pairs(seed, [ratio] * WINDOWS, by)) for seed in range(STREAMS)
    )


def first_hits_beyond(number: int) -> int:
    """The fewest separated pairs with which the number-th window is unsafe."""
    low, high = 0, PAIRS
    while low < high:
        middle = (low + high) // 2
        beyond = find(BY_PAIRS.limits[0], by_hits(middle, level(DELTA, number))).state is VerdictState.UNSAFE
        low, high = (low, middle) if beyond else (middle + 1, high)
    return low


def test_stationary_streams_below_the_limit_stay_out_of_unsafe() -> None:
    """At 0.9 of the limit.  The exact probability for one stream, by a union bound, is so small that δ is kept."""
    probability = sum(stats.binom.sf(first_hits_beyond(j) - 1, PAIRS, 0.9 * LIMIT) for j in range(1, WINDOWS + 1))
    assert stats.binom.sf(DELTA * STREAMS, STREAMS, probability) <= FALSE_ALARM
    assert ever_unsafe(0.9 * LIMIT) <= DELTA * STREAMS


def test_at_the_limit_itself_no_more_than_delta_turn_unsafe() -> None:
    """The worst case of the promise: fails with probability at most 1e-6 where at most δ of the streams err."""
    assert ever_unsafe(LIMIT) <= allowed(STREAMS, DELTA)


def test_a_judge_that_ignores_the_interval_fails() -> None:
    assert ever_unsafe(0.9 * LIMIT, without_interval) > DELTA * STREAMS


def test_a_judge_that_does_not_pay_for_repeated_tests_fails() -> None:
    assert ever_unsafe(LIMIT, without_correction) > allowed(STREAMS, DELTA)


@pytest.mark.parametrize(("always", "kept"), [(True, True), (False, False)])
def test_windows_that_the_sample_says_nothing_about_take_a_number_too(always: bool, kept: bool) -> None:
    """A column so rare that few samples hold it: if only those windows were numbered, the first would always be wrong.

    The separation is that of one row in 40,000; one separated pair is beyond it as far as the first test can tell.
    """
    rare = 1 / 40_000
    published = PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, rare),), DELTA)

    def ever(seed: int) -> bool:
        hits = np.random.default_rng(seed).binomial(PAIRS, rare, WINDOWS)
        numbers = np.arange(1, WINDOWS + 1) if always else np.cumsum(hits > 0)
        judged = [(h, j) for h, j in zip(hits.tolist(), numbers.tolist(), strict=True) if h]
        states = (real(published, j, lambda _, delta, h=h: by_hits(h, delta)).state for h, j in judged)  # type: ignore[misc]
        return VerdictState.UNSAFE in states

    assert (sum(map(ever, range(STREAMS))) <= allowed(STREAMS, DELTA)) is kept


@pytest.mark.parametrize(("counted_on", "kept"), [(True, True), (False, False)])
def test_limits_that_are_changed_after_a_look_at_the_windows(counted_on: bool, kept: bool) -> None:
    """At the limit itself.  After each window it is changed by a hair, so that all that is held is judged anew.

    If this made the newest window the first one, each of them would be judged with half of δ.
    """

    def ever(seed: int) -> bool:
        hits = np.random.default_rng(seed).binomial(PAIRS, LIMIT, WINDOWS).tolist()
        # Before it is judged again the window was the j-th test, or one of those that came with a change.
        return any(judged(real, h, j + 1 if counted_on else 1) is VerdictState.UNSAFE for j, h in enumerate(hits, 1))

    assert (sum(map(ever, range(STREAMS))) <= allowed(STREAMS, DELTA)) is kept


def missed(before: int, step: float) -> int:
    """Of 1,000 streams, those that are not unsafe after the first full window beyond the limit."""
    ratios = [0.9 * LIMIT] * before + [step]
    return sum(
        list(settled_states(series_of_pairs(seed, ratios)))[-1] is not VerdictState.UNSAFE for seed in range(STREAMS)
    )


@pytest.mark.parametrize("before", [0, 1, WINDOWS - 1])
def test_a_step_is_found_in_its_first_full_window(before: int) -> None:
    """A step to 1.5 of the limit.  The exact probability to miss it is so small that δ is kept."""
    probability = stats.binom.cdf(first_hits_beyond(before + 1) - 1, PAIRS, STEP)
    assert stats.binom.sf(DELTA * STREAMS, STREAMS, probability) <= FALSE_ALARM
    assert missed(before, STEP) <= DELTA * STREAMS


def test_a_step_is_found_after_a_thousand_windows_too() -> None:
    """Fails with the probability that more than δ of the streams have fewer hits than the 1,001st test asks for."""
    first = first_hits_beyond(1001)
    assert stats.binom.sf(DELTA * STREAMS, STREAMS, stats.binom.cdf(first - 1, PAIRS, STEP)) <= FALSE_ALARM
    hits = np.random.default_rng(1).binomial(PAIRS, STEP, STREAMS)
    assert (hits < first).sum() <= DELTA * STREAMS


def test_a_step_that_the_interval_cannot_resolve_is_missed() -> None:
    assert missed(5, 1.05 * LIMIT) > DELTA * STREAMS


def test_a_safe_that_is_wrong_is_as_rare() -> None:
    """Just above the limit no more than δ of the streams are ever called safe."""
    above = LIMIT * (1 + 1e-9)
    safe = sum(VerdictState.SAFE in series_of_pairs(seed, [above] * WINDOWS) for seed in range(STREAMS))
    assert safe <= allowed(STREAMS, DELTA)


SIZES = np.array([1] * 200 + [2] * 150 + [6] * 250)
UNIQUE = 200 / int(SIZES.sum())
FEW = 5


def unsafe_by_groups(limit: float, by: Judge = real) -> int:
    """Of 1,000 streams of counted groups, those whose unique rows are ever beyond a limit in a few windows."""
    published = PublishedSet("p", ("a",), (Limit(Quantity.UNIQUE_ROWS, limit),), DELTA)
    evidence = even(100, 2).evidence

    def ever(seed: int) -> bool:
        for j in range(1, FEW + 1):
            sampler = GroupSampler(120)
            sampler.update(np.repeat(mix64(seed * FEW + j, np.arange(len(SIZES))), SIZES))
            measuring = Measuring(("a",), evidence, sampler)
            if by(published, j, measuring.measure).state is VerdictState.UNSAFE:  # type: ignore[arg-type]
                return True
        return False

    return sum(map(ever, range(STREAMS)))


def test_counted_groups_keep_the_promise_too() -> None:
    assert unsafe_by_groups(UNIQUE / 0.9) <= DELTA * STREAMS
    assert unsafe_by_groups(UNIQUE) <= allowed(STREAMS, DELTA)


def test_counted_groups_without_the_interval_fail() -> None:
    assert unsafe_by_groups(UNIQUE / 0.9, without_interval) > DELTA * STREAMS


@pytest.mark.parametrize(("times", "found"), [(2.0, True), (1.05, False)])
def test_a_step_of_unique_rows_is_found_in_its_first_full_window(times: float, found: bool) -> None:
    """To so many times the limit, by counted groups, as the 40th test.  The control is a step that none can see.

    The first one fails with 1e-6 at most if one window misses it with probability 0.02: it did in 1 of 20,000.
    """
    published = PublishedSet("p", ("a",), (Limit(Quantity.UNIQUE_ROWS, UNIQUE / times),), DELTA)
    evidence = even(100, 2).evidence

    def misses(seed: int) -> bool:
        sampler = GroupSampler(400)
        sampler.update(np.repeat(mix64(seed, np.arange(len(SIZES))), SIZES))
        measuring = Measuring(("a",), evidence, sampler)
        return real(published, WINDOWS, measuring.measure).state is not VerdictState.UNSAFE  # type: ignore[arg-type]

    assert (sum(map(misses, range(STREAMS))) <= DELTA * STREAMS) is found


def wrong_by_samplers(judge_window: Callable[[PublishedSet, Window, int], VerdictState]) -> int:
    """Of 100 streams of three windows in real samplers, those that are ever unsafe right at the limit."""
    rows, groups = 10_000, 10
    true = 1 - groups * (rows // groups) * (rows // groups - 1) / (rows * (rows - 1))
    published = PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, true),), DELTA)
    codes = {"a": np.arange(rows) % groups}

    def ever(seed: int) -> bool:
        windows = (window(codes, pane=j, capacity=300, secret=Secret.from_seed(3 * seed + j)) for j in range(3))
        return any(judge_window(published, one, j) is VerdictState.UNSAFE for j, one in enumerate(windows, 1))

    return sum(map(ever, range(100)))


def test_real_samplers_keep_the_promise() -> None:
    assert wrong_by_samplers(lambda *asked: judge(*asked).state) <= allowed(100, DELTA)


def test_real_samplers_without_the_interval_fail() -> None:
    def bare(published: PublishedSet, one: Window, number: int) -> VerdictState:
        estimate = judge(published, one, number).findings[0].estimate
        assert estimate is not None
        return find(published.limits[0], Estimate.exact(estimate.estimate)).state

    assert wrong_by_samplers(bare) > allowed(100, DELTA)
