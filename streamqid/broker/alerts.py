"""Publishes alerts and drift events on a Kafka topic, each at least once and under its id.

The key is the stream, and the set where there is one, so that a compacted topic holds the last alert of each set.  The
headers are those of a CloudEvent.
"""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from streamqid.broker.cloudevents import headers
from streamqid.broker.delivery import Courier
from streamqid.broker.mail import Message, Queue
from streamqid.engine.alerts import Alert, DriftEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from streamqid.broker.connect import Connection
    from streamqid.engine.events import Trouble

WAITING: Final = 1_000
"""Messages that may wait for a broker; more are left unsaid."""


class AlertPublisher:
    """Publishes on one topic, for all streams; a ``Publisher``, whose methods may be called from any thread."""

    def __init__(
        self, connection: Connection, topic: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._now = now
        self._queue = Queue(WAITING)
        self._known: deque[str] = deque(maxlen=WAITING)
        self._courier = Courier(connection, topic, self._queue)
        self.unsaid = 0
        """Messages that found no place, because the brokers took none for too long."""

    def publish(self, document: BaseModel) -> None:
        """Hand over an alert or an event that was not handed over before; other documents have no place here."""
        if not isinstance(document, Alert | DriftEvent) or document.id in self._known:
            return
        if self._queue.full:
            self.unsaid += 1
            return
        self._known.append(document.id)
        key = document.stream if document.set is None else f"{document.stream}/{document.set}"
        value = document.model_dump_json().encode()
        self._queue.put(Message(key.encode(), value, headers(document, self._now())))
        self._courier.wake()

    @property
    def delivered(self) -> int:
        """Messages that have arrived."""
        return self._courier.delivered

    def troubles(self) -> Sequence[Trouble]:
        """Return what keeps messages from arriving."""
        return self._courier.troubles()

    def close(self, timeout: float) -> None:
        """Deliver what waits, for so many seconds at most."""
        self._courier.close(timeout)
