"""The bound on a share, and the sample sizes of the papers.

Everything that streamqid promises goes through ``share_bound``.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from scipy import special

Side = Literal["lower", "upper"]

LOG_TINY = -600.0
"""Below this ln δ the exact quantiles run out of floating-point range."""


def share_bound(hits: int, trials: int, log_delta: float, side: Side, population: int | None = None) -> float:
    """Return a bound on a share that fails with probability at most δ, whatever the true share is.

    Parameters
    ----------
    hits, trials
        ``hits`` of ``trials`` drawn elements had the property.
    log_delta
        ln δ.  Promises for all 2^m column sets at once take ln(δ/2^m), which may be too small for a float δ.
    side
        "upper": the true share is at most the bound; "lower": it is at least the bound.
    population
        None for independent draws: the exact binomial bound of Clopper and Pearson.  The size of the
        population for draws without replacement: the exact hypergeometric bound, which is tighter.
    """
    if side == "lower":
        return 1.0 - share_bound(trials - hits, trials, log_delta, "upper", population)
    if hits >= trials:
        return 1.0
    if log_delta < LOG_TINY:
        return _chernoff_upper(hits / trials, -log_delta / trials)
    delta = math.exp(log_delta)
    if population is None:
        bound = float(special.betainccinv(hits + 1, trials - hits, delta))
        # The quantile runs out of floating-point range where it is next to 1.
        return bound if math.isfinite(bound) else _chernoff_upper(hits / trials, -log_delta / trials)
    # Imported here because it takes a second, which other questions need not wait.
    from scipy.stats import hypergeom

    # The largest number of elements with the property under which so few hits are not too unlikely.
    low, high = hits, population - (trials - hits)
    while low < high:
        middle = (low + high + 1) // 2
        if hypergeom.cdf(hits, population, middle, trials) > delta:
            low = middle
        else:
            high = middle - 1
    return low / population


def drawn_share_bound(hits: int, trials: int, log_delta: float) -> float:
    """Return an upper bound on a share of a population of which ``trials`` elements were drawn without replacement.

    It holds for a population of every size, so unreadable records, which hide that size, do no harm.  Why: a share
    of at least c/(k-1) + 1/(k+1) gives at most c hits in k draws with a smaller probability without replacement than
    with it (Uhlmann 1966), so from there on the bound of Clopper and Pearson holds.
    """
    free = share_bound(hits, trials, log_delta, "upper")
    return free if trials < 2 else min(1.0, max(free, hits / (trials - 1) + 1.0 / (trials + 1)))


def drawn_mean_bound(mean: float, trials: int, log_delta: float, side: Side) -> float:
    """Return a bound on the mean of numbers between 0 and 1, of which ``trials`` were drawn without replacement.

    The bound of Chernoff and Hoeffding; Hoeffding (1963, section 6) shows that it holds without replacement too, for a
    population of every size.
    """
    if side == "lower":
        return 1.0 - drawn_mean_bound(1.0 - mean, trials, log_delta, "upper")
    return _chernoff_upper(mean, -log_delta / trials) if trials else 1.0


def distribution_bound(values: int, trials: int, log_delta: float) -> float:
    """Bound the total variation distance between the distribution of a sample and that of its population.

    Holds with probability 1 - exp(log_delta) for ``trials`` draws with or without replacement over at most ``values``
    different values.  The distance is the largest difference of the two shares over all events, of which there
    are fewer than 2^values; each difference exceeds w with probability at most exp(-2·trials·w²) (Hoeffding 1963,
    section 6 for draws without replacement), and the union bound does the rest (Weissman et al. 2003).
    """
    if not trials:
        return 1.0
    return min(1.0, math.sqrt((values * math.log(2.0) - log_delta) / (2.0 * trials)))


def groups_bound(held: int, threshold: float, log_delta: float, side: Side, most: int) -> int:
    """Bound the number N of groups of which the ``held`` lowest hashes, and no others, lie below a threshold.

    Hashes are independent and uniform between 0 and 1, and the threshold is the lowest one that is not held.  It is at
    most t with the probability that more than ``held`` of N hashes are below t, so the exact tail is a binomial one:
    an N for which the threshold is too high, or too low, with probability below exp(log_delta) is ruled out.
    ``most`` is a number that N cannot exceed, such as the number of rows.
    """
    delta = math.exp(log_delta)

    def possible(n: int) -> bool:
        tail = special.betaincc if side == "upper" else special.betainc
        return bool(tail(held + 1, n - held, threshold) > delta)

    low, high = held + 1, max(most, held + 1)
    while low < high:
        # The tail falls with n for an upper bound and grows for a lower one.
        middle = (low + high + (side == "upper")) // 2
        if side == "upper":
            low, high = (middle, high) if possible(middle) else (low, middle - 1)
        else:
            low, high = (low, middle) if possible(middle) else (middle + 1, high)
    return low


def _chernoff_upper(share: float, rate: float) -> float:
    """Return the largest p with KL(share || p) <= rate: the bound of Chernoff and Hoeffding, for tiny δ."""
    low, high = share, 1.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if _divergence(share, middle) <= rate else (low, middle)
    return high


def repeats_bound(repeats: int, tuples: int, records: int, log_delta: float) -> float | None:
    """Bound the share of the rows of a table that repeat others, from the repeats in a sample of its tuples.

    The table has n rows, at most ``records``, in N groups; ``repeats`` is the sampled tuples minus the groups among
    them.  Returns a bound on (n - N)/n that fails with probability at most exp(log_delta), or None when that
    reaches a half: then the sample says nothing about this side.

    Why it holds for n = ``records``: of all tables with N >= n/2 groups, the one with n - N groups of two rows and the
    rest single has, in the stochastic order, the fewest repeats in a sample (moving a row from a larger to a
    smaller group only helps, for every number of rows drawn from the two groups together); a table with fewer
    groups has more repeats.  There the repeats are the pairs drawn completely.  Membership in a sample without
    replacement is negatively associated (Joag-Dev, Proschan 1983), and so are these pairs, hence the lower
    tail obeys the Chernoff bound of independent ones: exp(-b KL(r/b || p)), b = n - N, with
    p = k(k-1) / (n(n-1)).  For a given share b/n that tail grows with n, so ``records`` may stand for an unknown
    n (docs/decisions/0006).  It says little before k reaches sqrt(n).
    """
    if tuples < 2:
        return None
    p = tuples * (tuples - 1) / (records * (records - 1))

    def ruled_out(b: float) -> bool:
        return repeats < b * p and -b * _divergence(repeats / b, p) <= log_delta

    # A table of an odd number n >= k of rows has (n-1)/2 pairs, a share of the rows that is a little below a half.
    low, high = float(repeats), records / 2 * (1.0 - 1.0 / tuples)
    if not ruled_out(high):
        return None
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (low, middle) if ruled_out(middle) else (middle, high)
    return high / records


def _divergence(share: float, p: float) -> float:
    """Kullback-Leibler divergence of two coins."""
    if p >= 1.0:
        return math.inf if share < 1.0 else 0.0
    here = share * math.log(share / p) if share else 0.0
    return here + ((1.0 - share) * (math.log1p(-share) - math.log1p(-p)) if share < 1.0 else 0.0)


def log_subsets(columns: int, delta: float) -> float:
    """Return ln(2^m / δ): the price of a promise for all 2^m column sets at once."""
    return columns * math.log(2.0) - math.log(delta)


def separation_key_pairs(columns: int, epsilon: float, delta: float) -> int:
    """Pairs for the (ε, δ)-separation minimum key (Motwani-Xu, Theorem 5): log_{1/(1-ε)}(2^m/δ)."""
    return math.ceil(log_subsets(columns, delta) / -math.log1p(-epsilon))


def distinct_key_root(columns: int, epsilon: float, delta: float) -> float:
    """Tuples per sqrt(n) for the (ε, δ)-distinct minimum key (Theorem 7): sqrt(2(1-ε)/ε · ln(2^m/δ))."""
    return math.sqrt(2.0 * (1.0 - epsilon) / epsilon * log_subsets(columns, delta))


def beta_pairs(columns: int, beta: float, epsilon: float, delta: float) -> int:
    """Pairs for the minimum β-separation set (Theorem 8): 16/(βε²) · ln(2^m/δ)."""
    return math.ceil(16.0 / (beta * epsilon**2) * log_subsets(columns, delta))


def masking_threshold(columns: int, beta: float, delta: float, drawn: int) -> float:
    """Return β' = (1 - sqrt(2 ln(2^m/δ) / (βk))) β (Theorems 11 and 12); 0 when k is too small for any promise."""
    if not drawn:
        return 0.0
    return max(0.0, (1.0 - math.sqrt(2.0 * log_subsets(columns, delta) / (beta * drawn))) * beta)


