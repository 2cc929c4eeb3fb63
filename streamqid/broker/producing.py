"""Producers that lose nothing and write nothing twice, and how to be rid of one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, Final

from kafka import KafkaProducer
from kafka.errors import KafkaTimeoutError

from streamqid.broker.failures import open_client
from streamqid.broker.refusals import NotThereError

if TYPE_CHECKING:
    from streamqid.broker.connect import Connection

PATIENCE_SECONDS: Final = 5.0
"""After so long without an answer something is wrong, and worth a word."""
METADATA_SECONDS: Final = 2.0
"""So long may it take to learn of a topic; then it is tried again."""
LARGEST: Final = 16 << 20
"""Bytes of a message; what the topic allows is usually less, and its broker says so."""

log = logging.getLogger(__name__)


def new_producer(connection: Connection, topic: str, delivery_seconds: float) -> Any:
    """Return an idempotent producer that waits for all replicas in sync, and knows the topic.

    Raises a TransportError when no broker can be used, and an error of the client when the topic cannot be seen.
    """
    producer = open_client(
        KafkaProducer,
        connection,
        acks="all",
        enable_idempotence=True,
        compression_type="lz4",
        delivery_timeout_ms=int(delivery_seconds * 1000),
        request_timeout_ms=int(delivery_seconds * 500),
        max_block_ms=int(METADATA_SECONDS * 1000),
        max_request_size=LARGEST,
        allow_auto_create_topics=False,
    )
    heard = last_heard(producer)
    try:
        producer.partitions_for(topic)
    except KafkaTimeoutError:
        answered = last_heard(producer) != heard
        discard(producer)
        if answered:
            raise NotThereError(topic) from None
        raise
    except Exception:
        discard(producer)
        raise
    return producer


def last_heard(producer: Any) -> float:
    """Return when the brokers answered last what topics there are; the client says of both that time is over."""
    return float(producer._metadata._last_successful_refresh_ms)  # noqa: SLF001


def discard(producer: Any) -> None:
    """Let go of a producer, whatever its condition; what it has not sent is not sent."""
    try:
        # close() alone would leave the threads of a producer that has something unsent.
        producer._sender.force_close()  # noqa: SLF001
        producer.close(timeout=1.0)
    except Exception as error:
        log.debug("A producer did not close: %s.", type(error).__name__)
