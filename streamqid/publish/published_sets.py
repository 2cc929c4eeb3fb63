"""What the history of a stream says, as readings of metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.documents import VerdictState
from streamqid.publish import definitions as d
from streamqid.publish.readings import Reading, bounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.engine.documents import Audited, Verdict
    from streamqid.engine.history import History
    from streamqid.engine.questions import PublishedSet
    from streamqid.engine.stream import Stream


def window(stream: Stream, published: PublishedSet | None = None) -> str:
    """Name the window in which a published set is judged by its length, for instance ``3600_seconds``."""
    panes = stream.window_panes if published is None else published.panes(stream.window_panes)
    return f"{stream.panes.width * panes:.15g}_{stream.panes.unit}"


def history_readings(stream: Stream, history: History) -> Iterator[Reading]:
    """Yield where every published set stands, and the newest key and risks."""
    yield Reading(d.UNJUDGED, (stream.name,), history.unjudged)
    for published in stream.published:
        yield from _published(stream, published, history.series(published.name).verdict)
    for newest in history.windows[-1:]:
        for column in newest.key or ():
            yield Reading(d.KEY_MEMBER, (stream.name, window(stream), column), 1)
        for column, share in newest.risks.items():
            yield Reading(d.COLUMN_RISK, (stream.name, column), share)


def _published(stream: Stream, published: PublishedSet, verdict: Verdict) -> Iterator[Reading]:
    labels = (stream.name, published.name, window(stream, published))
    columns = ",".join(published.columns)
    yield Reading(d.SET_INFO, (stream.name, published.name, published.owner, published.link, columns), 1)
    for state in VerdictState:
        yield Reading(d.SET_STATE, (*labels, str(state)), float(verdict.settled is state))
    for finding in verdict.findings:
        measure = (*labels, finding.measure)
        yield from bounds(d.SET_RATIO, measure, finding.estimate)
    if verdict.audit is not None:
        yield from _audited(labels, verdict.audit)
    for limit in published.limits:
        yield Reading(d.SET_LIMIT, (*labels, limit.measure), limit.value)
    if verdict.since is not None and stream.panes.unit == "seconds":
        yield Reading(d.SET_SINCE, labels, verdict.since)
    if verdict.proposal is not None and verdict.settled is VerdictState.UNSAFE:
        keep = () if verdict.proposal.keep is None else verdict.proposal.keep.columns
        yield Reading(d.SET_PROPOSAL, (stream.name, published.name, verdict.proposal.drop or "", ",".join(keep)), 1)


def _audited(labels: tuple[str, ...], audit: Audited) -> Iterator[Reading]:
    figures = {
        "groups": audit.groups,
        "smallest_group": audit.smallest_group,
        "unique_rows": audit.unique_rows,
        f"small_groups_below_{audit.k}": audit.small_groups,
    }
    for figure, estimate in figures.items():
        yield from bounds(d.SET_AUDIT, (*labels, figure), estimate)
