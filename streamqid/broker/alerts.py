"""Publishes alerts and drift events on a Kafka topic, each at least once and under its id.

The key of an alert is its stream and set, and no drift event has it: so a compacted topic holds the last alert of each
set, and besides the last change of each measure.  The headers are those of a CloudEvent.
"""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from streamqid.broker.cloudevents import headers
from streamqid.broker.delivery import Courier
from streamqid.broker.mail import Message, Queue
from streamqid.engine.alerts import Alert, DriftEvent, Once

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from streamqid.broker.connect import Connection
    from streamqid.engine.events import Trouble

WAITING: Final = 1_000
"""Messages that may wait for a broker; more are left unsaid."""


log = logging.getLogger(__name__)


def key_of(document: Alert | DriftEvent) -> str:
    """Name what a later document of the same key takes the place of."""
    if isinstance(document, Alert):
        return f"{document.stream}/{document.set}"
    what = (document.set, document.measure) if document.set is not None else (document.column,)
    return "/".join((document.stream, *(part or "" for part in what), str(document.about)))


class AlertPublisher:
    """Publishes on one topic, for all streams; a ``Publisher``, whose methods may be called from any thread."""

    def __init__(
        self, connection: Connection, topic: str, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._now = now
        self._queue = Queue(WAITING)
        self._once = Once(WAITING)
        self._courier = Courier(connection, topic, self._queue, look=True)
        self.unsaid = 0
        """Messages that found no place, because the brokers took none for too long."""

    def publish(self, document: BaseModel) -> None:
        """Hand over an alert or an event that was not handed over before; other documents have no place here."""
        if not isinstance(document, Alert | DriftEvent) or not self._once.first(document.id):
            return
        if self._queue.full:
            if not self.unsaid:
                log.error("The topic takes no alerts, and no more can wait: those that follow are in the history only.")
            self.unsaid += 1
            return
        value = document.model_dump_json().encode()
        self._queue.put(Message(key_of(document).encode(), value, headers(document, self._now())))
        self._courier.wake()

    @property
    def waiting(self) -> int:
        """Messages that wait to be confirmed."""
        return len(self._queue)

    @property
    def delivered(self) -> int:
        """Messages that have arrived."""
        return self._courier.delivered

    def troubles(self) -> Sequence[Trouble]:
        """Return what keeps messages from arriving."""
        return self._courier.troubles()

    def end(self, timeout: float) -> None:
        """Begin to deliver what waits, for so many seconds at most; nothing is published from here on."""
        self._courier.end(timeout)

    def close(self, timeout: float) -> None:
        """Deliver what waits, for so many seconds at most."""
        self._courier.close(timeout)
