"""(ε, δ)-minimum keys and minimum β-separation sets: small column sets that identify nearly every row.

Condition of every promise here: the secret that places the samples is independent of the table.  Records are
counted; how many of them can be read need not be known (docs/decisions/0006).  Nothing is assumed about the
table, nor that the sample is a small part of it: pairs are replayed as independent draws (sampling.pairs), and
bounds on tuples are those of draws without replacement (measures.bounds).

Duplicate rows: no column set separates them, so a key is a set that separates all that the full set separates.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Table, partition_by_all, table_of
from streamqid.measures.ratios import crowded, distinct, separation, unique, unique_estimate
from streamqid.problems import contributions, keys_by_all_pairs, keys_by_pairs, keys_by_tuples
from streamqid.problems.answer import KeyAnswer, Measure, Rule
from streamqid.problems.greedy import Refinement, key_chain
from streamqid.problems.key_question import FoundKey, KeyQuestion
from streamqid.problems.sentences import key_sentence

if TYPE_CHECKING:
    from streamqid.sampling.pairs import Evidence


def minimum_key(evidence: Evidence, question: KeyQuestion) -> KeyAnswer:
    """Find a small column set whose ratio is high, with the promise that the rule earns.

    Paper rule, separation (Theorem 5): ratio at least 1 - ε with probability 1 - δ, size at most 1 + ln k
    times that of the smallest key.  Paper rule, distinct (Theorem 7): the same, size at most 1 + 2 ln k times.
    With β (Theorem 8): ratio at least (1 - ε)β, size at most 1 + ln((2 - ε)βk/2) times that of the smallest
    β-separation set.  Certified rule: the same ratio with the same δ, judged on the other sample; nothing is
    promised about the size.  Rule tuples, separation: as the paper's, on all pairs of Θ(m/√ε) tuples
    (``problems.keys_by_all_pairs``).  Exact when the sample holds the whole table.

    Where duplicates put 1 - ε out of reach, the promise is about what the set loses against all columns.
    """
    found = _solve(evidence, question)
    names = [evidence.columns[j] for j in found.chosen]
    inseparable = _inseparable(evidence, question.delta)
    by_pairs = question.measure is Measure.SEPARATION
    return KeyAnswer(
        problem="minimum key" if question.beta is None else "minimum beta-separation set",
        measure=question.measure,
        rule=question.rule,
        epsilon=question.epsilon,
        delta=question.delta,
        beta=question.beta,
        columns=names,
        met=found.met,
        separation=found.ratio if by_pairs else None,
        distinct=None if by_pairs else found.ratio,
        inseparable=inseparable,
        inseparable_rows=round(inseparable.estimate * evidence.n),
        contributions=found.added,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=found.sample,
        sample_unit=_unit(evidence, question),
        exact=evidence.whole,
        guarantee=key_sentence(
            names,
            evidence.n,
            question,
            found,
            exact=evidence.whole,
            crowded=_crowded(evidence, found),
            unreadable=evidence.population is None,
        ),
    )


def _solve(evidence: Evidence, question: KeyQuestion) -> FoundKey:
    if question.measure is Measure.SEPARATION and question.rule is Rule.PAPER and not evidence.whole:
        return keys_by_pairs.paper(evidence, question)
    table = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
    if evidence.whole:
        return _exact(table, question)
    if question.rule is Rule.TUPLES:
        return keys_by_all_pairs.tuples(evidence, table, question)
    if question.measure is Measure.SEPARATION:
        return keys_by_pairs.certified(evidence, table, question)
    if question.rule is Rule.PAPER:
        return keys_by_tuples.paper(evidence, table, question)
    return keys_by_tuples.certified(evidence, table, question)


def _exact(table: Table, question: KeyQuestion) -> FoundKey:
    """Solve over the whole table.

    The rules paper and tuples ask for a key of what they see, so here for an exact key; the certified rule stops
    at the shortest set of the chain that meets the target.
    """
    ratio = separation if question.measure is Measure.SEPARATION else distinct
    chain = key_chain(Refinement(table), question.weights)
    values = [ratio(table.partition(chain[:length])) for length in range(len(chain) + 1)]
    best = values[-1]
    length = len(chain)
    if question.beta is not None:
        length = next(i for i, value in enumerate(values) if value >= min(question.beta, best))
    elif question.rule is Rule.CERTIFIED:
        wanted = question.target if best >= question.target else best - question.slack
        length = next(i for i, value in enumerate(values) if value >= wanted)
    value, chosen = values[length], chain[:length]
    reached = value >= question.target
    return FoundKey(
        chosen=chosen,
        ratio=Estimate.exact(value),
        promised=value,
        lost=None if reached or question.beta is not None else best - value,
        met=reached or question.beta is None,
        sample=table.n,
        added=contributions.from_table(table, chosen, question.measure, exact=True),
    )


def _unit(evidence: Evidence, question: KeyQuestion) -> Literal["pairs", "tuples", "rows"]:
    if evidence.whole:
        return "rows"
    by_pairs = question.measure is Measure.SEPARATION and question.rule is not Rule.TUPLES
    return "pairs" if by_pairs else "tuples"


def _crowded(evidence: Evidence, found: FoundKey) -> bool:
    here = partition_by_all(evidence.a.fingerprints[:, found.chosen], missing_differ=evidence.missing_differ)
    return crowded(here, evidence.n)


def _inseparable(evidence: Evidence, delta: float) -> Estimate:
    """Return the share of rows that equal another row on all columns; a sample bounds it from below only."""
    everything = partition_by_all(evidence.a.fingerprints, missing_differ=evidence.missing_differ)
    if evidence.whole:
        return Estimate.exact(1.0 - unique(everything))
    alone = unique_estimate(everything, delta)
    return Estimate(
        estimate=1.0 - alone.estimate,
        lower=None if alone.upper is None else 1.0 - alone.upper,
        upper=None,
        confidence=alone.confidence,
    )
