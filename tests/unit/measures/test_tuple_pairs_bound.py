"""Hildebrant et al. 2022: the bound from all pairs of a few tuples holds for every small table, and on large ones."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from scipy import special, stats

from streamqid.measures.bounds import log_subsets, separation_key_pairs, tuple_key_tuples, tuple_pairs_bound
from tests.unit.measures.groups import groups_in_sample, partitions

DELTAS = [0.9, 0.6, 0.3, 0.1, 0.03]


def unseparated(sizes: tuple[int, ...]) -> float:
    n = sum(sizes)
    return sum(size * (size - 1) for size in sizes) / (n * (n - 1))


@pytest.mark.parametrize("n", range(2, 11))
def test_the_bound_fails_with_probability_at_most_delta_for_every_table(n: int) -> None:
    for r in range(2, n + 1):
        for delta in DELTAS:
            bounds = [tuple_pairs_bound(repeats, r, math.log(delta)) for repeats in range(r)]
            assert bounds == sorted(bounds)
            for sizes in partitions(n):
                failed = sum(
                    (
                        likely
                        for (groups, _), likely in groups_in_sample(sizes, r).items()
                        if bounds[r - groups] < unseparated(sizes) - 1e-12
                    ),
                    Fraction(0),
                )
                assert float(failed) <= delta, (sizes, r, delta)


def test_small_tables_are_no_empty_test() -> None:
    """Ten tuples that are all different rule out tables that leave 97 % of their pairs together."""
    assert tuple_pairs_bound(0, 10, math.log(0.03)) < 0.97


def one_large_group(n: int, r: int, repeats: int, epsilon: float) -> float:
    """Return the exact probability of so few repeats where one group has just more than the share of the pairs."""
    large = math.ceil((1 + math.sqrt(1 + 4 * epsilon * n * (n - 1))) / 2)
    return float(stats.hypergeom.cdf(repeats + 1, n, large, r))


def twins(n: int, r: int, epsilon: float) -> float:
    """Return ln of the exact probability of no repeat where twins make just more than the share of the pairs."""
    pairs = math.ceil(epsilon * n * (n - 1) / 2)
    choices = [  # how many of the twins give one row
        special.gammaln(pairs + 1)
        - special.gammaln(i + 1)
        - special.gammaln(pairs - i + 1)
        + i * math.log(2)
        + math.log(max(math.comb(n - 2 * pairs, r - i), 1e-300) if n - 2 * pairs >= r - i else 1e-300)
        for i in range(min(pairs, r) + 1)
    ]
    return float(special.logsumexp(choices)) - math.log(math.comb(n, r))


@pytest.mark.parametrize("n", [700, 2000, 100_000])
@pytest.mark.parametrize("repeats", [0, 1, 3])
def test_one_large_group_keeps_the_bound_and_comes_near_it(n: int, repeats: int) -> None:
    r, level = 584, -log_subsets(14, 0.01)
    epsilon = tuple_pairs_bound(repeats, r, level)
    likely = math.log(one_large_group(n, r, repeats, epsilon) + 1e-300)
    assert likely <= level
    if n == 100_000 and not repeats:
        assert likely > level - 2.0


@pytest.mark.parametrize("n", [60, 80])
def test_twins_keep_the_bound(n: int) -> None:
    epsilon = tuple_pairs_bound(0, 50, math.log(0.5))
    assert epsilon < 1 / (n - 1)  # so few pairs that twins can make them
    assert twins(n, 50, epsilon) <= math.log(0.5)


def test_the_number_of_tuples_is_the_smallest_that_promises_epsilon() -> None:
    for columns, epsilon in ((14, 0.001), (41, 0.001), (3, 0.05), (2, 0.9)):
        r, level = tuple_key_tuples(columns, epsilon, 0.01), -log_subsets(columns, 0.01)
        assert tuple_pairs_bound(0, r, level) <= epsilon < tuple_pairs_bound(0, r - 1, level)
    assert tuple_key_tuples(14, 0.001, 0.01) == 584
    assert separation_key_pairs(14, 0.001, 0.01) == 14303
    assert tuple_key_tuples(14, 1e-7, 0.01) / tuple_key_tuples(14, 1e-5, 0.01) == pytest.approx(10, rel=0.01)


def test_one_tuple_says_nothing() -> None:
    assert tuple_pairs_bound(0, 1, math.log(0.5)) == 1.0
    assert tuple_pairs_bound(5, 6, math.log(0.5)) == 1.0
