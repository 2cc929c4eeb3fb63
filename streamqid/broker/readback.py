"""Reads from the end of a topic what was published there last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaTimeoutError

from streamqid.broker.failures import open_client
from streamqid.broker.refusals import NotThereError
from streamqid.engine.published import Ledger, Standing, known

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from streamqid.broker.connect import Connection

STEP: Final = 500
"""Offsets of each partition that are read at a time, from the end backwards."""
FARTHEST: Final = 5_000
"""Offsets of each partition that are searched."""
PATIENCE_SECONDS: Final = 10.0


def read_back(connection: Connection, topic: str, streams: Collection[str], ledger: Ledger) -> None:
    """Note in the ledger the last document of each stream that is found near the end of the topic.

    What the ledger knows already stays if the topic shows only what is behind it.  Raises a
    TransportError when no broker can be used, and an error of the client when the topic is not there or cannot be read
    now; the ledger may then know a part.
    """
    consumer = open_client(
        KafkaConsumer,
        connection,
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        isolation_level="read_committed",
        allow_auto_create_topics=False,
    )
    try:
        _search(consumer, topic, set(streams), ledger)
    finally:
        consumer.close(autocommit=False, timeout_ms=1000)


def _search(consumer: Any, topic: str, wanted: set[str], ledger: Ledger) -> None:
    partitions = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()]
    if not partitions:
        raise NotThereError(topic)
    patience_ms = int(PATIENCE_SECONDS * 1000)
    first = consumer.beginning_offsets(partitions, timeout_ms=patience_ms)
    end = consumer.end_offsets(partitions, timeout_ms=patience_ms)
    for back in range(0, FARTHEST, STEP):
        ranges = {
            p: (max(first[p], end[p] - back - STEP), end[p] - back) for p in partitions if end[p] - back > first[p]
        }
        if not ranges or not wanted:
            return
        found = set()
        for record in _records(consumer, ranges):
            document = None if record.value is None else known(record.value)
            if document is not None and document.stream in wanted and record.key == document.stream.encode():
                found.add(document.stream)
                if ledger.standing(document) is not Standing.BEHIND:
                    ledger.note(document)
        wanted -= found


def _records(consumer: Any, ranges: Mapping[Any, tuple[int, int]]) -> Iterator[Any]:
    """Yield the records in these ranges of offsets, each partition in its order."""
    consumer.assign(list(ranges))
    consumer.resume(*ranges)  # a partition that stays assigned stays paused
    for partition, (start, _) in ranges.items():
        consumer.seek(partition, start)
    left = dict(ranges)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while left:
        for partition, records in consumer.poll(timeout_ms=200).items():
            deadline = time.monotonic() + PATIENCE_SECONDS
            yield from (record for record in records if record.offset < ranges[partition][1])
        reached = [partition for partition, (_, stop) in left.items() if consumer.position(partition) >= stop]
        for partition in reached:
            consumer.pause(partition)
            del left[partition]
        if left and time.monotonic() > deadline:
            raise KafkaTimeoutError("the end of the topic could not be read")
