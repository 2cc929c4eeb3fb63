"""The documents that the loop publishes."""

from __future__ import annotations

import enum
from typing import Literal

from pydantic import Field

from streamqid.engine.questions import Quantity, measure_name
from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Document, KeyAnswer, MaskAnswer
from streamqid.problems.articulation_on_samples import ArticulationAnswer
from streamqid.problems.dependencies_answer import DependenciesAnswer
from streamqid.problems.minimal_answer import MinimalAnswer
from streamqid.problems.optimum_answer import OptimalKeyAnswer, OptimalMaskAnswer
from streamqid.problems.qid_answer import QidAnswer


class Span(Document):
    """The panes first … last, and where they start and end (the end does not belong to them)."""

    unit: Literal["records", "seconds"]
    """Whether ``start`` and ``end`` are offsets or seconds of event time since 1970."""
    start: float
    end: float
    first_pane: int
    last_pane: int


class VerdictState(enum.StrEnum):
    """Where the intervals of a published set lie: against its limits."""

    SAFE = "safe"
    """Even the worse bound of every measure is within its limit."""
    AT_RISK = "at_risk"
    """A limit lies inside the interval."""
    UNSAFE = "unsafe"
    """Even the better bound of some measure is beyond its limit."""
    UNKNOWN = "unknown"
    """There is nothing to judge by: no window has closed, a column is gone, or there are too few rows."""


class Finding(Document):
    """One measure of a column set against its limit."""

    quantity: Quantity
    k: int | None = None
    """For small groups: those of fewer than k rows."""
    sensitive: str | None = None
    """For closeness: the column whose distribution is compared."""
    t: float | None = None
    """For closeness: groups that are further than this count."""
    limit: float
    """What the measure may be at most; for the smallest group, what it must be at least."""
    estimate: Estimate | None
    """None when the sample says nothing about this measure."""
    state: VerdictState

    @property
    def measure(self) -> str:
        """Name what is measured, as ``Limit.measure`` does."""
        return measure_name(self.quantity, self.k, self.sensitive)


class Audited(Document):
    """How the rows of a window are grouped by a published set, whatever its limits are.

    Each interval holds by itself with its confidence.  Figures that nothing at hand bounds are None.
    """

    k: int
    """Groups of fewer rows are small."""
    groups: Estimate | None
    """Number of groups: different rows."""
    smallest_group: Estimate | None
    unique_rows: Estimate | None
    """Share of rows that are alone in their group."""
    small_groups: Estimate | None
    """Share of rows in groups of fewer than k."""
    counted: bool
    """Whether every row of the window was counted; otherwise the figures are those of a sample."""


class ProposedSet(Document):
    """Columns that would be within all limits that a sample can promise."""

    columns: list[str]
    bounds: list[Finding]


class Proposal(Document):
    """What brings an unsafe set back under its limits: chosen on sample A of the window, and judged on sample B."""

    drop: str | None
    """The single column without which all limits are kept; None if no single column is certain to do."""
    coarsen_to: int | None
    """Or leave that column only so many values, whichever rows are put together; None if dropping it is needed."""
    without: ProposedSet | None
    """The set without that column."""
    keep: ProposedSet | None
    """A largest part of the set that keeps all limits; None if no part is certain to."""
    uncertified: list[Quantity]
    """Limits that no sample can promise: these are not part of the proposal."""
    confidence: float
    window: Span
    sentence: str


class Verdict(Document):
    """The judgement on one published set in one closed window."""

    name: str
    columns: list[str]
    state: VerdictState
    """In this window: the worst of its findings."""
    settled: VerdictState
    """With the windows before: what is acted on.  Noise in single windows does not change it."""
    since: float | None
    """Start of the window with which the settled state began."""
    number: int | None
    """The how-manieth test of this set it is; None for what is no test, since no sample was looked at."""
    window: Span | None
    """None when no window has closed yet."""
    rows: int
    findings: list[Finding]
    """By the limits of the set; empty when the state is unknown."""
    audit: Audited | None = None
    """None when the state is unknown because nothing was looked at."""
    proposal: Proposal | None = None
    """While the settled state is unsafe: what to do, from the newest window that was."""
    sentence: str

    @property
    def worst(self) -> Finding | None:
        """The finding that made the state."""
        return next((finding for finding in self.findings if finding.state is self.state), None)


class Position(Document):
    """How far one origin was read: every record before ``next_offset`` is counted, and none from it on."""

    origin: str
    partition: int
    id: str = ""
    """The id of the topic; empty for a log without one."""
    next_offset: int


class Change(Document):
    """One thing that differs from the recommendation before."""

    about: str
    before: str
    after: str


class Unanswered(Document):
    """A problem that was asked and has no answer here."""

    problem: str
    reason: Literal["out of time", "out of memory", "the solver was lost"]


class Recommendation(Document):
    """All answers about a stream at one moment.

    Everything but ``previous`` and ``changes`` is a function of the configuration, the positions and the windows that
    have closed, and so is the id: who has a document of that id may drop this one.
    """

    kind: Literal["recommendation"] = "recommendation"
    id: str
    stream: str
    records: int
    skipped_offsets: int
    """Offsets before the positions at which no record was found: gaps of the log, or records that were lost."""
    positions: list[Position]
    columns_left_out: bool = False
    """Whether more columns occur than may take part.  Which do is then chosen by the samples, and promises are proven
    for columns that are named beforehand only: name the columns that matter."""
    key: KeyAnswer | None
    """None while there are fewer than two rows to tell apart, or when no key was asked for."""
    mask: MaskAnswer | None
    minimal: MinimalAnswer | None = None
    qid: QidAnswer | None = None
    optimal_key: OptimalKeyAnswer | None = None
    optimal_mask: OptimalMaskAnswer | None = None
    dependencies: DependenciesAnswer | None = None
    articulation: ArticulationAnswer | None = None
    unanswered: list[Unanswered] = Field(default_factory=list)
    """Problems that were asked and cost too much: they took nothing from the other answers."""
    verdicts: list[Verdict]
    previous: str | None = None
    """Id of the recommendation before in this run of the service; None for the first one."""
    changes: list[Change] = Field(default_factory=list)
    """What differs from the previous one; empty for the first one, which stands for itself."""
