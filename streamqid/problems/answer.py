"""The documents that solvers return: what was found, what is promised about it, and on which conditions."""

from __future__ import annotations

import enum
from typing import Literal

from pydantic import BaseModel, ConfigDict

from streamqid import notebooks
from streamqid.measures.estimate import Estimate


class Measure(enum.StrEnum):
    """What counts as identifying."""

    SEPARATION = "separation"
    """Share of pairs of rows that differ on some column of the set."""
    DISTINCT = "distinct"
    """Number of different rows on the set, divided by the number of rows."""


class Rule(enum.StrEnum):
    """How the promise is earned."""

    PAPER = "paper"
    """Choose and judge on one sample, at the price of all 2^m column sets (Motwani-Xu)."""
    CERTIFIED = "certified"
    """Choose on sample A, judge the nested choices on sample B in a fixed order, at the price of one set."""
    TUPLES = "tuples"
    """As ``paper``, on all pairs of fewer tuples: Θ(m/√ε) of them (Hildebrant et al. 2022); keys by separation only."""


GENERAL_RULES = (Rule.PAPER, Rule.CERTIFIED)
"""The rules by which every question can be asked."""


class Document(BaseModel):
    """Base of all answers: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def _repr_html_(self) -> str | None:
        """Return markup for a notebook; None lets it show the plain text."""
        return notebooks.view(self)


class Contribution(Document):
    """How much risk one column adds to the answer's column set."""

    column: str
    member: bool
    """Whether the column belongs to the set."""
    change: Estimate
    """What the ratio of the set loses without a member, and gains with a column that is no member."""


class Unreadable(Document):
    """Records that were looked at and could not be read; all others were used."""

    looked_at: int
    found: int
    reasons: dict[str, int]
    lines: list[int]
    """Line numbers (or record numbers) of the first ones."""


class Answer(Document):
    """What every answer carries."""

    rows: int
    """Rows of the table that can be read."""
    rows_estimated: bool = False
    """Whether their number is estimated: some records could not be read, and not all were looked at."""
    sample: int
    """Number of pairs, tuples or rows that the answer was judged on."""
    sample_unit: Literal["pairs", "tuples", "rows"]
    exact: bool
    """Whether the sample holds the whole table, so that nothing in the answer is uncertain."""
    seed: int | None = None
    """Number that repeats this answer (``--seed``); None when the secret came from a key file."""
    guarantee: str
    """The promise in one sentence."""
    unreadable: Unreadable | None = None


class KeyAnswer(Answer):
    """A small column set that identifies nearly every row: a quasi-identifier."""

    problem: Literal["minimum key", "minimum beta-separation set"]
    measure: Measure
    rule: Rule
    epsilon: float
    delta: float
    beta: float | None = None
    columns: list[str]
    """The set, in the order in which the columns were chosen (the most separating one first)."""
    met: bool
    """Whether the promise that was asked for holds.  If not, ``guarantee`` says what holds instead."""
    separation: Estimate | None = None
    distinct: Estimate | None = None
    inseparable: Estimate
    """Share of rows that equal another row on all columns, so that no column set can tell them apart."""
    inseparable_rows: int
    """The same as a number of rows; when the answer is not exact, at least about so many."""
    contributions: list[Contribution]


class MaskAnswer(Answer):
    """A large column set that can be published: it separates, or has distinct rows, at most by the share β."""

    problem: Literal["masking"] = "masking"
    measure: Measure
    rule: Rule
    beta: float
    delta: float
    publish: list[str]
    hide: list[str]
    met: bool
    separation: Estimate | None = None
    distinct: Estimate | None = None
    unique_rows: Estimate
    """Share of rows that are unique on the published columns: a low ratio does not rule them out."""
    contributions: list[Contribution]


class CheckAnswer(Answer):
    """The measures of one given column set."""

    problem: Literal["check"] = "check"
    columns: list[str]
    delta: float
    separation: Estimate
    distinct: Estimate
    unique_rows: Estimate
    """Share of rows that are alone in their group."""
    group_sizes: GroupSizes | None = None
    """Only when the answer is exact: a sample says nothing reliable about the smallest group."""
    contributions: list[Contribution]


class GroupSizes(Document):
    """The groups of rows that are equal on the set."""

    groups: int
    smallest: int
    median: float
    largest: int
    rows_below_5: int


CheckAnswer.model_rebuild()


class ColumnRisk(Document):
    """How identifying one column is."""

    column: str
    separation: Estimate
    """Of the column alone."""
    distinct: Estimate
    """Of the column alone."""
    risk: Estimate
    """Share of the identifying power of all columns together that the column adds, in greedy order.

    Power is measured in bits, -log2 of the share of pairs that stay together; the shares of all columns add up
    to 1.  It is computed on the sample and carries no bound.
    """


class ScanAnswer(Answer):
    """The overview of a table."""

    problem: Literal["scan"] = "scan"
    columns: list[ColumnRisk]
    """By falling share of risk."""
    key: KeyAnswer
    mask: MaskAnswer
    advice: list[str]
    """What to do next."""


class PlannedSample(Document):
    """What one question would cost."""

    problem: str
    measure: Measure
    rule: Rule
    unit: Literal["pairs", "tuples"]
    size: int | None
    """Number of pairs or tuples; None when it depends on a number of rows that was not given."""
    formula: str
    rows_kept: int | None
    """Rows kept in both samples together, with the slack that a growing stream needs."""
    bytes: int | None


class PlanAnswer(Document):
    """Sample sizes by each formula and the bytes they cost, before anything runs."""

    problem: Literal["plan"] = "plan"
    columns: int
    rows: int | None
    epsilon: float
    delta: float
    beta: float | None
    samples: list[PlannedSample]
