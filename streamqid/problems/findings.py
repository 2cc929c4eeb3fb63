"""What every method of finding quasi-identifiers says about the same table, in one form, so that it can be compared."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Literal

from streamqid.problems.answer import Answer, Document
from streamqid.problems.sentences import names

if TYPE_CHECKING:
    from collections.abc import Sequence


class Verdict(enum.StrEnum):
    """What a method says about a column."""

    IDENTIFIER = "identifier"
    """It names a person: declared, or nearly unique by itself."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """It belongs to a set that the method found."""
    SENSITIVE = "sensitive"
    """Declared as what must not be learned, and in no set that the method found."""
    HARMLESS = "harmless"
    """The method's own rule rules it out, within the limits that the reason states."""
    NOT_JUDGED = "not judged"
    """The method says nothing about it."""


class Certainty(enum.StrEnum):
    """How sure it is that a method is what its paper means."""

    STATED = "stated"
    """The paper defines it."""
    DERIVED = "derived"
    """The paper or a reference describes it in words that leave little choice."""
    FITTED = "fitted"
    """The description leaves a choice; this one reproduces figures of the paper."""
    GUESSED = "guessed"
    """The description leaves a choice, and no choice that was tried reproduces all figures."""


class ColumnVerdict(Document):
    """What a method says about one column, and why."""

    column: str
    verdict: Verdict
    reason: str


class FoundSet(Document):
    """A column set that a method calls a quasi-identifier, with its measures over the whole table."""

    columns: list[str]
    reason: str
    separation: float
    distinct: float
    unique_rows: int
    """Rows that are alone with their values on the set."""
    rows_below_k: int
    """Rows in groups of fewer than k."""


class Edge(Document):
    """A relation between two attributes."""

    a: str
    b: str
    strength: float | None = None
    """How far one determines the other; None when the edge was declared."""


class PathFound(Document):
    """A path from an identifier to a sensitive attribute: the shortest one through a neighbour of the identifier."""

    attributes: list[str]


class AttributeGraphFound(Document):
    """The graph that the articulation method looked at."""

    source: Literal["declared", "derived"]
    measure: str
    attributes: list[str]
    edges: list[Edge]
    identifiers: list[str]
    sensitive: list[str]
    articulation: list[str]
    """Attributes without which no path is left from an identifier to a sensitive attribute."""
    adjacent: list[str]
    """Attributes next to an identifier on a path to a sensitive attribute."""
    paths: list[PathFound]


class Finding(Document):
    """The result of one method."""

    method: str
    title: str
    rule: str
    """What counts as a quasi-identifier here."""
    guarantee: str
    """What holds about the sets, in one sentence."""
    certainty: Certainty
    exact: bool = True
    """Whether every row was counted; otherwise the finding rests on a sample."""
    judged: bool = True
    """Whether the method could say anything; if not, ``guarantee`` says what it needs."""
    columns: list[ColumnVerdict]
    sets: list[FoundSet]
    """Smallest first."""
    sets_left_off: int = 0
    figures: dict[str, float]
    """Measures of the whole result."""
    parameters: dict[str, str]
    """The settings that the result rests on."""
    notes: list[str]
    graph: AttributeGraphFound | None = None

    def verdict(self, column: str) -> ColumnVerdict:
        """Return what the method says about a column."""
        return next(judged for judged in self.columns if judged.column == column)

    def beyond(self, shown: int) -> str:
        """Say how many sets there are beyond the first ones, and where; nothing if there are none."""
        listed = len(self.sets)
        more = max(0, listed - shown) + self.sets_left_off
        where = f"the first {listed:,}" if self.sets_left_off else "all"
        return f"and {more:,} more ({where} in --json)" if more else ""


class DetectAnswer(Answer):
    """What several methods say about the columns of one table."""

    problem: Literal["detect"] = "detect"
    columns: list[str]
    identifiers: list[str]
    """Declared, or nearly unique by themselves."""
    sensitive: list[str]
    k: int
    findings: list[Finding]


def summary(columns: Sequence[str], findings: Sequence[Finding]) -> str:
    """Say in one sentence which columns the methods agree on."""
    if not findings:
        return "No method could judge the table: give what each of them needs."
    times = [sum(found.verdict(name).verdict is Verdict.QUASI_IDENTIFIER for found in findings) for name in columns]
    every = [name for name, count in zip(columns, times, strict=True) if count == len(findings)]
    some = [name for name, count in zip(columns, times, strict=True) if count]
    if not some:
        return "No method found a quasi-identifier."
    if len(findings) == 1:
        return f"Part of a quasi-identifier: {names(some)}."
    agree = f"all of them agree on {names(every)}" if every else "no column is named by all of them"
    return (
        f"{len(some)} of {len(columns)} columns are part of a quasi-identifier by at least one of {len(findings)} "
        f"methods; {agree}."
    )
