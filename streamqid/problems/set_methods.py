"""All minimal sets (Motwani and Xu) and k-anonymity (Yuan and Wang) as methods of detection, over a whole table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.all_minimal import all_minimal
from streamqid.problems.answer import Measure
from streamqid.problems.detect_question import MOST_SETS as LISTED
from streamqid.problems.detect_question import Method, finding, nothing_left, too_many, unjudged
from streamqid.problems.findings import Verdict
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.minimal_sets import LATTICE_COLUMNS, affordable_size
from streamqid.problems.qid import minimum_qid

if TYPE_CHECKING:
    from streamqid.problems.detect_question import DetectQuestion
    from streamqid.problems.findings import Finding

EPSILON = 0.001
LARGEST_SET, MOST_SETS = 4, 2000
"""Where not all sets are looked at, sets of at most so many columns, fewer in large tables; at most so many sets."""
SECONDS = 20.0

MINIMAL = Method(
    "minimal",
    "All minimal sets (Motwani and Xu)",
    "Every set on which all but the share ε of the pairs of rows differ, and of which no column can be left out.",
)
ANONYMITY = Method(
    "k-anonymity",
    "Minimum quasi-identifier against k-anonymity (Yuan and Wang)",
    "A smallest column set that puts some row into a group of fewer than k rows.",
)


def by_minimal_sets(question: DetectQuestion) -> Finding:
    """Find every minimal set of the columns that are no identifiers, exactly on the rows."""
    if need := nothing_left(question):
        return unjudged(question, MINIMAL, need)
    candidates = question.candidates()
    table = question.table.select(candidates)
    epsilon = EPSILON if question.epsilon is None else question.epsilon
    most = None
    if len(candidates) > LATTICE_COLUMNS:
        most = min(LARGEST_SET, affordable_size(len(candidates), table.n))
    weights = [question.weights[j] for j in candidates]
    answer = all_minimal(
        table, MinimalQuestion(Measure.SEPARATION, epsilon, 0.01, weights, max_size=most, max_sets=MOST_SETS)
    )
    number = {name: j for j, name in zip(candidates, table.columns, strict=True)}
    sets = [([number[name] for name in found.columns], "no column can be left out") for found in answer.sets]
    outside = (Verdict.HARMLESS, "in no minimal set") if answer.complete else None
    notes = ["A column in no minimal set can still be part of a larger, not minimal set."] if outside else []
    if len(sets) > LISTED:
        notes.append("All of them: streamqid keys --all (streamqid.all_keys).")
    return finding(
        question,
        MINIMAL,
        sets,
        answer.guarantee,
        {} if outside is None else dict.fromkeys(candidates, outside),
        figures={"minimal sets": float(len(sets))},
        parameters={"ε": f"{epsilon:g}"},
        notes=notes,
    )


def by_k_anonymity(question: DetectQuestion) -> Finding:
    """Find one smallest quasi-identifier against k-anonymity among the columns that are no identifiers."""
    if need := nothing_left(question) or too_many(question):
        return unjudged(question, ANONYMITY, need)
    candidates = question.candidates()
    table = question.table.select(candidates)
    weights = [question.weights[j] for j in candidates]
    answer = minimum_qid(table, question.k, weights, seconds=SECONDS)
    number = {name: j for j, name in zip(candidates, table.columns, strict=True)}
    chosen = [number[name] for name in answer.columns or ()]
    harmless = (Verdict.HARMLESS, "all columns together are k-anonymous")
    smallest = answer.optimality is None or answer.optimality.optimal
    return finding(
        question,
        ANONYMITY,
        # In a table of fewer than k rows the empty set exposes all of them.
        [] if answer.anonymous else [(chosen, f"{'a smallest' if smallest else 'the best'} set that exposes some row")],
        answer.guarantee,
        dict.fromkeys(candidates, harmless) if answer.anonymous else {},
        parameters={"k": str(question.k)},
    )
