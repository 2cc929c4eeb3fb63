"""Writing rows to a topic at a given pace, to try the service with."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from kafka import KafkaAdminClient
from kafka.admin import NewTopic
from kafka.errors import KafkaError, TopicAlreadyExistsError

from streamqid.broker.failures import open_client
from streamqid.broker.producing import discard, new_producer
from streamqid.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from streamqid.broker.connect import Connection

OUTSTANDING = 10_000
"""Rows that may wait to be confirmed."""
DELIVERY_SECONDS = 60.0


def create_topic(connection: Connection, topic: str, partitions: int) -> bool:
    """Create a topic with one replica; return whether it was not there before.  Raises a TransportError."""
    admin = open_client(KafkaAdminClient, connection)
    try:
        admin.create_topics([NewTopic(topic, partitions, 1)])
    except TopicAlreadyExistsError:
        return False
    except KafkaError as error:
        msg = f"The topic {topic} cannot be created ({type(error).__name__}): create it, or ask for the right to."
        raise TransportError(msg) from None
    finally:
        admin.close()
    return True


def feed(
    connection: Connection,
    topic: str,
    rows: Iterable[bytes],
    *,
    rate: float | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> int:
    """Write rows in order, each to the next partition in turn, and return their number when all are confirmed.

    Parameters
    ----------
    rate
        Rows per second; as fast as it goes by default.
    told
        Is called with the number of rows that are confirmed, now and then.
    """
    producer = new_producer(connection, topic, DELIVERY_SECONDS)
    try:
        return _feed(producer, topic, rows, rate, told)
    except KafkaError as error:
        msg = f"The topic {topic} does not take the rows ({type(error).__name__}): check its rights and its brokers."
        raise TransportError(msg) from None
    finally:
        discard(producer)


def _feed(producer: Any, topic: str, rows: Iterable[bytes], rate: float | None, told: Callable[[int], None]) -> int:
    partitions = sorted(producer.partitions_for(topic))
    sent, began, waiting = 0, time.monotonic(), list[Any]()
    pause = min(OUTSTANDING, max(1, int(rate / 10))) if rate else OUTSTANDING
    for row in rows:
        waiting.append(producer.send(topic, row, partition=partitions[sent % len(partitions)]))
        sent += 1
        if len(waiting) >= pause:
            _confirm(producer, waiting)
            told(sent)
            if rate:
                time.sleep(max(0.0, began + sent / rate - time.monotonic()))
    _confirm(producer, waiting)
    told(sent)
    return sent


def _confirm(producer: Any, waiting: list[Any]) -> None:
    producer.flush(timeout=DELIVERY_SECONDS)
    for future in waiting:
        future.get(timeout=DELIVERY_SECONDS)
    waiting.clear()
