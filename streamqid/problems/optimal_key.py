"""The minimum key and the minimum β-separation set of a table, exactly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Table, table_of
from streamqid.measures.ratios import crowded, distinct, separation, unique
from streamqid.problems import contributions, keys_by_all_pairs
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.cuts import Differences, Reaching
from streamqid.problems.greedy import Refinement, key_chain, state_of
from streamqid.problems.key_question import FoundKey, KeyQuestion
from streamqid.problems.needed import asked_count, counts_of_prefixes, needed_count
from streamqid.problems.optimum_answer import OptimalKeyAnswer, optimality_of
from streamqid.problems.programs import lightest
from streamqid.problems.sentences import key_sentence, optimum_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.problems.programs import Cuts
    from streamqid.sampling.pairs import Evidence


def optimal_key(
    table: Table,
    weights: Sequence[float],
    measure: Measure = Measure.SEPARATION,
    epsilon: float = 0.0,
    beta: float | None = None,
    *,
    seconds: float = 60.0,
) -> OptimalKeyAnswer:
    """Find the lightest column set whose ratio is at least 1 - ε, or β where that is given.

    Everything is exact on the table: the ratio, and that no lighter set reaches it, unless time ran out, which the
    answer says.  Where rows that are equal on all columns put 1 - ε out of reach, the set may lose the share ε
    against all columns; ε = 0 asks for a key, a set that separates all that all columns separate.  A β out of
    reach is answered by a key as well.

    Keys are set covers of difference sets (Motwani-Xu, section 2.1), the others submodular covers by separation;
    by distinct ratio, whose gains may grow, only the rows that follow from its growth with the set are used.
    """
    question = KeyQuestion(measure, 0.0 if beta is not None else epsilon, 0.0, Rule.PAPER, weights, beta)
    chain = key_chain(Refinement(table), weights)
    counts, total = counts_of_prefixes(table, measure, chain)
    need = needed_count(counts[-1], total, question.epsilon, beta)
    greedy = chain[: next(i for i, count in enumerate(counts) if count >= need)]
    cover = lightest(weights, _cuts(table, measure, need, counts[-1]), greedy, seconds)
    columns = [table.columns[j] for j in cover.chosen]
    here = table.partition(cover.chosen)
    found = _found(table, question, cover.chosen, reached=counts[-1] >= asked_count(total, question.epsilon, beta))
    sentence = key_sentence(columns, table.n, question, found, exact=True, crowded=crowded(here, table.n))
    optimality = optimality_of(table.columns, cover, greedy, weights, seconds)
    return OptimalKeyAnswer(
        problem="optimal key" if beta is None else "optimal beta-separation set",
        measure=measure,
        epsilon=question.epsilon,
        beta=beta,
        columns=columns,
        met=found.met,
        separation=Estimate.exact(separation(here)),
        distinct=Estimate.exact(distinct(here)),
        inseparable_rows=table.n - table.partition(chain).unique_rows,
        contributions=found.added,
        optimality=optimality,
        rows=table.n,
        sample=table.n,
        sample_unit="rows",
        exact=True,
        guarantee=f"{sentence} {optimum_sentence(optimality, 'lighter')}",
    )


def optimal_key_of_tuples(evidence: Evidence, question: KeyQuestion, *, seconds: float = 60.0) -> OptimalKeyAnswer:
    """Find the lightest key of the tuples of A, for tables that are too large to hold.

    The promise is that of the rule tuples (``problems.keys_by_all_pairs``), which holds for every set that separates
    the tuples: separation at least 1 - ε with probability 1 - δ.  A key of the whole table separates the
    tuples too, so the set is no heavier than the lightest key.  Exact when the sample holds the whole table.
    """
    table = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
    if evidence.whole:
        return optimal_key(table, question.weights, question.measure, question.epsilon, seconds=seconds)
    greedy = key_chain(Refinement(table), question.weights)
    cover = lightest(question.weights, Differences(table), greedy, seconds)
    found = keys_by_all_pairs.judged(evidence, table, question, cover.chosen)
    columns = [table.columns[j] for j in cover.chosen]
    here, everything = table.partition(cover.chosen), table.partition(greedy)
    sentence = key_sentence(columns, evidence.n, question, found, exact=False, crowded=crowded(here, evidence.n))
    optimality = optimality_of(table.columns, cover, greedy, question.weights, seconds)
    return OptimalKeyAnswer(
        problem="optimal key",
        measure=question.measure,
        rule=Rule.TUPLES,
        epsilon=question.epsilon,
        delta=question.delta,
        columns=columns,
        met=found.met,
        separation=found.ratio,
        distinct=Estimate(estimate=distinct(here), lower=None, upper=None, confidence=0.0),
        inseparable_rows=round((1.0 - unique(everything)) * evidence.n),
        contributions=found.added,
        optimality=optimality,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=table.n,
        sample_unit="tuples",
        exact=False,
        guarantee=f"{sentence} Among the sets that separate the sample: i{optimum_sentence(optimality, 'lighter')[1:]}",
    )


def _cuts(table: Table, measure: Measure, need: int, best: int) -> Cuts:
    if need == best:
        return Differences(table)
    submodular = measure is Measure.SEPARATION
    return Reaching(lambda: state_of(table, measure), len(table.columns), need, submodular=submodular)


def _found(table: Table, question: KeyQuestion, chosen: list[int], *, reached: bool) -> FoundKey:
    ratio = separation if question.measure is Measure.SEPARATION else distinct
    value, best = ratio(table.partition(chosen)), ratio(table.partition(range(len(table.columns))))
    return FoundKey(
        chosen=chosen,
        ratio=Estimate.exact(value),
        promised=value,
        lost=None if reached or question.beta is not None else best - value,
        met=reached or question.beta is None,
        sample=table.n,
        added=contributions.from_table(table, chosen, question.measure, exact=True),
    )
