"""Where the sample is most of the table, pairs of one matching break the bound, and replayed pairs keep it.

Twelve rows in two equal halves, of which eleven are sampled: five pairs of one matching are all separated more
often than five independent pairs, and then the bound of Clopper and Pearson promises too much.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np

from streamqid.measures.bounds import share_bound
from streamqid.sampling.capacity import Capacity
from tests.statistical.promises import DELTA, allowed, evidence
from tests.statistical.tables import two_halves

ROWS, SAMPLE, PAIRS, SEEDS = 12, 11, 5, 8000
TRUE = Fraction(36, 66)
"""Separation of two halves of twelve rows."""


def broken(separated: int, pairs: int) -> bool:
    """Whether the lower bound on the separation is above the truth."""
    return share_bound(separated, pairs, math.log(DELTA), "lower") > TRUE


def test_by_exact_count_the_bound_holds_for_independent_pairs_only() -> None:
    assert [hits for hits in range(PAIRS + 1) if broken(hits, PAIRS)] == [PAIRS]
    assert float(TRUE**PAIRS) < DELTA
    all_separated = Fraction(0)
    for halves in product((0, 1), repeat=2 * PAIRS):
        if all(halves[i] != halves[i + 1] for i in range(0, 2 * PAIRS, 2)):
            ways = math.perm(6, halves.count(0)) * math.perm(6, halves.count(1))
            all_separated += Fraction(ways, math.perm(ROWS, 2 * PAIRS))
    assert float(all_separated) > 1.3 * DELTA


def test_replayed_pairs_keep_the_promise_and_a_bare_matching_breaks_it() -> None:
    """False alarm of the first assertion: 1e-6; the second one is its control."""
    replayed = matched = 0
    for found in evidence(two_halves(ROWS), Capacity(SAMPLE), SEEDS, biased=False):
        pairs = found.pairs_inside_b(PAIRS)[1]
        assert len(pairs) == PAIRS
        replayed += broken(int(pairs.sum()), PAIRS)
        values = found.b.fingerprints[: 2 * PAIRS, 1]
        matched += broken(int(np.count_nonzero(values[::2] != values[1::2])), PAIRS)
    print(f"replayed {replayed / SEEDS:.4f}, matched {matched / SEEDS:.4f}, promised {DELTA}")
    assert replayed <= allowed(SEEDS)
    assert matched > allowed(SEEDS)


def test_pairs_of_a_and_b_keep_the_promise_too() -> None:
    """2,000 seeds, as many pairs as the sample gives; false alarm 1e-6."""
    lost = 0
    for found in evidence(two_halves(ROWS), Capacity(SAMPLE), 2000, biased=False):
        pairs = found.pairs(SAMPLE)[1]
        assert len(pairs) >= PAIRS
        lost += broken(int(pairs.sum()), len(pairs))
    assert lost <= allowed(2000)
