"""Separation ratio, distinct ratio and unique rows of a column set, exactly or from a sample with bounds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.bounds import drawn_share_bound, repeats_bound, share_bound
from streamqid.measures.estimate import Estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from streamqid.measures.partition import Partition


def separation(partition: Partition) -> float:
    """Return 1 - Σ s_i(s_i - 1) / (n(n-1)): the share of pairs of rows that the columns separate.

    A table of less than two rows has no pair to separate; its separation is 1.
    """
    pairs = partition.n * (partition.n - 1) // 2
    return 1.0 - partition.unseparated / pairs if pairs else 1.0


def distinct(partition: Partition) -> float:
    """Return the number of groups divided by n (1 for an empty table)."""
    return partition.groups / partition.n if partition.n else 1.0


def unique(partition: Partition) -> float:
    """Return the share of rows that are alone in their group (0 for an empty table)."""
    return partition.unique_rows / partition.n if partition.n else 0.0


def small(partition: Partition, k: int) -> float:
    """Return the share of rows in groups of fewer than k rows (0 for an empty table)."""
    rows = partition.unique_rows + int(partition.sizes[partition.sizes < k].sum())
    return rows / partition.n if partition.n else 0.0


def crowded(sample: Partition, n: int) -> bool:
    """Whether many of n rows share their values with another one, as far as a sample of them shows.

    Rows that are alone in a sample may have equals outside it.  So it counts as well how many equals a row has on
    average, (n - 1) times the share of unseparated pairs: with one or more of them, at least √n rows share theirs.
    """
    return unique(sample) < 1 / 2 or (n - 1) * (1.0 - separation(sample)) >= 1.0


def separation_estimate(separated: NDArray[np.bool_], delta: float, log_choices: float = 0.0) -> Estimate:
    """Estimate the separation from independent pairs, given which of them the columns separate.

    Both bounds are Clopper-Pearson bounds at δ/2, exact for independent pairs (see sampling.pairs).  If the
    columns were chosen by looking at these pairs, ``log_choices`` is the logarithm of the number of column sets
    that could have been chosen; the bounds then hold for all of them at once.
    """
    hits, pairs = int(separated.sum()), len(separated)
    side = math.log(delta / 2) - log_choices
    return Estimate(
        estimate=hits / pairs if pairs else 1.0,
        lower=share_bound(hits, pairs, side, "lower") if pairs else 0.0,
        upper=share_bound(hits, pairs, side, "upper"),
        confidence=1.0 - delta,
    )


def distinct_estimate(sample: Partition, records: int, delta: float) -> Estimate:
    """Estimate the distinct ratio of a table from the partition of a sample without replacement.

    The number of rows need not be known; ``records`` is at least that number.

    Upper bound: take one row of each of the N groups; the sample holds at least as many groups as it holds of
    these N rows (the argument of Motwani-Xu, Lemma 10), and ``drawn_share_bound`` bounds their share.  Lower
    bound: from the repeats in the sample (``repeats_bound``); None when the sample is too small to support one,
    which is the rule for column sets that leave large groups.  The estimate is the sample's own ratio, which
    is never below the table's on average.
    """
    groups, k = sample.groups, sample.n
    side = math.log(delta / 2)
    repeated = repeats_bound(k - groups, k, records, side)
    return Estimate(
        estimate=distinct(sample),
        lower=None if repeated is None else 1.0 - repeated,
        upper=drawn_share_bound(groups, k, side),
        confidence=1.0 - delta,
    )


def unique_estimate(sample: Partition, delta: float, log_choices: float = 0.0) -> Estimate:
    """Estimate the share of unique rows: a row that is unique in the table is unique in the sample.

    So the sample bounds the share from above only; a row that looks unique in a sample may have its equal
    outside it, and no lower bound is given.  ``log_choices`` as in ``separation_estimate``.
    """
    hits, k = sample.unique_rows, sample.n
    return Estimate(
        estimate=unique(sample),
        lower=None,
        upper=drawn_share_bound(hits, k, math.log(delta) - log_choices),
        confidence=1.0 - delta,
    )


def small_estimate(sample: Partition, k: int, delta: float) -> Estimate:
    """Estimate the share of rows in groups of fewer than k rows: a group of the table has no more rows in the sample.

    So such a row is in a group of fewer than k rows of the sample too, and the sample bounds the share from above
    only.
    """
    share = small(sample, k)
    return Estimate(
        estimate=share,
        lower=None,
        upper=drawn_share_bound(round(share * sample.n), sample.n, math.log(delta)),
        confidence=1.0 - delta,
    )
