"""The document of an audit: figures of the groups and of each sensitive column, and whether each limit is met."""

from __future__ import annotations

from typing import Literal

from streamqid.problems.answer import Answer, Document

Model = Literal[
    "k-anonymity",
    "distinct l-diversity",
    "frequency l-diversity",
    "entropy l-diversity",
    "recursive (c, l)-diversity",
    "t-closeness",
    "(α, k)-anonymity",
    "δ-disclosure privacy",
    "basic β-likeness",
    "enhanced β-likeness",
]
Suppressed = Literal["value", "any"]


class Limit(Document):
    """One limit that was asked for, and how far the table is from it."""

    model: Model
    column: str | None = None
    """The sensitive column; None for k-anonymity."""
    asked: float
    """The k, l, c, t, α, δ or β."""
    found: float | None
    """The same figure of the worst group, so the best limit that the table meets; None when it meets none at all."""
    met: bool
    worst_group: int
    """Rows in the worst group (the smallest of them)."""
    groups: int
    """Groups that violate the limit."""
    rows: int
    """Rows in these groups."""
    sentence: str


class GroupFigures(Document):
    """Groups of rows that a reader cannot tell apart; with ``suppressed`` "any", the rows that each row matches."""

    groups: int
    smallest: int
    average: float
    largest: int
    unique_rows: int
    """Rows that are alone."""


class SizeBand(Document):
    """Groups of about the same size."""

    least: int
    most: int | None
    """Sizes from ``least`` to ``most``; None when there is no end."""
    groups: int
    rows: int


class QuasiFigures(Document):
    """What one quasi-identifier does to the groups."""

    column: str
    alone: GroupFigures
    """The groups that the column makes by itself."""
    without: GroupFigures
    """The groups that are left when the column is left out."""


class SensitiveFigures(Document):
    """What each model finds in one sensitive column: always the figure of its worst group."""

    column: str
    values: int
    """How many different values the column has."""
    distance: Literal["equal", "ordered", "hierarchical"]
    distinct_l: int
    frequency_l: float
    entropy_l: float
    recursive_c: float | None
    """What c must exceed for recursive (c, l)-diversity, with l as asked (2 by default); None when no c does."""
    recursive_l: int
    t: float
    alpha: float
    delta: float
    beta: float
    enhanced_beta: float | None
    """None when no β makes the table alike in the enhanced sense."""


class Risk(Document):
    """The risk that a person is found in the table by the quasi-identifiers."""

    prosecutor: float
    """Highest risk of a row when the attacker knows that the person is in the table: 1 / its group."""
    journalist: float
    """Highest risk when the attacker does not know it.  The group of the population that the person hides in is at
    least as large as that of the table, so this is an upper bound; it is reached when the table is the population."""
    marketer: float
    """Share of the rows that an attacker who links all of them is expected to link rightly."""


class Cells(Document):
    """Cells of the quasi-identifiers, or of the sensitive columns, that hold no value."""

    quasi: int
    sensitive: int


class AuditAnswer(Answer):
    """How private a table is, as it would be published: equal rows are one group."""

    problem: Literal["audit"] = "audit"
    quasi: list[str]
    sensitive: list[SensitiveFigures]
    groups: GroupFigures
    sizes: list[SizeBand]
    """How many groups, and rows, there are of each size; bands without any are left out."""
    columns: list[QuasiFigures]
    """What each quasi-identifier adds (see ``audit.quasi_figures``); empty when suppressed cells match anything."""
    risk: Risk
    limits: list[Limit]
    met: bool | None
    """Whether every limit is met; None when none was asked for."""
    suppressed_as: Suppressed
    """How suppressed cells of the quasi-identifiers compare: a value of their own, or equal to anything."""
    suppressed: Cells
    missing_as: str
    """How missing cells of the quasi-identifiers compare; those of a sensitive column are one value."""
    missing: Cells
    advice: list[str]
    """What to do next."""
