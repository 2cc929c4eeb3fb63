"""The bound on repeated rows holds for every small table: all group sizes, all sample sizes, all samples."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise

import pytest

from streamqid.measures.bounds import repeats_bound
from streamqid.problems.keys_by_tuples import _lost
from tests.unit.measures.groups import group_of_rows, groups_in_sample, partitions

DELTAS = [0.6, 0.3, 0.1, 0.03, 0.01]


@pytest.mark.parametrize("n", range(2, 11))
def test_the_bound_fails_with_probability_at_most_delta_for_every_table(n: int) -> None:
    informative = 0
    for k in range(2, n + 1):
        for delta in DELTAS:
            bounds = {r: repeats_bound(r, k, n, math.log(delta)) for r in range(k)}
            informative += sum(bound is not None for bound in bounds.values())
            for sizes in partitions(n):
                repeated = 1 - len(sizes) / n
                failed = sum(
                    (
                        likely
                        for (groups, _), likely in groups_in_sample(sizes, k).items()
                        if (bound := bounds[k - groups]) is not None and bound < repeated - 1e-12
                    ),
                    Fraction(0),
                )
                assert float(failed) <= delta, (sizes, k, delta)
    assert informative > 0


def test_the_bound_wastes_little() -> None:
    """Two pairs of equal rows among ten: a sample of two breaks the bound at δ = 0.96 with probability 43/45."""
    assert groups_in_sample((2, 2, 1, 1, 1, 1, 1, 1), 2)[2, 2] == Fraction(43, 45)
    bound = repeats_bound(0, 2, 10, math.log(0.96))
    assert bound is not None
    assert 0.1 < bound < 0.2


@pytest.mark.parametrize("n", range(3, 8))
def test_the_bound_on_what_a_set_loses_holds_for_every_pair_of_nested_tables(n: int) -> None:
    """All columns make groups, the set merges some of them: all ways for up to seven rows, all samples."""
    for fine in partitions(n):
        rows = group_of_rows(fine)
        for merged in set_partitions(len(fine)):
            true_loss = (len(fine) - len(set(merged))) / n
            for k in range(2, n + 1):
                lost: Counter[int] = Counter()
                for sample in combinations(rows, k):
                    lost[len(set(sample)) - len({merged[group] for group in sample})] += 1
                for delta in (0.5, 0.1):
                    failed = sum(
                        times
                        for value, times in lost.items()
                        if (bound := _lost(value, k, n, math.log(delta))) is not None and bound < true_loss
                    )
                    assert failed <= delta * math.comb(n, k), (fine, merged, k, delta)


def set_partitions(n: int) -> list[tuple[int, ...]]:
    """Return all ways to number n things by blocks, each new block taking the next number."""
    ways: list[tuple[int, ...]] = [()]
    for _ in range(n):
        ways = [(*way, block) for way in ways for block in range(max(way, default=-1) + 2)]
    return ways


@pytest.mark.parametrize(("repeats", "tuples", "n"), [(0, 0, 10), (0, 1, 10), (0, 0, 0), (0, 1, 1), (0, 0, 1)])
def test_too_few_rows_say_nothing(repeats: int, tuples: int, n: int) -> None:
    assert repeats_bound(repeats, tuples, n, math.log(0.1)) is None


def test_a_small_sample_says_nothing() -> None:
    """Below about sqrt(n) tuples even no repeat at all does not rule out that half of the rows repeat."""
    n = 10**6
    silent = [k for k in (10, 100, 1000, 3000, 10_000) if repeats_bound(0, k, n, math.log(0.01)) is None]
    assert silent == [10, 100, 1000, 3000]


def test_the_whole_table_says_it_exactly() -> None:
    for repeats in range(10):
        assert repeats_bound(repeats, 20, 20, math.log(0.01)) == pytest.approx(repeats / 20)
    assert repeats_bound(10, 20, 20, math.log(0.01)) is None


def test_a_hand_value_without_repeats() -> None:
    """(1 - p)^b <= δ rules b out, p = k(k-1)/(n(n-1))."""
    n, k, delta = 1000, 200, 0.01
    p = k * (k - 1) / (n * (n - 1))
    first_ruled_out = math.log(delta) / math.log1p(-p)
    assert repeats_bound(0, k, n, math.log(delta)) == pytest.approx(first_ruled_out / n)


@pytest.mark.parametrize("n", range(2, 9))
def test_the_number_of_records_may_stand_for_an_unknown_smaller_number_of_rows(n: int) -> None:
    for records in (n + 1, n + 2, 2 * n, 5 * n):
        for k in range(2, n + 1):
            for delta in DELTAS:
                bounds = {r: repeats_bound(r, k, records, math.log(delta)) for r in range(k)}
                for sizes in partitions(n):
                    failed = sum(
                        (
                            likely
                            for (groups, _), likely in groups_in_sample(sizes, k).items()
                            if (bound := bounds[k - groups]) is not None and bound < 1 - len(sizes) / n - 1e-12
                        ),
                        Fraction(0),
                    )
                    assert float(failed) <= delta, (sizes, records, k, delta)


def test_more_repeats_and_a_smaller_delta_only_raise_the_bound() -> None:
    n, k = 2000, 900
    for log_delta in (-1.0, -5.0, -50.0, -1400.0):
        bounds = [repeats_bound(r, k, n, log_delta) for r in range(0, 120, 5)]
        known = [bound for bound in bounds if bound is not None]
        assert known == sorted(known)
        assert bounds[len(known) :] == [None] * (len(bounds) - len(known))
    tight, wide = (repeats_bound(3, k, n, log_delta) for log_delta in (-1.0, -5.0))
    assert tight is not None
    assert wide is not None
    assert 3 / n <= tight < wide


def test_for_a_given_share_the_tail_grows_with_the_number_of_rows() -> None:
    """So the bound only grows when more records might be rows, and any unknown number below them is covered."""
    for repeats in (0, 1, 7):
        for log_delta in (-2.0, -20.0):
            bounds = [repeats_bound(repeats, 150, n, log_delta) for n in range(150, 700)]
            known = [bound for bound in bounds if bound is not None]
            assert len(known) > 20
            assert all(after >= before - 1e-12 for before, after in pairwise(known))
