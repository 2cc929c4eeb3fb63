"""Masking on samples: by the paper's rule or the certified one, on independent pairs or on tuples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.bounds import drawn_share_bound, log_subsets, masking_threshold, repeats_bound, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition, Table, table_of
from streamqid.problems import contributions
from streamqid.problems.answer import Measure
from streamqid.problems.certified import longest_passing, separated_by_prefix
from streamqid.problems.greedy import Grouping, PairCover, state_of
from streamqid.problems.mask_question import FoundMask, MaskQuestion

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from streamqid.sampling.pairs import Evidence


def paper_pairs(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    """Choose up to β' on pairs (A_i, B_i) (Theorem 11); the bound holds for all 2^m sets at once."""
    pairs, m = evidence.pairs(len(evidence.a)), len(evidence.columns)
    k, delta = pairs.shape[1], question.within_delta
    chosen = question.chain(PairCover(pairs), masking_threshold(m, question.beta, delta, k))
    hits = int(pairs[chosen].any(axis=0).sum())
    upper = share_bound(hits, k, -log_subsets(m, delta), "upper") if chosen else 0.0
    return _found_pairs(evidence, question, pairs, chosen, upper, m * math.log(2.0) + question.log_rules)


def certified_pairs(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    """Choose a chain on A and judge it on independent pairs inside B."""
    chain = _chain_on_a(evidence, question)
    pairs = evidence.pairs_inside_b(len(evidence.b) // 2)
    k, level = pairs.shape[1], math.log(question.within_delta)
    hits = separated_by_prefix(pairs, chain).sum(axis=1)
    length, upper = _judge(chain, question, lambda i: share_bound(int(hits[i]), k, level, "upper") if i else 0.0)
    return _found_pairs(evidence, question, pairs, chain[:length], upper, _log_choices(chain, question))


def paper_tuples(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    """Choose up to β' on the tuples of A (Theorem 12); the bound holds for all 2^m sets at once."""
    table, m, delta = _table(evidence, evidence.a.fingerprints), len(evidence.columns), question.within_delta
    chosen = question.chain(Grouping(table), masking_threshold(m, question.beta, delta, table.n))
    upper = _upper_by_groups(table.partition(chosen), chosen, -log_subsets(m, delta))
    return _found_tuples(evidence, question, table, chosen, upper, question.log_rules)


def certified_tuples(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    """Choose a chain on A and judge it on the tuples of B."""
    chain = _chain_on_a(evidence, question)
    table, level = _table(evidence, evidence.b.fingerprints), math.log(question.within_delta)
    partitions = [Partition.trivial(table.n)]
    for j in chain:
        partitions.append(partitions[-1].refine(table.codes[j], table.sizes[j]))
    length, upper = _judge(chain, question, lambda i: _upper_by_groups(partitions[i], chain[:i], level))
    return _found_tuples(evidence, question, table, chain[:length], upper, _log_choices(chain, question))


def _log_choices(chain: list[int], question: MaskQuestion) -> float:
    return math.log(len(chain) + 1) + question.log_rules


def _upper_by_groups(here: Partition, chosen: list[int], level: float) -> float:
    """Bound the distinct ratio; that of no column at all is 1/n for n rows, of which the sample is a part."""
    return drawn_share_bound(here.groups, here.n, level) if chosen else 1.0 / max(here.n, 1)


def _chain_on_a(evidence: Evidence, question: MaskQuestion) -> list[int]:
    """Order the columns on A; sets so far beyond β that B cannot pass them are not worth ordering."""
    table = _table(evidence, evidence.a.fingerprints)
    surely_beyond = question.beta + 4.0 / math.sqrt(max(table.n, 1))
    return question.chain(state_of(table, question.measure), surely_beyond)


def _judge(chain: list[int], question: MaskQuestion, upper_of: Callable[[int], float]) -> tuple[int, float]:
    """Return the length of the longest prefix that B lets pass, and the bound on its ratio.

    A prefix that passed is certified to be at most β and no better: its own bound was selected by B.  If the
    columns that must be published fail by themselves, they alone are returned, with their bound.
    """
    shortest = len(question.must_publish)
    passed = longest_passing(range(shortest, len(chain) + 1), lambda i: upper_of(i) <= question.beta)
    return (shortest, upper_of(shortest)) if passed is None else (passed, question.beta)


def _found_pairs(
    evidence: Evidence,
    question: MaskQuestion,
    pairs: NDArray[np.bool_],
    chosen: list[int],
    upper: float,
    log_choices: float,
) -> FoundMask:
    k, lower = pairs.shape[1], 0.0
    if upper > question.beta and k:
        forced = int(pairs[list(question.must_publish)].any(axis=0).sum())
        lower = share_bound(forced, k, math.log(question.beyond_delta), "lower")
    share = float(pairs[chosen].any(axis=0).mean()) if k else 0.0
    return FoundMask(
        chosen=chosen,
        ratio=Estimate(estimate=share, lower=lower, upper=upper, confidence=1.0 - question.delta),
        met=upper <= question.beta,
        sample=k,
        added=contributions.from_pairs(pairs, chosen, evidence.columns, question.delta, log_choices),
        log_choices=log_choices,
    )


def _found_tuples(
    evidence: Evidence, question: MaskQuestion, table: Table, chosen: list[int], upper: float, log_choices: float
) -> FoundMask:
    """Return the answer from tuples: a sample bounds the distinct ratio of a small set from above only."""
    lower = None
    if upper > question.beta:
        forced = table.partition(question.must_publish)
        level = math.log(question.beyond_delta)
        repeated = repeats_bound(table.n - forced.groups, table.n, evidence.records, level)
        lower = None if repeated is None else 1.0 - repeated
    share = table.partition(chosen).groups / max(table.n, 1)
    return FoundMask(
        chosen=chosen,
        ratio=Estimate(estimate=share, lower=lower, upper=upper, confidence=1.0 - question.delta),
        met=upper <= question.beta,
        sample=table.n,
        added=contributions.from_table(table, chosen, Measure.DISTINCT, exact=False),
        log_choices=log_choices,
    )


def _table(evidence: Evidence, fingerprints: NDArray[np.uint64]) -> Table:
    return table_of(evidence.columns, fingerprints, missing_differ=evidence.missing_differ)