def certified_units(delta: float, *, tuples: bool = False, power: float = 0.8, margin: float = 4.0) -> float:
    """Return u so that u/ε judged pairs let a set pass that is ``margin`` times better than ε asks.

    The smallest u for which some number of failures r both passes at level δ, Pr[Poisson(u) <= r] <= δ, and is
    not exceeded with probability ``power`` when the true rate is ε/margin.  With ``tuples`` the first
    probability is replaced by its Chernoff bound, as ``repeats_bound`` uses it; then sqrt(u/ε · n) tuples do.
    It does not depend on the number of columns: one chain is judged, not 2^m sets.
    """
    failures = 0
    while True:
        needed = _poisson_chernoff(failures, delta) if tuples else float(special.gammainccinv(failures + 1, delta))
        if special.pdtr(failures, needed / margin) >= power:
            return needed
        failures += 1


def _poisson_chernoff(failures: int, delta: float) -> float:
    """Return the smallest u with exp(-(u - r + r ln(r/u))) <= δ."""
    low, high = float(failures), failures + 10.0 * (1.0 - math.log(delta)) + 10.0 * failures
    for _ in range(100):
        u = (low + high) / 2
        tail = u - failures + (failures * math.log(failures / u) if failures else 0.0)
        low, high = (u, high) if tail < -math.log(delta) else (low, u)
    return high


