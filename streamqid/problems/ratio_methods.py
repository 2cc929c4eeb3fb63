"""The separation and the distinct ratio (Motwani and Xu) as methods of detection, over a whole table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.measures.ratios import distinct, separation
from streamqid.problems.answer import Measure
from streamqid.problems.detect_question import Method, finding, nothing_left, unjudged
from streamqid.problems.findings import Verdict
from streamqid.problems.greedy import Refinement, key_chain, mask_chain, state_of
from streamqid.problems.needed import asked_count, counts_of_prefixes, needed_count
from streamqid.problems.sentences import names, percent

if TYPE_CHECKING:
    from streamqid.problems.detect_question import DetectQuestion
    from streamqid.problems.findings import Finding

METHODS = {
    Measure.SEPARATION: Method(
        "separation",
        "Separation ratio (Motwani and Xu)",
        "A small column set on which all but the share ε of the pairs of rows differ.",
    ),
    Measure.DISTINCT: Method(
        "distinct",
        "Distinct ratio (Motwani and Xu)",
        "A small column set with all but the share ε as many different values as there are rows.",
    ),
}
EPSILON = {Measure.SEPARATION: 0.001, Measure.DISTINCT: 0.1}
BETA = {Measure.SEPARATION: 0.8, Measure.DISTINCT: 0.5}
"""What the paper's experiments ask of each measure (its Tables 4, 3 and 2)."""
UNIT = {Measure.SEPARATION: "of the pairs of rows differ", Measure.DISTINCT: "as many different values as rows"}
THERE = {Measure.SEPARATION: "", Measure.DISTINCT: "there are "}


def by_separation(question: DetectQuestion) -> Finding:
    """Find a small set by the separation ratio."""
    return _by_ratio(question, Measure.SEPARATION)


def by_distinct(question: DetectQuestion) -> Finding:
    """Find a small set by the distinct ratio."""
    return _by_ratio(question, Measure.DISTINCT)


def _by_ratio(question: DetectQuestion, measure: Measure) -> Finding:
    """Find one set greedily, and a large set of other columns that stays within β (sections 2 and 4 of the paper).

    Exact over the rows; the set is the shortest prefix of the greedy key that reaches 1 - ε, or what all columns
    reach less ε where duplicate rows prevent that.  Nothing is promised about its size, nor about sets not found.
    """
    method, candidates = METHODS[measure], question.candidates()
    if need := nothing_left(question):
        return unjudged(question, method, need)
    ratio = separation if measure is Measure.SEPARATION else distinct
    epsilon = EPSILON[measure] if question.epsilon is None else question.epsilon
    beta = BETA[measure] if question.beta is None else question.beta
    table = question.table.select(candidates)
    weights = [question.weights[j] for j in candidates]
    chain = key_chain(Refinement(table), weights)
    counts, total = counts_of_prefixes(table, measure, chain)
    least = needed_count(counts[-1], total, epsilon)
    length = next(i for i, count in enumerate(counts) if count >= least)
    value, best = (ratio(table.partition(chain[:end])) for end in (length, len(chain)))
    chosen = [candidates[j] for j in chain[:length]]
    mask = mask_chain(state_of(table, measure), weights, [], range(len(candidates)), beta)
    publish = [candidates[j] for j in mask]
    others = f"with {len(publish) - 1} others" if len(publish) != 2 else "with one other"
    reason = f"{others if len(publish) > 1 else 'by itself'} within the limit: {percent(beta)} {UNIT[measure]}"
    share = f"{THERE[measure]}exactly {percent(value, exact=True)} {UNIT[measure]}"
    reached = counts[length] >= asked_count(total, epsilon)
    short = "" if reached else f" ({percent(best, exact=True)} with all columns)"
    return finding(
        question,
        method,
        [(chosen, "chosen greedily, in this order")] if chosen else [],
        f"{f'On {names(question.name(chosen))}' if chosen else 'Without any column'} {share}{short}: "
        "every row was counted. It is the set that the greedy algorithm finds; there may be others.",
        {j: (Verdict.HARMLESS, reason) for j in publish if j not in chosen},
        parameters={"ε": f"{epsilon:g}", "β": f"{beta:g}"},
    )
