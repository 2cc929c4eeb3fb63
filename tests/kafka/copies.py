"""Copies for tests: records with canaries, and what the copy of them must be."""

from __future__ import annotations

import json
from collections import defaultdict
from contextlib import closing, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

from streamqid.broker.connect import Connection
from streamqid.broker.copier import Copier, CopyFrom
from streamqid.broker.formats import Format
from streamqid.broker.source import KafkaSource
from streamqid.broker.times import TimeRule
from streamqid.copying.gate import Gate, Order
from streamqid.copying.rule import Action, CopyRule
from streamqid.engine.documents import VerdictState
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

CANARY = "canary7f3a"
"""Stands in a hidden column, in every key and in every header."""


def row(number: int) -> bytes:
    """Return one record: its number may be published, the canary may not."""
    return json.dumps({"name": f"{CANARY}-{number}", "number": number, "age": number % 90}).encode()


def send(
    producer: KafkaProducer, topic: str, partition: int, values: Iterable[bytes | None], *, key: str = CANARY
) -> None:
    """Write values to a partition, under a key and a header with the canary."""
    headers = [(CANARY, CANARY.encode())]
    for value in values:
        producer.send(topic, value, key.encode(), headers, partition)


def differences(source: Sequence[Any], copied: Sequence[Any], columns: Sequence[str]) -> list[str]:
    """Say how a copy differs from the readable records of its source: per partition, in number, order and content."""
    wanted, found = defaultdict(list), defaultdict(list)
    for record in source:
        fields = json.loads(record.value)
        wanted[record.partition].append(({name: fields[name] for name in columns}, record.timestamp))
    for record in copied:
        found[record.partition].append((json.loads(record.value), record.timestamp))
    told = []
    for partition in sorted(wanted.keys() | found.keys()):
        expected, got = wanted[partition], found[partition]
        if len(expected) != len(got):
            told.append(f"partition {partition}: {len(got)} records instead of {len(expected)}")
        pairs = zip(expected, got, strict=False)
        told += [f"partition {partition}, place {j}: differs" for j, (one, other) in enumerate(pairs) if one != other]
    return told


@contextmanager
def end_of(bootstrap: str, topic: str) -> Iterator[Callable[[], int]]:
    """Give what returns the ends of all partitions together, open and aborted transactions included."""
    with closing(KafkaConsumer(bootstrap_servers=bootstrap.split(","))) as consumer:
        parts = [TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic)]
        yield lambda: sum(consumer.end_offsets(parts).values())


@contextmanager
def offsets_of(bootstrap: str, name: str, source: str) -> Iterator[Callable[[], int]]:
    """Give what returns the committed offsets of all partitions of a copy together."""
    with closing(KafkaConsumer(bootstrap_servers=bootstrap.split(","), group_id=name)) as consumer:
        parts = [TopicPartition(source, number) for number in consumer.partitions_for_topic(source)]
        yield lambda: sum(consumer.committed(part) or 0 for part in parts)


class OpenGate(Gate):
    """A gate that a test opens and closes."""

    def set(self, action: Action, verdict: VerdictState) -> None:
        order = Order(action, self.order.columns, verdict)
        self._orders = replace(self._orders, sure=order)


def copier(bootstrap: str, source: str, rule: CopyRule, name: str, **options: Any) -> tuple[Copier, OpenGate]:
    """Return a copy of a topic of JSON that looks around often, not started, and its gate, which is open."""
    return copier_of(Connection((bootstrap,)), [source], rule, name, **options)


def copier_of(
    connection: Connection,
    sources: list[str],
    rule: CopyRule,
    name: str,
    *,
    layout: Format | None = None,
    reads: dict[str, Any] | None = None,
    **options: Any,
) -> tuple[Copier, OpenGate]:
    """Return a copy of several topics over a connection; ``reads`` are further options of its source."""
    layout = layout or Format()
    given: dict[str, Any] = {"format": layout, "time": TimeRule("ingest"), "raw": True, "poll_seconds": 0.05}
    given |= reads or {}

    def make() -> KafkaSource:
        return KafkaSource(connection, topics=sources, metadata_seconds=0.3, **given)

    gate = OpenGate(rule)
    gate.set(Action.COPY, VerdictState.SAFE)
    what = CopyFrom("people", name, sources, None, layout, make)
    return Copier(connection, what, rule, gate, **options), gate


def copied(bootstrap: str, topic: str) -> list[int]:
    """Return the numbers of the committed records of a copy."""
    return [json.loads(record.value)["number"] for record in read_all(bootstrap, topic)]
