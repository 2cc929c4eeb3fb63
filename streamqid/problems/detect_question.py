"""What is asked of the methods that find quasi-identifiers, and how they fill in a finding."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamqid.measures.ratios import distinct, separation
from streamqid.problems.findings import Certainty, ColumnVerdict, Finding, FoundSet, Verdict
from streamqid.problems.sentences import names, percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamqid.measures.partition import Table
    from streamqid.problems.declared import Dependency

NEARLY_UNIQUE = 0.9
"""A column with a higher distinct ratio is taken for an identifier."""
MOST_SETS = 100
"""Sets that a finding lists."""
MOST_CANDIDATES = 256
"""Columns that a method takes which tries pairs of them or more: 400 can take 20 seconds, even with few rows."""


@dataclass(frozen=True, slots=True)
class DetectQuestion:
    """A whole table and what is known about its columns (given by their numbers)."""

    table: Table
    weights: Sequence[float]
    identifiers: tuple[int, ...] = ()
    """Declared ones."""
    unique: Mapping[int, float] = field(default_factory=dict)
    """Columns that are nearly unique by themselves, with their distinct ratios: taken for identifiers, too."""
    sensitive: tuple[int, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    edges: tuple[tuple[str, str], ...] = ()
    views: tuple[tuple[str, ...], ...] = ()
    """What an attacker may know, as sets of columns."""
    k: int = 5
    epsilon: float | None = None
    """Share of pairs or rows that a set may leave together; by default the paper's for each measure."""
    beta: float | None = None
    """Ratio up to which columns count as harmless; by default the paper's for each measure."""
    most: int = 2
    """Columns in a set that singles out a person."""
    threshold: float = 0.5
    """Gain from which a derived graph has an edge."""

    def candidates(self) -> list[int]:
        """Return the columns that may belong to a quasi-identifier: all but the identifiers."""
        return [j for j in range(len(self.table.columns)) if j not in self.identifiers and j not in self.unique]

    def name(self, columns: Iterable[int]) -> list[str]:
        """Return the names of columns."""
        return [self.table.columns[j] for j in columns]


def nearly_unique(table: Table, sensitive: Sequence[int] = ()) -> dict[int, float]:
    """Return the distinct ratio of each column that is nearly unique by itself and not declared as sensitive."""
    ratios = {j: distinct(table.partition([j])) for j in range(len(table.columns)) if j not in sensitive}
    return {j: ratio for j, ratio in ratios.items() if ratio > NEARLY_UNIQUE and table.n > 1}


@dataclass(frozen=True, slots=True)
class Method:
    """How a finding describes the method that made it."""

    name: str
    title: str
    rule: str
    certainty: Certainty = Certainty.STATED


def found_set(question: DetectQuestion, columns: Sequence[int], reason: str) -> FoundSet:
    """Measure a set over the whole table."""
    here = question.table.partition(columns)
    small = int(here.sizes[here.sizes < question.k].sum())
    return FoundSet(
        columns=question.name(columns),
        reason=reason,
        separation=separation(here),
        distinct=distinct(here),
        unique_rows=here.unique_rows,
        rows_below_k=small + (here.unique_rows if question.k > 1 else 0),
    )


def finding(
    question: DetectQuestion,
    method: Method,
    sets: Sequence[tuple[Sequence[int], str]],
    guarantee: str,
    others: dict[int, tuple[Verdict, str]],
    *,
    figures: dict[str, float] | None = None,
    parameters: dict[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Finding:
    """Return the finding of a method.

    Parameters
    ----------
    question
        What was asked.
    method
        Who found it.
    sets
        The sets found, each with a reason, smallest first.
    guarantee
        What holds about them.
    others
        What the method says about columns in none of the sets; columns without an entry are not judged.
    figures, parameters, notes
        Measures of the whole result, the settings it rests on, and what else a reader must know.
    """
    shown = [found_set(question, columns, reason) for columns, reason in sets[:MOST_SETS]]
    return Finding(
        method=method.name,
        title=method.title,
        rule=method.rule,
        guarantee=guarantee,
        certainty=method.certainty,
        columns=_verdicts(question, [columns for columns, _ in sets], others),
        sets=shown,
        sets_left_off=len(sets) - len(shown),
        figures=figures or {},
        parameters=parameters or {},
        notes=list(notes),
    )


def nothing_left(question: DetectQuestion) -> str | None:
    """Return that there is nothing to judge; None if there is something."""
    return None if question.candidates() else "Every column is an identifier: there is no other column to judge."


def too_many(question: DetectQuestion) -> str | None:
    """Return that there are more columns than a method takes that tries sets of them; None if there are not."""
    count = len(question.candidates())
    if count <= MOST_CANDIDATES:
        return None
    return f"It tries sets of columns and takes up to {MOST_CANDIDATES} of them, not {count:,}: leave out columns."


def unjudged(question: DetectQuestion, method: Method, need: str) -> Finding:
    """Return the finding of a method that cannot say anything, with what it needs."""
    columns = [ColumnVerdict(column=name, verdict=Verdict.NOT_JUDGED, reason=need) for name in question.table.columns]
    return Finding(
        method=method.name,
        title=method.title,
        rule=method.rule,
        guarantee=need,
        certainty=method.certainty,
        judged=False,
        columns=columns,
        sets=[],
        figures={},
        parameters={},
        notes=[],
    )


def _verdicts(
    question: DetectQuestion, sets: Sequence[Sequence[int]], others: dict[int, tuple[Verdict, str]]
) -> list[ColumnVerdict]:
    result = []
    for j, name in enumerate(question.table.columns):
        inside = [columns for columns in sets if j in columns]
        if j in question.identifiers:
            verdict, reason = Verdict.IDENTIFIER, "declared as an identifier"
        elif inside:
            verdict, reason = Verdict.QUASI_IDENTIFIER, _membership(question, inside)
        elif j in question.unique:
            share = percent(question.unique[j], exact=True)
            verdict, reason = Verdict.IDENTIFIER, f"nearly unique by itself: distinct ratio {share}"
        elif j in question.sensitive:
            verdict, reason = Verdict.SENSITIVE, "declared as sensitive, and in no set found"
        else:
            verdict, reason = others.get(j, (Verdict.NOT_JUDGED, "not in the set found; other sets may hold it"))
        result.append(ColumnVerdict(column=name, verdict=verdict, reason=reason))
    return result


def _membership(question: DetectQuestion, inside: Sequence[Sequence[int]]) -> str:
    smallest = question.name(inside[0])
    more = f" and {len(inside) - 1} more" if len(inside) > 1 else ""
    return f"by itself{more}" if len(smallest) == 1 else f"in {names(smallest)}{more}"
