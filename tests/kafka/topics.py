"""Creating topics on a real broker, and reading all that they hold."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

if TYPE_CHECKING:
    from collections.abc import Mapping


def create_topic(
    bootstrap: str,
    name: str,
    *,
    partitions: int = 1,
    configs: Mapping[str, object] | None = None,
    unique: bool = True,
) -> str:
    """Create a topic, wait until every partition of it has a leader, and return its name, with an ending of its own.

    In the names of settings an underscore stands for a dot: ``segment_ms`` is ``segment.ms``.
    """
    chosen = f"{name}-{uuid4().hex[:12]}" if unique else name
    spelled = {key.replace("_", "."): str(value) for key, value in (configs or {}).items()}
    with closing(KafkaAdminClient(bootstrap_servers=bootstrap.split(","))) as admin:
        admin.create_topics({chosen: {"num_partitions": partitions, "configs": spelled}}, wait_for_metadata=True)
    return chosen


def read_all(bootstrap: str, topic: str, **client: Any) -> list[Any]:
    """Return the committed records of a topic from its first to its last offset, by partition."""
    settings = {"isolation_level": "read_committed", "auto_offset_reset": "earliest", "group_id": None}
    with closing(KafkaConsumer(bootstrap_servers=bootstrap.split(","), **settings | client)) as consumer:
        parts = [TopicPartition(topic, number) for number in sorted(consumer.partitions_for_topic(topic))]
        ends = consumer.end_offsets(parts)
        consumer.assign(parts)
        consumer.seek_to_beginning(*parts)
        found: list[Any] = []
        while any(consumer.position(part) < ends[part] for part in parts):
            for records in consumer.poll(timeout_ms=200).values():
                found += records
    return sorted(found, key=lambda record: (record.partition, record.offset))
