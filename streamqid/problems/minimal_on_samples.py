"""All minimal sets from a sample: what no set of the table can miss, and what is certain.

With probability at least 1 - δ over the secret, for all 2^m column sets at once:

- nothing is missed: every column set that reaches the ratio in the table holds one of the sets that are told, since
  only sets were left out whose upper bound is below the ratio (half of δ);
- a set that is called certain reaches the ratio: its lower bound does (the other half).

Separation is judged on independent pairs (Clopper-Pearson), distinct on tuples (``drawn_share_bound`` above,
``repeats_bound`` below).  Keys need no probability for the first claim: two rows of the sample that all columns tell
apart and a set does not show that it is no key (the paper's Fact); that a set is a key no sample can show.

Condition, besides those of ``minimum_key``: which columns there are must not depend on the sample.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.bounds import drawn_share_bound, log_subsets, repeats_bound, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of
from streamqid.problems.all_minimal import all_minimal, names, ranked
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.minimal_answer import MinimalAnswer, MinimalSet, minimal_sentence, problem_of
from streamqid.problems.minimal_sets import minimal_sets
from streamqid.problems.set_costs import Costs, PairCosts, TableCosts, limit_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamqid.problems.minimal_question import MinimalQuestion
    from streamqid.sampling.pairs import Evidence


def minimal_on_samples(evidence: Evidence, question: MinimalQuestion) -> MinimalAnswer:
    """Find the minimal sets that the table may have, and say which of them are certain to reach the ratio.

    When the sample holds the whole table the answer is exact.
    """
    table = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
    if evidence.whole:
        return all_minimal(table, question)
    m, by_pairs = len(evidence.columns), question.measure is Measure.SEPARATION
    judge: Costs = PairCosts(evidence.pairs(len(evidence.a))) if by_pairs else TableCosts(table, question.measure)
    ratio_of = _ratios(judge.total, evidence.records, m, question)
    if question.keys:
        costs: Costs = TableCosts(table, question.measure)
        limit = limit_of(TableCosts(table, question.measure), question)
    else:
        costs, limit = judge, _largest(judge.total, lambda cost: (ratio_of(cost).upper or 0.0) >= question.target)
    search = minimal_sets(costs, limit, rows=max(table.n, judge.total), max_size=question.max_size)
    found = ranked(search.take(question.max_sets), question.weights)
    judged = _costs(judge, [one.columns for one in found])
    ratios = [ratio_of(cost) for cost in judged]
    sets = [
        MinimalSet(
            columns=names(evidence.columns, one),
            ratio=ratio,
            certain=not question.keys and (ratio.lower or 0.0) >= question.target,
        )
        for one, ratio in zip(found, ratios, strict=True)
    ]
    up_to = search.complete_up_to if search.complete_up_to >= 0 else None
    delta = None if question.keys else question.delta
    return MinimalAnswer(
        problem=problem_of(question),
        measure=question.measure,
        rule=Rule.PAPER,
        method="search",
        epsilon=None if question.beta is not None else question.epsilon,
        beta=question.target,
        delta=question.delta,
        sets=sets,
        complete=up_to == m,
        complete_up_to=up_to,
        tested=search.tested,
        inseparable_rows=len(table.partition(range(m)).rows),
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=judge.total,
        sample_unit="pairs" if by_pairs else "tuples",
        exact=False,
        guarantee=minimal_sentence(question, sets, up_to=up_to, m=m, delta=delta, exact=False),
    )


def _ratios(k: int, records: int, m: int, question: MinimalQuestion) -> Callable[[int], Estimate]:
    """Return the function from a cost in the sample to the ratio, with bounds that hold for all sets at once."""
    level = -log_subsets(m, question.delta / 2)

    def by_pairs(cost: int) -> Estimate:
        return Estimate(
            estimate=1.0 - cost / max(1, k),
            lower=1.0 - share_bound(cost, k, level, "upper"),
            upper=1.0 - share_bound(cost, k, level, "lower"),
            confidence=1.0 - question.delta,
        )

    def by_tuples(cost: int) -> Estimate:
        repeated = repeats_bound(cost, k, records, level)
        return Estimate(
            estimate=1.0 - cost / max(1, k),
            lower=None if repeated is None else 1.0 - repeated,
            upper=drawn_share_bound(k - cost, k, level),
            confidence=1.0 - question.delta,
        )

    return by_pairs if question.measure is Measure.SEPARATION else by_tuples


def _largest(total: int, holds: Callable[[int], bool]) -> int:
    """Return the largest cost for which a property holds that no larger one has; it holds for 0."""
    low, high = 0, total
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if holds(middle) else (low, middle - 1)
    return low


def _costs(judge: Costs, sets: Sequence[Sequence[int]]) -> list[int]:
    chosen = np.zeros((len(sets), judge.m), np.bool_)
    for row, columns in zip(chosen, sets, strict=True):
        row[list(columns)] = True
    return [int(cost) for cost in judge.of(chosen)]
