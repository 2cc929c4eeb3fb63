"""Quasi-identifiers by functional dependency (Hua et al.): declared and instance dependencies, and their merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.measures.disclosure import average_group_records, disclosure_probability
from streamqid.problems.declared import declared_quasi_identifiers, without_supersets
from streamqid.problems.detect_question import Method, finding, too_many, unjudged
from streamqid.problems.findings import Certainty, Verdict
from streamqid.problems.instance import dependency_error, instance_dependencies, instance_quasi_identifiers
from streamqid.problems.sentences import percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.problems.detect_question import DetectQuestion
    from streamqid.problems.findings import Finding
    from streamqid.problems.instance import SinglingSet

ERROR, LISTED = 0.01, 10
"""g3 up to which a dependency of the rows is told, and how many of them are listed."""

METHOD = Method(
    "dependencies",
    "Functional dependencies (Hua et al.)",
    "A minimal column set that determines the identifier, by declared dependencies or by some of its values.",
    Certainty.FITTED,
)


def dependencies(question: DetectQuestion) -> Finding:
    """Merge the results of Algorithm 1 (declared) and Algorithm 2 (instance) and keep the minimal sets (section IV.C).

    Exact over the rows, and complete for sets of at most ``question.most`` columns; declared dependencies are taken
    at their word, and their g3 error on the table is told.
    """
    if need := too_many(question):
        return unjudged(question, METHOD, need)
    table = question.table
    reasons = _reasons(question)
    minimal = [(tuple(sorted(map(table.columns.index, found))), reasons[found]) for found in without_supersets(reasons)]
    sets = sorted(minimal, key=lambda item: (len(item[0]), -table.partition(item[0]).unique_rows, item[0]))
    union = sorted({j for columns, _ in sets for j in columns})
    compared = question.sensitive or tuple(range(len(table.columns)))
    figures = {}
    if union:
        figures = {
            "AGR": average_group_records(table.partition(union)),
            "PDP": disclosure_probability(table, union, compared),
        }
    size = f"{question.most} column{'s' if question.most > 1 else ''}"
    harmless = f"no set of at most {size} needs it to have a value that belongs to {_one(question)}"
    return finding(
        question,
        METHOD,
        sets,
        f"Every minimal set of at most {size} with a value that belongs to {_one(question)} is listed, "
        "and every minimal set that the declared dependencies give (exact: every row was counted).",
        dict.fromkeys(question.candidates(), (Verdict.HARMLESS, harmless)),
        figures=figures,
        parameters={
            "columns in a set": f"at most {question.most} (no limit in the paper; 2 fits its results)",
            "identifier": ", ".join(question.name(question.identifiers)) or "the row: none was declared",
            "PDP compares": ", ".join(question.name(question.sensitive)) or "all columns",
        },
        notes=[*_errors(question), *_of_the_rows(question)],
    )


def _one(question: DetectQuestion) -> str:
    who = question.name(question.identifiers)
    return f"one value of {' and '.join(who)} only" if who else "one row only"


def _reasons(question: DetectQuestion) -> dict[frozenset[str], str]:
    """Return every set found, with where it comes from."""
    table = question.table
    singling = instance_quasi_identifiers(table, question.identifiers, question.candidates(), question.most)
    reasons = {frozenset(question.name(found.columns)): _singled(found, question.identifiers) for found in singling}
    if question.identifiers:
        for declared in declared_quasi_identifiers(question.dependencies, question.name(question.identifiers)):
            also = f"; {reasons[declared]}" if declared in reasons else ""
            reasons[declared] = f"determines the identifier by declared dependencies{also}"
    return reasons


def _singled(found: SinglingSet, identifiers: Sequence[int]) -> str:
    values = f"{found.values:,} value{'s' if found.values > 1 else ''}"
    belong = "belong" if found.values > 1 else "belongs"
    if not identifiers:
        return f"{values} {belong} to one row"
    return f"{values} {belong} to one identifier ({found.rows:,} row{'s' if found.rows > 1 else ''})"


def _errors(question: DetectQuestion) -> list[str]:
    """Say how far the rows obey the declared dependencies, and that some could not be used."""
    notes = []
    if question.dependencies and not question.identifiers:
        notes.append("The declared dependencies were not used: they need an identifier (--identifier).")
    for declared in question.dependencies:
        error = dependency_error(question.table, sorted(declared.left), sorted(declared.right))
        obeyed = "holds on all rows" if not error else f"is broken by {percent(error, exact=True)} of the rows (g3)"
        notes.append(f"Declared: {declared} {obeyed}.")
    return notes


def _of_the_rows(question: DetectQuestion) -> list[str]:
    """Tell which columns that are no identifiers determine others, nearly or fully, by the rows."""
    table = question.table.select(question.candidates())
    found = sorted(instance_dependencies(table, ERROR, most=1), key=lambda d: (d.error, d.left, d.right))
    alike = [table.columns[d.right] for d in found if not d.left]
    others = [d for d in found if d.left]
    notes, most = [], percent(ERROR)
    if alike:
        notes.append(f"The same value in all rows but at most {most}: {', '.join(alike)}.")
    if others:
        told = ", ".join(
            f"{table.columns[d.left[0]]}->{table.columns[d.right]} ({percent(d.error, exact=True)})"
            for d in others[:LISTED]
        )
        more = f", and {len(others) - LISTED} more" if len(others) > LISTED else ""
        notes.append(f"Dependencies of the rows, broken by at most {most} of them (g3): {told}{more}.")
    return notes
