"""Keys by separation, from independent pairs of rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.bounds import log_subsets, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.ratios import separation
from streamqid.problems import contributions
from streamqid.problems.certified import separated_by_prefix, shortest_passing
from streamqid.problems.greedy import PairCover, Refinement, key_chain
from streamqid.problems.key_question import FoundKey, KeyQuestion
from streamqid.problems.sizes import key_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.measures.partition import Table
    from streamqid.sampling.pairs import Evidence

ROUNDING = 1e-12
"""The sample sizes of the paper make bounds equal to their targets up to rounding."""


def paper(evidence: Evidence, question: KeyQuestion) -> FoundKey:
    """Separate every pair of one sample that can be separated (Theorem 5), or enough of them (Theorem 8).

    The bounds hold for all 2^m column sets at once with probability 1 - δ, hence for the chosen one: for k
    independent pairs of which a set leaves u unseparated, the Clopper-Pearson bound at δ/2^m.  For u = 0 that is
    Lemma 3: 1 - (δ/2^m)^(1/k) = ε.  Since the chosen set separates whatever all columns separate, the same
    lemma bounds by ε the share of pairs that it loses against all columns, also where duplicates keep u > 0.
    """
    m = len(evidence.columns)
    level = -log_subsets(m, question.paid_delta)
    pairs = evidence.pairs(key_pairs(m, question))
    chosen = chain = key_chain(PairCover(pairs), question.weights)
    if question.beta is not None:
        counts = separated_by_prefix(pairs, chain).sum(axis=1)
        enough = (2.0 - question.epsilon) * question.beta * pairs.shape[1] / 2.0
        chosen = chain[: int(np.argmax(counts >= min(enough, counts[-1])))]
    k, apart = pairs.shape[1], np.logical_or.reduce(pairs[chosen], axis=0)
    hits, lost = int(apart.sum()), int((pairs.any(axis=0) & ~apart).sum())
    lower = share_bound(hits, k, level, "lower") if k else 0.0
    reached = lower >= question.target - ROUNDING
    may_lose = share_bound(lost, k, level, "upper")
    relative = not reached and question.beta is None and may_lose <= question.slack + ROUNDING
    log_choices = m * math.log(2.0) + question.log_rules
    return FoundKey(
        chosen=chosen,
        ratio=_estimate(apart, lower, question.delta),
        promised=question.target if reached else lower,
        lost=may_lose if relative else None,
        met=reached or relative,
        sample=k,
        added=contributions.from_pairs(pairs, chosen, evidence.columns, question.delta, log_choices),
    )


def certified(evidence: Evidence, table: Table, question: KeyQuestion) -> FoundKey:
    """Choose a chain on the tuples of A and judge it on independent pairs inside B, from the long end down.

    ``table`` is A.  Whether all columns reach the target at all is read off A; where duplicates keep them from
    it, B judges the share of pairs that a prefix loses against all columns instead, and a part of δ is kept for
    the ratio that is told besides.  All that is claimed holds together with probability 1 - δ
    (docs/decisions/0004).
    """
    chain = key_chain(Refinement(table), question.weights)
    pairs = evidence.pairs_inside_b(len(evidence.b) // 2)
    k, apart = pairs.shape[1], separated_by_prefix(pairs, chain)
    relative = question.beta is None and separation(table.partition(chain)) < question.target
    level = math.log(question.loss_delta if relative else question.paid_delta)
    open_pairs = (pairs.any(axis=0) & ~apart) if relative else ~apart

    def passes(length: int) -> bool:
        return share_bound(int(open_pairs[length].sum()), k, level, "upper") <= question.slack

    length = shortest_passing(range(len(chain) + 1), passes)
    met = length is not None
    chosen = chain[: len(chain) if length is None else length]
    # A prefix that passed is certified for the target.  If the longest one failed, its own bound is below the target,
    # so it can only be wrong where that test was to fail; the ratio beside a loss pays for all prefixes.
    lower = question.target
    if relative or not met:
        claimed = math.log(question.ratio_delta / len(apart)) if relative else level
        lower = share_bound(int(apart[len(chosen)].sum()), k, claimed, "lower") if k else 0.0
    log_choices = math.log(len(apart)) + question.log_rules
    return FoundKey(
        chosen=chosen,
        ratio=_estimate(apart[len(chosen)], lower, question.delta),
        promised=lower,
        lost=question.slack if met and relative else None,
        met=met,
        sample=k,
        added=contributions.from_pairs(pairs, chosen, evidence.columns, question.delta, log_choices),
    )


def _estimate(apart: NDArray[np.bool_], lower: float, delta: float) -> Estimate:
    share = float(apart.mean()) if apart.size else 1.0
    return Estimate(estimate=share, lower=min(lower, share), upper=1.0, confidence=1.0 - delta)
