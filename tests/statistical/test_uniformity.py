"""Every record is in each sample equally often, in every place, and A tells nothing about B.

Chi-square tests at a false alarm of 1e-6 each; a sampler with a planted bias fails the first of them.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from streamqid.sampling.capacity import Capacity
from tests.statistical.promises import FALSE_ALARM, evidence
from tests.statistical.tables import Tempting, tempting

N, K, SEEDS = 40, 10, 2000


def numbered(n: int = N) -> Tempting:
    """A table of unique rows, of which a biased sampler loses one in twenty."""
    row = np.arange(n)
    return tempting("numbered", [row], row % 20 != 3)


def inclusion(n: int, k: int, counts: np.ndarray[tuple[int], np.dtype[np.int64]], seeds: int) -> float:
    """Return the p-value of the inclusion counts of samples of k of n rows without replacement.

    The count of each row has variance seeds * p(1-p), and all counts add up to seeds * k; so the scaled sum of
    squares is chi-square with n - 1 degrees of freedom.
    """
    p = k / n
    statistic = float(((counts - seeds * p) ** 2).sum()) / (seeds * p * (1 - p)) * (n - 1) / n
    return float(stats.chi2.sf(statistic, n - 1))


@pytest.mark.parametrize(("n", "k"), [(40, 10), (40, 36)])
def test_every_record_is_sampled_equally_often(n: int, k: int) -> None:
    counts = np.zeros((2, n), np.int64)
    for found in evidence(numbered(n), Capacity(k), SEEDS, biased=False):
        for sample, rows in zip(counts, (found.a, found.b), strict=True):
            assert len(rows) == k
            sample[rows.identity[:, 1]] += 1
    for sample in counts:
        assert inclusion(n, k, sample, SEEDS) > FALSE_ALARM


def test_a_biased_sampler_fails_the_test_of_inclusion() -> None:
    counts, size = np.zeros(N, np.int64), 0
    for found in evidence(numbered(), Capacity(K), SEEDS, biased=True):
        counts[found.a.identity[:, 1]] += 1
        size = len(found.a)
    assert inclusion(N, size, counts, SEEDS) < FALSE_ALARM


def test_every_record_takes_every_place_equally_often() -> None:
    """The order of the sample is random, as replaying the draws needs it."""
    places = np.zeros((K, N), np.int64)
    for found in evidence(numbered(), Capacity(K), SEEDS, biased=False):
        places[np.arange(K), found.a.identity[:, 1]] += 1
    for counts in places:
        assert stats.chisquare(counts).pvalue > FALSE_ALARM / K


def test_a_and_b_overlap_as_independent_samples_do() -> None:
    """The number of common rows is hypergeometric; values of small expectation are taken together."""
    common = np.zeros(K + 1, np.int64)
    for found in evidence(numbered(), Capacity(K), SEEDS, biased=False):
        common[np.intersect1d(found.a.identity[:, 1], found.b.identity[:, 1]).size] += 1
    expected = SEEDS * stats.hypergeom.pmf(np.arange(K + 1), N, K, K)
    often = expected >= 5
    seen = np.append(common[often], common[~often].sum())
    assert stats.chisquare(seen, np.append(expected[often], expected[~often].sum())).pvalue > FALSE_ALARM


def test_every_pair_of_different_rows_is_drawn_equally_often() -> None:
    """Five rows make 20 ordered pairs; A and B hold four rows of them."""
    n, pairs = 5, {"inside B": np.zeros((5, 5), np.int64), "A with B": np.zeros((5, 5), np.int64)}
    row = np.arange(n)
    flags = tempting("flags", [(row == j).astype(np.int64) for j in range(n)], row >= 0)
    which = flags.codes.argmax(axis=1)
    for found in evidence(flags, Capacity(4), SEEDS, biased=False):
        for name, separated in (("inside B", found.pairs_inside_b(2)), ("A with B", found.pairs(2))):
            for pair in separated.T:
                i, j = np.flatnonzero(pair)
                pairs[name][i, j] += 1
    assert sorted(which.tolist()) == list(range(n))
    for counts in pairs.values():
        assert stats.chisquare(counts[np.triu_indices(n, 1)]).pvalue > FALSE_ALARM
