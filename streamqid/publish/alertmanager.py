"""Alerts in the form that Alertmanager's API v2 takes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from streamqid.engine.alerts import AlertStatus
from streamqid.engine.telling import short

if TYPE_CHECKING:
    from streamqid.engine.alerts import Alert

NAME = "StreamqidPublishedSetUnsafe"
HOLDS = timedelta(minutes=5)
"""An alert that is not posted again for so long counts as resolved: whoever posted it is gone."""


def as_alertmanager(alert: Alert, now: datetime | None = None) -> list[dict[str, Any]]:
    """Return the body of a request: one alert, whose labels stay the same until it is resolved."""
    now = datetime.now(UTC) if now is None else now
    firing = alert.status is AlertStatus.FIRING
    body: dict[str, Any] = {
        "labels": {"alertname": NAME, "stream": alert.stream, "set": alert.set, "severity": "critical"},
        "annotations": {
            "summary": f"The published set {alert.set} of stream {alert.stream} is {alert.state.replace('_', ' ')}.",
            "description": alert.sentence,
            "findings": "; ".join(map(short, alert.findings)),
            "since": _since(alert),
            "proposal": "" if alert.proposal is None else alert.proposal.sentence,
            "columns": ", ".join(alert.columns),
            "owner": alert.owner,
            "link": alert.link,
            "id": alert.id,
        },
        "endsAt": (now + HOLDS if firing else now).isoformat(),
    }
    begins = _begins(alert)
    if firing and begins is not None:
        body["startsAt"] = min(begins, now).isoformat()
    return [body]


def _since(alert: Alert) -> str:
    """Name the first window of the state; by its offset where panes are cut by records."""
    if alert.window is None or alert.since is None:
        return ""
    if alert.window.unit == "records":
        return f"offset {alert.since:.0f}"
    begins = _begins(alert)
    return "" if begins is None else begins.isoformat()


def _begins(alert: Alert) -> datetime | None:
    """Return when the state began; None where panes are cut by records, or event times are beyond the calendar."""
    if alert.window is None or alert.window.unit != "seconds" or alert.since is None:
        return None
    try:
        return datetime.fromtimestamp(alert.since, UTC)
    except (OverflowError, OSError, ValueError):
        return None