def tuple_pairs_bound(repeats: int, tuples: int, log_delta: float) -> float:
    """Bound the share of unseparated pairs from tuples drawn without replacement, through all their pairs.

    ``repeats`` is the sampled tuples minus the groups among them.  Returns ε so that a column set that leaves more
    than the share ε of all pairs of rows unseparated shows so few repeats with probability at most exp(log_delta);
    1 when the sample says nothing.  It holds for a table of every size (Hildebrant et al. 2022, with the constant of
    docs/decisions/0007): r tuples have no repeat with probability at most 2·exp(-min(φ(t), ε r(r-1)(1 - ln 2)/2)),
    where φ(t) = t - ln(1 + t) and t(t + 1) = ε r(r-1); with d repeats, a part of the tuples has none.
    """
    low, high = 0.0, 1.0
    if tuples < 2 or _log_repeats(repeats, tuples, high) > log_delta:
        return 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _log_repeats(repeats, tuples, middle) > log_delta else (low, middle)
    return high


def tuple_key_tuples(columns: int, epsilon: float, delta: float) -> int:
    """Tuples of which all pairs do for a key by separation, Θ(m/√ε) (Hildebrant et al. 2022, docs/decisions/0007)."""
    level = -log_subsets(columns, delta)
    low, high = 1, 2
    while _log_repeats(0, high, epsilon) > level:
        low, high = high, 2 * high
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (middle, high) if _log_repeats(0, middle, epsilon) > level else (low, middle)
    return high


def _log_repeats(repeats: int, tuples: int, epsilon: float) -> float:
    """Return ln of a bound on the probability of so few repeats; the best over how many of the tuples are looked at."""
    parts = np.arange(2, tuples - repeats + 1) if repeats else np.array([tuples])
    pairs = epsilon * parts * (parts - 1.0)
    t = (np.sqrt(1.0 + 4.0 * pairs) - 1.0) / 2.0
    none = math.log(2.0) - np.minimum(t - np.log1p(t), pairs * (1.0 - math.log(2.0)) / 2.0)
    # A random part of this size misses the repeats with probability C(r-d, part) / C(r, part).
    missed = special.gammaln(tuples - parts + 1.0) - special.gammaln(tuples - repeats - parts + 1.0)
    missed += special.gammaln(tuples - repeats + 1.0) - special.gammaln(tuples + 1.0)
    return float(np.min(none - missed, initial=0.0))
