"""What is told once, when it happens: a published set turned unsafe or is so no longer, a measure or a key changed."""

from __future__ import annotations

import enum
import hashlib
import threading
from collections import deque
from typing import TYPE_CHECKING, Literal

import msgspec

from streamqid.engine.documents import Finding, Proposal, Span, Verdict, VerdictState
from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Document

if TYPE_CHECKING:
    from streamqid.engine.questions import PublishedSet


class AlertStatus(enum.StrEnum):
    """Whether a set is unsafe, or no longer."""

    FIRING = "firing"
    RESOLVED = "resolved"


class Alert(Document):
    """A published set became unsafe, or has ceased to be.  Who has an alert of this id may drop this one."""

    kind: Literal["alert"] = "alert"
    id: str
    status: AlertStatus
    stream: str
    set: str
    columns: list[str]
    state: VerdictState
    """The settled state now."""
    before: VerdictState
    """The settled state before."""
    findings: list[Finding]
    """Measures with bounds and limits; of a set that is unsafe, those that are beyond."""
    since: float | None
    """Start of the first window of the state, in the unit of the window."""
    window: Span | None
    proposal: Proposal | None
    owner: str
    link: str
    sentence: str


MeasureChange = Literal["rose", "fell"]
KeyChange = Literal["entered", "left"]
SchemaChange = Literal["new", "missing", "retyped"]


class Subject(enum.StrEnum):
    """What a drift event is about."""

    MEASURE = "measure"
    KEY = "key"
    SCHEMA = "schema"


class DriftEvent(Document):
    """Something about the stream is not as it was.  Who has an event of this id may drop this one."""

    kind: Literal["drift"] = "drift"
    id: str
    stream: str
    about: Subject
    change: MeasureChange | KeyChange | SchemaChange
    set: str | None = None
    """The published set whose measure changed."""
    measure: str | None = None
    """The measure that changed, by the name that ``Finding.measure`` has."""
    column: str | None = None
    """The column that entered or left the key, or is new, missing or of another type."""
    before: Estimate | None = None
    after: Estimate | None = None
    began: float
    """Start of the window from which on it may have been so: in the one before it surely was not."""
    window: Span
    """In which it was found."""
    sentence: str


def alert_of(stream: str, published: PublishedSet, verdict: Verdict, before: VerdictState, declared: int) -> Alert:
    """Return the alert about a set that has become unsafe, or has ceased to be.

    ``declared`` numbers the declarations of sets: whoever drops ids that he has must not drop the alert of a set that
    was withdrawn and declared again, about the same window.
    """
    firing = verdict.settled is VerdictState.UNSAFE
    status = AlertStatus.FIRING if firing else AlertStatus.RESOLVED
    beyond = [finding for finding in verdict.findings if finding.state is VerdictState.UNSAFE]
    return Alert(
        id=stable_id("alert", stream, published.name, list(published.columns), status, verdict.since, declared),
        status=status,
        stream=stream,
        set=published.name,
        columns=list(published.columns),
        state=verdict.settled,
        before=before,
        findings=beyond if firing else verdict.findings,
        since=verdict.since,
        window=verdict.window,
        proposal=verdict.proposal,
        owner=published.owner,
        link=published.link,
        sentence=verdict.sentence if firing else f"No longer unsafe. {verdict.sentence}",
    )


def withdrawn(alert: Alert) -> Alert:
    """Return the end of an alert about a set that is no longer published as it was."""
    return alert.model_copy(
        update={
            "id": stable_id("withdrawn", alert.id),
            "status": AlertStatus.RESOLVED,
            "state": VerdictState.UNKNOWN,
            "before": alert.state,
            "proposal": None,
            "sentence": "The configuration no longer publishes this set with these columns and limits.",
        }
    )


class Once:
    """Ids of the newest documents that were handed over; may be asked from any thread."""

    def __init__(self, remembered: int) -> None:
        self._ids: deque[str] = deque(maxlen=remembered)
        self._lock = threading.Lock()

    def first(self, name: str) -> bool:
        """Return whether a document of this id comes for the first time, and remember it."""
        with self._lock:
            if name in self._ids:
                return False
            self._ids.append(name)
            return True


def stable_id(*parts: object) -> str:
    """Name a document by what it follows from."""
    text = msgspec.json.encode(parts)
    return hashlib.blake2b(text, digest_size=16, person=b"streamqid.news").hexdigest()
