"""The documents that the loop publishes."""

from __future__ import annotations

import enum
from typing import Literal

from pydantic import Field

from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Document, KeyAnswer, MaskAnswer, Measure


class Span(Document):
    """The panes first … last, and where they start and end (the end does not belong to them)."""

    unit: Literal["records", "seconds"]
    """Whether ``start`` and ``end`` are offsets or seconds of event time since 1970."""
    start: float
    end: float
    first_pane: int
    last_pane: int


class VerdictState(enum.StrEnum):
    """Where the interval of a published set lies: against its limit."""

    SAFE = "safe"
    """Even the upper bound is within the limit."""
    AT_RISK = "at_risk"
    """The limit lies inside the interval."""
    UNSAFE = "unsafe"
    """Even the lower bound is above the limit."""
    UNKNOWN = "unknown"
    """There is nothing to judge by: no window has closed, a column is gone, or there are too few rows."""


class Verdict(Document):
    """The judgement on one published set in the newest window that has closed."""

    name: str
    columns: list[str]
    state: VerdictState
    measure: Measure
    estimate: Estimate | None
    """None when the state is unknown."""
    limit: float
    since: float | None
    """Start of the first of the consecutive windows with this state, as far as windows are still held."""
    window: Span | None
    """None when no window has closed yet."""
    rows: int
    sentence: str


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
    verdicts: list[Verdict]
    previous: str | None = None
    """Id of the recommendation before in this run of the service; None for the first one."""
    changes: list[Change] = Field(default_factory=list)
    """What differs from the previous one; empty for the first one, which stands for itself."""


def changes(before: Recommendation, now: Recommendation) -> list[Change]:
    """Return what differs between two recommendations, in the order key, mask, published sets."""
    states = {verdict.name: verdict.state for verdict in before.verdicts}
    pairs = [
        ("key", *(_set(one.key.columns if one.key else None) for one in (before, now))),
        ("mask", *(_set(one.mask.publish if one.mask else None) for one in (before, now))),
        *(
            (f"published set {verdict.name}", states.get(verdict.name, VerdictState.UNKNOWN), verdict.state)
            for verdict in now.verdicts
        ),
    ]
    return [Change(about=about, before=str(was), after=str(is_)) for about, was, is_ in pairs if was != is_]


def _set(columns: list[str] | None) -> str:
    return "none" if columns is None else f"{{{', '.join(sorted(columns))}}}"
