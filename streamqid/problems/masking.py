"""β-separation and β-distinct masking: publish as many columns as possible, but no quasi-identifier.

The conditions are those of minimum keys (``problems.minimum_key``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.bounds import drawn_share_bound, log_subsets, masking_threshold, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition, Table, partition_by_all, table_of
from streamqid.measures.ratios import unique, unique_estimate
from streamqid.problems import contributions
from streamqid.problems.answer import MaskAnswer, Measure, Rule
from streamqid.problems.certified import longest_passing, separated_by_prefix
from streamqid.problems.greedy import Grouping, PairCover, Refinement
from streamqid.problems.mask_question import FoundMask, MaskQuestion
from streamqid.problems.sentences import mask_sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from numpy.typing import NDArray

    from streamqid.sampling.pairs import Evidence


def masking(evidence: Evidence, question: MaskQuestion) -> MaskAnswer:
    """Find a large column set whose ratio is at most β.

    Paper rule (Theorems 11 and 12): the greedy algorithm on the sample, up to β' < β, which pays for all 2^m
    column sets.  Certified rule: the greedy order is chosen on A; the sets of the chain are judged on B from the
    small ones up, and the first that fails ends it.  Either way the published set has a ratio of at most β with
    probability 1 - δ; nothing is promised about its size.  Exact when the sample holds the whole table.
    """
    if evidence.whole:
        found = _exact(evidence, question)
    elif question.measure is Measure.SEPARATION:
        found = (
            _paper_pairs(evidence, question) if question.rule is Rule.PAPER else _certified_pairs(evidence, question)
        )
    else:
        found = (
            _paper_tuples(evidence, question) if question.rule is Rule.PAPER else _certified_tuples(evidence, question)
        )
    chosen = set(found.chosen)
    publish = [name for j, name in enumerate(evidence.columns) if j in chosen]
    by_pairs = question.measure is Measure.SEPARATION
    return MaskAnswer(
        measure=question.measure,
        rule=question.rule,
        beta=question.beta,
        delta=question.delta,
        publish=publish,
        hide=[name for j, name in enumerate(evidence.columns) if j not in chosen],
        met=found.met,
        separation=found.ratio if by_pairs else None,
        distinct=None if by_pairs else found.ratio,
        unique_rows=_unique(evidence, found.chosen, question.delta),
        contributions=found.added,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=found.sample,
        sample_unit="rows" if evidence.whole else "pairs" if by_pairs else "tuples",
        exact=evidence.whole,
        guarantee=mask_sentence(publish, question, found, exact=evidence.whole),
    )


def _unique(evidence: Evidence, chosen: list[int], delta: float) -> Estimate:
    """Bound the rows that are unique on the published columns, on the sample that did not choose them."""
    if not chosen:
        return Estimate.exact(1.0 if evidence.n == 1 else 0.0)
    here = partition_by_all(evidence.b.fingerprints[:, chosen], missing_differ=evidence.missing_differ)
    return Estimate.exact(unique(here)) if evidence.whole else unique_estimate(here, evidence.population, delta)


def _exact(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    table = _table(evidence, evidence.a.fingerprints)
    state = _state(table, question.measure)
    # Every column identifies a row that is alone in its table.
    chosen = question.chain(state, question.beta) if table.n > 1 else list(question.must_publish)
    ratio = state.count / state.total if state.total else 1.0
    return FoundMask(
        chosen=chosen,
        ratio=Estimate.exact(ratio),
        met=ratio <= question.beta,
        sample=table.n,
        added=contributions.from_table(table, chosen, question.measure, exact=True),
    )


def _paper_pairs(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    pairs, m = evidence.pairs(len(evidence.a)), len(evidence.columns)
    k = pairs.shape[1]
    chosen = question.chain(PairCover(pairs), masking_threshold(m, question.beta, question.delta, k))
    hits = int(pairs[chosen].any(axis=0).sum())
    upper = share_bound(hits, k, -log_subsets(m, question.delta), "upper") if chosen else 0.0
    log_choices = m * math.log(2.0)
    return FoundMask(
        chosen=chosen,
        ratio=Estimate(estimate=hits / max(k, 1), lower=0.0, upper=upper, confidence=1.0 - question.delta),
        met=upper <= question.beta,
        sample=k,
        added=contributions.from_pairs(pairs, chosen, evidence.columns, question.delta, log_choices),
    )


def _certified_pairs(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    chain = _chain_on_a(evidence, question)
    pairs = evidence.pairs_inside_b(len(evidence.b) // 2)
    k, level = pairs.shape[1], math.log(question.delta)
    hits = separated_by_prefix(pairs, chain).sum(axis=1)
    length, upper = _judge(chain, question, lambda i: share_bound(int(hits[i]), k, level, "upper") if i else 0.0)
    return FoundMask(
        chosen=chain[:length],
        ratio=Estimate(
            estimate=float(hits[length]) / k if k else 0.0,
            lower=0.0,
            upper=upper,
            confidence=1.0 - question.delta,
        ),
        met=upper <= question.beta,
        sample=k,
        added=contributions.from_pairs(
            pairs, chain[:length], evidence.columns, question.delta, math.log(len(chain) + 1)
        ),
    )


def _paper_tuples(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    table, m = _table(evidence, evidence.a.fingerprints), len(evidence.columns)
    chosen = question.chain(Grouping(table), masking_threshold(m, question.beta, question.delta, table.n))
    level, groups = -log_subsets(m, question.delta), table.partition(chosen).groups
    upper = drawn_share_bound(groups, table.n, level, evidence.population) if chosen else 1.0 / evidence.n
    return _found_tuples(table, chosen, groups, upper, question)


def _certified_tuples(evidence: Evidence, question: MaskQuestion) -> FoundMask:
    chain = _chain_on_a(evidence, question)
    table, level = _table(evidence, evidence.b.fingerprints), math.log(question.delta)
    groups = [Partition.trivial(table.n).groups]
    here = Partition.trivial(table.n)
    for j in chain:
        here = here.refine(table.codes[j], table.sizes[j])
        groups.append(here.groups)

    def upper_of(length: int) -> float:
        return drawn_share_bound(groups[length], table.n, level, evidence.population) if length else 1.0 / evidence.n

    length, upper = _judge(chain, question, upper_of)
    return _found_tuples(table, chain[:length], groups[length], upper, question)


def _chain_on_a(evidence: Evidence, question: MaskQuestion) -> list[int]:
    """Order the columns on A; sets so far beyond β that B cannot pass them are not worth ordering."""
    table = _table(evidence, evidence.a.fingerprints)
    surely_beyond = question.beta + 4.0 / math.sqrt(max(table.n, 1))
    return question.chain(_state(table, question.measure), surely_beyond)


def _judge(chain: list[int], question: MaskQuestion, upper_of: Callable[[int], float]) -> tuple[int, float]:
    """Return the length of the longest prefix that B lets pass, and the bound on its ratio.

    A prefix that passed is certified to be at most β and no better: its own bound was selected by B.  If the
    columns that must be published fail by themselves, they alone are returned, with their bound.
    """
    shortest = len(question.must_publish)
    passed = longest_passing(range(shortest, len(chain) + 1), lambda i: upper_of(i) <= question.beta)
    return (shortest, upper_of(shortest)) if passed is None else (passed, question.beta)


def _found_tuples(table: Table, chosen: list[int], groups: int, upper: float, question: MaskQuestion) -> FoundMask:
    """Return the answer from tuples: a sample bounds the distinct ratio of a small set from above only."""
    return FoundMask(
        chosen=chosen,
        ratio=Estimate(estimate=groups / max(table.n, 1), lower=None, upper=upper, confidence=1.0 - question.delta),
        met=upper <= question.beta,
        sample=table.n,
        added=contributions.from_table(table, chosen, Measure.DISTINCT, exact=False),
    )


def _table(evidence: Evidence, fingerprints: NDArray[np.uint64]) -> Table:
    return table_of(evidence.columns, fingerprints, missing_differ=evidence.missing_differ)


def _state(table: Table, measure: Measure) -> Refinement:
    return Refinement(table) if measure is Measure.SEPARATION else Grouping(table)
