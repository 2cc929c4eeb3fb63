"""The history of a stream: verdicts on its published sets and drift, window by window, bounded and without values.

It is no part of the state, whose bytes follow from the log alone: what was judged, and as the how-manieth test, depends
on when the service ran.  It is kept in a file of its own, and may be newer than the snapshot after a crash; a window
that it holds is not judged again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field, ValidationError

from streamqid.engine.alerts import Alert, AlertStatus, DriftEvent, stable_id
from streamqid.engine.documents import Finding, Span, Verdict, VerdictState
from streamqid.engine.drift import WindowAnswer
from streamqid.errors import StateError
from streamqid.problems.answer import Document

if TYPE_CHECKING:
    from streamqid.engine.questions import PublishedSet

KEPT = 400
"""Windows of each set, windows of the stream, and events that are remembered."""
YOUNG = 10
"""An alert about one of so many newest windows is told again at a start, though it is resolved."""


class Judged(Document):
    """One window of a set."""

    window: Span
    number: int | None
    state: VerdictState
    settled: VerdictState
    rows: int
    findings: list[Finding]


class SetSeries(Document):
    """What is remembered of one published set."""

    name: str
    definition: str
    """Names columns, limits, δ and window: a set that is defined anew begins anew."""
    declared: int = 0
    """The how-manieth declaration of a set in this history it is."""
    fresh_from: float | None = None
    """Windows that start before are no evidence about the set."""
    tests: int = 0
    """How many tests of its columns were made: each has cost its share of δ."""
    judged_pane: int | None = None
    """Last pane of the newest window that was judged, or lost."""
    verdict: Verdict
    """On the newest window, with the settled state."""
    alert: Alert | None = None
    """The last one; it is told again at each start, under its id."""
    steady_from: dict[str, float] = Field(default_factory=dict)
    """For each measure the start of the window in which its last change was found: earlier ones are not compared."""
    windows: list[Judged] = Field(default_factory=list)

    @property
    def settled(self) -> VerdictState:
        """The state that is acted on."""
        return self.verdict.settled

    @property
    def firing(self) -> bool:
        """Whether an alert has been told that was not resolved."""
        return self.alert is not None and self.alert.status is AlertStatus.FIRING

    @property
    def young(self) -> bool:
        """Whether the last alert is about one of the newest windows."""
        newest = [one.window for one in self.windows[-YOUNG:]]
        return self.alert is not None and self.alert.window in newest


class DriftWindow(WindowAnswer):
    """The key of a window, and what is different from the one before."""

    entered: list[str] = Field(default_factory=list)
    left: list[str] = Field(default_factory=list)


class History(Document):
    """All that is remembered of a stream; a value, of which each change makes a new one."""

    version: Literal[1] = 1
    stream: str
    sets: list[SetSeries] = Field(default_factory=list)
    windows: list[DriftWindow] = Field(default_factory=list)
    events: list[DriftEvent] = Field(default_factory=list)
    absent: dict[str, int] = Field(default_factory=dict)
    """For each known column, in how many windows in a row no sampled record has had it."""
    scarce: dict[str, int] = Field(default_factory=dict)
    """For each known column that few sampled rows had when it was last seen, how many did."""
    types: dict[str, list[str]] = Field(default_factory=dict)
    """Types of values seen so far in each column."""
    declared: int = 0
    """How many sets were declared so far, counting one that is defined anew anew."""
    past: list[Alert] = Field(default_factory=list)
    """The last alert of each set that was taken out or defined anew: what it said, and that it is over."""
    untold: list[Alert | DriftEvent] = Field(default_factory=list)
    """What may not have been told before a crash; it is told again at the next start."""
    unjudged: int = 0
    """Windows whose panes were dropped before they were judged."""
    whole_from: int | None = None
    """The first pane of which no record was gone when the stream was read first; None if none was."""
    judged: bool = False
    """Whether a solve has looked at a window: from then on ``whole_from`` stays as it is."""
    drift_pane: int | None = None
    """Last pane of the newest window of the series above."""

    def series(self, name: str) -> SetSeries:
        """Return what is remembered of a set."""
        return next(one for one in self.sets if one.name == name)

    def panes(self) -> list[int]:
        """Return the last pane of the newest window of each series."""
        newest = [self.drift_pane, *(one.judged_pane for one in self.sets)]
        return [pane for pane in newest if pane is not None]

    @property
    def key(self) -> list[str]:
        """The newest key that kept its promise; empty when there is none."""
        return next((list(one.key) for one in reversed(self.windows) if one.key is not None and one.key_met), [])

    def to_bytes(self) -> bytes:
        """Return the history as JSON."""
        return self.model_dump_json().encode()

    @classmethod
    def from_bytes(cls, data: bytes, stream: str) -> History:
        """Read a history back; raises a StateError when it is none, or that of another stream."""
        try:
            found = cls.model_validate_json(data)
        except ValidationError:
            found = None
        if found is None or found.stream != stream:
            what = "cannot be read" if found is None else f"belongs to stream {found.stream!r}"
            msg = f"The history of stream {stream!r} {what}: restore it, or remove the file to count tests anew."
            raise StateError(msg)
        return found


def definition_of(published: PublishedSet, panes: int) -> str:
    """Name what verdicts on a set depend on, which is judged in windows of so many panes."""
    limits = sorted(
        # Limits that were there before closeness was keep their name.
        (str(limit.quantity), limit.value, limit.k or 0, *((limit.sensitive, limit.t) if limit.sensitive else ()))
        for limit in published.limits
    )
    return stable_id(published.grouped_by, limits, published.delta, panes, published.fresh_from)
