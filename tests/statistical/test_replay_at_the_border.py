"""Where the sample is most of the table, pairs of one matching break the bound, and replayed pairs keep it.

Two equal halves: in a matching of nearly all rows the agreeing pairs come in bursts, so that the number of
separated pairs has heavier tails than the binomial distribution that Clopper and Pearson assume.
"""

from __future__ import annotations

import math
from itertools import combinations, permutations

import numpy as np
import pytest
from scipy import stats

from streamqid.measures.bounds import share_bound
from streamqid.sampling.capacity import Capacity
from tests.statistical.promises import allowed, evidence
from tests.statistical.tables import two_halves

ROWS, SAMPLE, SEEDS, DELTA = 10, 9, 6000, 0.05
TRUE = 5 / 9
"""Separation of two halves of ten rows: 25 of 45 pairs."""


def broken(separated: int, pairs: int) -> bool:
    """Whether the upper bound on the separation is below the truth."""
    return share_bound(separated, pairs, math.log(DELTA), "upper") < TRUE


def test_the_bound_itself_allows_delta_for_independent_pairs() -> None:
    """4 pairs: none separated has probability (4/9)^4 = 0.039."""
    lost = [h for h in range(5) if broken(h, 4)]
    assert lost == [0]
    assert stats.binom.cdf(0, 4, TRUE) == pytest.approx((4 / 9) ** 4)
    assert (4 / 9) ** 4 < DELTA


def test_the_exact_probability_under_a_matching_is_above_delta() -> None:
    """All matchings of all samples of 8 of the ten rows, counted."""
    unseparated = total = 0
    for rows in combinations([0] * 5 + [1] * 5, 8):
        zeros = rows.count(0)
        for order in set(permutations(sorted(rows))):
            ways = math.factorial(zeros) * math.factorial(8 - zeros)
            total += ways
            unseparated += ways * all(order[i] == order[i + 1] for i in range(0, 8, 2))
    assert unseparated / total > 1.3 * DELTA


def test_replayed_pairs_keep_the_promise_and_a_bare_matching_breaks_it() -> None:
    """6,000 seeds; false alarm of the first assertion 1e-6; the second is its control."""
    replayed = matched = 0
    for found in evidence(two_halves(ROWS), Capacity(SAMPLE), SEEDS, biased=False):
        pairs = found.pairs_inside_b(4)[1]
        assert len(pairs) == 4
        replayed += broken(int(pairs.sum()), 4)
        values = found.b.fingerprints[:8, 1]
        matched += broken(int(np.count_nonzero(values[::2] != values[1::2])), 4)
    print(f"replayed {replayed / SEEDS:.4f}, matched {matched / SEEDS:.4f}")
    assert replayed <= allowed(SEEDS, DELTA)
    assert matched > allowed(SEEDS, DELTA)


def test_pairs_of_a_and_b_keep_the_promise_too() -> None:
    """4,000 seeds, false alarm 1e-6."""
    lost = 0
    for found in evidence(two_halves(ROWS), Capacity(SAMPLE), 4000, biased=False):
        pairs = found.pairs(SAMPLE)[1]
        lost += bool(pairs.size) and broken(int(pairs.sum()), len(pairs))
    assert lost <= allowed(4000, DELTA)
