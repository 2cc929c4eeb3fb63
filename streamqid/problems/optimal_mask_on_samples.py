"""The heaviest masking that a sample proves: a mixed-integer program in place of the greedy algorithm.

Motwani and Xu's Theorems 11 and 12 bound the ratio of all 2^m column sets at once, so the promise does not depend on
how a set is found: every set whose count in the sample is small enough has a ratio of at most β, with probability 1 - δ
for all of them together.  Among these the program finds the heaviest.  The bounds are those of ``measures.bounds``
(Clopper-Pearson on independent pairs, ``drawn_share_bound`` on tuples), which are sharper than the paper's β'.

Nothing is promised about heavier sets that stay within β in the table but not, with the bound, in the sample.  The
conditions are those of ``problems.minimum_key``; the columns must not depend on the sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.bounds import drawn_share_bound, log_subsets, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of
from streamqid.measures.ratios import distinct, separation, unique_estimate
from streamqid.problems import contributions
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.cuts import Within
from streamqid.problems.greedy import Grouping, PairCover
from streamqid.problems.mask_question import FoundMask, MaskQuestion
from streamqid.problems.optimal_mask import optimal_mask, optimality_of_mask
from streamqid.problems.optimum_answer import OptimalMaskAnswer
from streamqid.problems.programs import Cover, lightest
from streamqid.problems.sentences import mask_sentence, optimum_sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.measures.partition import Table
    from streamqid.problems.optimum_answer import Optimality
    from streamqid.sampling.pairs import Evidence


def optimal_mask_on_samples(evidence: Evidence, question: MaskQuestion, *, seconds: float = 60.0) -> OptimalMaskAnswer:
    """Find the heaviest column set that the sample proves to have a ratio of at most β, with probability 1 - δ.

    Where not even the columns that must be published are proven to, they alone are published and ``met`` is false.
    Exact when the sample holds the whole table.
    """
    table = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
    if evidence.whole:
        return optimal_mask(table, question, seconds=seconds)
    by_pairs = question.measure is Measure.SEPARATION
    pairs = evidence.pairs(len(evidence.a)) if by_pairs else np.empty((len(evidence.columns), 0), np.bool_)

    def state() -> PairCover | Grouping:
        return PairCover(pairs) if by_pairs else Grouping(table)

    total = state().total
    upper_of = _upper(len(evidence.columns), total, question)
    most = _largest(total, lambda count: upper_of(count) <= question.beta)
    cover, greedy = _hide(state, question, most, seconds)
    chosen = [j for j in range(len(evidence.columns)) if j not in set(cover.chosen)]
    counted = state()
    for j in chosen:
        counted.add(j)
    upper = upper_of(counted.count) if chosen else 0.0
    ratio = Estimate(
        estimate=counted.count / total if total else 0.0, lower=None, upper=upper, confidence=1.0 - question.delta
    )
    found = FoundMask(chosen=chosen, ratio=ratio, met=upper <= question.beta, sample=total, added=[])
    optimality = optimality_of_mask(evidence.columns, question, cover, greedy, seconds)
    return _answer(evidence, table, question, found, optimality)


def _upper(m: int, total: int, question: MaskQuestion) -> Callable[[int], float]:
    """Return the bound on the ratio of a set with a count, which holds for all 2^m sets at once."""
    level = -log_subsets(m, question.delta)
    if question.measure is Measure.SEPARATION:
        return lambda count: share_bound(count, total, level, "upper")
    return lambda count: drawn_share_bound(count, total, level)


def _largest(total: int, holds: Callable[[int], bool]) -> int:
    """Return the largest count for which a property holds that no larger one has; -1 if not even 0 has it."""
    low, high = -1, total
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _hide(
    state: Callable[[], PairCover | Grouping], question: MaskQuestion, most: int, seconds: float
) -> tuple[Cover, list[int]]:
    """Find the columns to hide; beside them, those that the greedy algorithm publishes."""
    m, forced, none = len(question.weights), state(), state()
    for j in question.must_publish:
        forced.add(j)
    if forced.count > most or none.count > most or not none.total:
        greedy = list(question.must_publish)
        hidden = [j for j in range(m) if j not in set(greedy)]
        weight = float(sum(question.weights[j] for j in hidden))
        return Cover(hidden, weight, weight, optimal=True, rows=0, seconds=0.0), greedy
    greedy = question.chain(state(), most / none.total) if most else list(question.must_publish)
    hidden = [j for j in range(m) if j not in set(greedy)]
    submodular = question.measure is Measure.SEPARATION
    cuts = Within(state, m, most, question.must_publish, submodular=submodular)
    return lightest(question.weights, cuts, hidden, seconds, question.must_hide, question.must_publish), greedy


def _answer(
    evidence: Evidence,
    table: Table,
    question: MaskQuestion,
    found: FoundMask,
    optimality: Optimality,
) -> OptimalMaskAnswer:
    names, here = [evidence.columns[j] for j in found.chosen], table.partition(found.chosen)
    by_pairs = question.measure is Measure.SEPARATION
    # Of the sample only: the ratio that was not asked about has no bound.
    other = Estimate(estimate=(distinct if by_pairs else separation)(here), lower=None, upper=None, confidence=0.0)
    sentence = mask_sentence(names, question, found, exact=False)
    end = f" Among the sets that the sample proves: i{optimum_sentence(optimality, 'heavier')[1:]}"
    log_choices = len(evidence.columns) * float(np.log(2.0))
    return OptimalMaskAnswer(
        measure=question.measure,
        rule=Rule.PAPER,
        beta=question.beta,
        delta=question.delta,
        publish=names,
        hide=[name for name in evidence.columns if name not in set(names)],
        met=found.met,
        separation=found.ratio if by_pairs else other,
        distinct=other if by_pairs else found.ratio,
        unique_rows=unique_estimate(here, question.delta, log_choices),
        contributions=contributions.from_table(table, found.chosen, question.measure, exact=False),
        optimality=optimality,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=found.sample,
        sample_unit="pairs" if by_pairs else "tuples",
        exact=False,
        guarantee=f"{sentence}{end if found.met and names else ''}",
    )
