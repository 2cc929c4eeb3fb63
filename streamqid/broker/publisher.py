"""Publishes recommendations on a Kafka topic, each once, and never one that is older than the last.

The key is the stream, the value the document as JSON, the headers are those of a CloudEvent.  At the start, and after
every failure, the end of the topic is read back: what it holds is not sent again.  A send that a crash or a failure
leaves open is settled by that, except for a request that a broker still holds back while the end is read; then a
document may come twice, and its id says so.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from streamqid.broker.cloudevents import headers
from streamqid.broker.delivery import DELIVERY_SECONDS, Courier
from streamqid.broker.mail import Message
from streamqid.broker.outbox import Outbox
from streamqid.broker.readback import read_back
from streamqid.engine.documents import Recommendation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from streamqid.broker.connect import Connection
    from streamqid.broker.outbox import Published
    from streamqid.engine.events import Trouble


class KafkaPublisher:
    """Publishes on one topic, for one stream or several; a ``Publisher``.

    ``publish`` hands a document over and returns.  The newest one of each stream is tried until it has arrived; all
    methods may be called from any thread.
    """

    def __init__(
        self,
        connection: Connection,
        topic: str,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        delivery_seconds: float = DELIVERY_SECONDS,
    ) -> None:
        self._now = now
        self._outbox = Outbox(lambda streams, ledger: read_back(connection, topic, streams, ledger))
        self._courier = Courier(connection, topic, self._outbox, delivery_seconds=delivery_seconds)

    def publish(self, document: BaseModel) -> None:
        """Hand over a recommendation."""
        if not isinstance(document, Recommendation):
            msg = f"a {type(document).__name__} has no stream to publish it under"
            raise TypeError(msg)
        value = document.model_dump_json().encode()
        self._outbox.put(document, Message(document.stream.encode(), value, headers(document, self._now())))
        self._courier.wake()

    @property
    def published(self) -> Published:
        """What became of the documents so far."""
        return self._outbox.counts()

    @property
    def failed(self) -> int:
        """How many attempts to send failed."""
        return self._courier.failed

    def troubles(self) -> Sequence[Trouble]:
        """Return what keeps documents from arriving."""
        return self._courier.troubles()

    def end(self, timeout: float) -> None:
        """Begin to deliver what waits, for so many seconds at most; nothing is published from here on."""
        self._courier.end(timeout)

    def close(self, timeout: float) -> None:
        """Deliver what waits, for so many seconds at most."""
        self._courier.close(timeout)
