"""How fast topics are read, against the client's own loop over the same topics in the same run.

A real broker holds 330-byte JSON rows in four partitions.  Every way reads all of them, in turn and several times;
the fastest time counts, from the first record on: finding the brokers takes each way the same tenths of a second.
"header" looks at the header of each batch and decodes 1 % of the records, which is what a full sample asks for;
"state" applies the batches to the state of a stream, from empty samples on.  CPU is that of this process, with the
client's thread.  confluent-kafka, a client in C, is in the table where it is installed.
"""

from __future__ import annotations

import importlib.util
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from deploy.kafka.broker import start_broker
from streamqid.broker.connect import Connection
from streamqid.broker.formats import Format
from streamqid.broker.source import KafkaSource
from streamqid.broker.times import TimeRule
from streamqid.engine.state import State
from streamqid.engine.stream import Stream
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.priority import Cursor
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamqid.records import Batch

RECORDS = 600_000
PARTITIONS = 4
BATCH_BYTES = 1 << 14  # the default of most clients
ROUNDS = 3
ONE_PERCENT = (1 << 64) // 100


def rows(count: int) -> Iterator[bytes]:
    draw = random.Random(1)
    for number in range(count):
        row = {f"attribute_{n}": draw.randrange(1000) for n in range(14)} | {"id": f"person-{number:09}"}
        yield json.dumps(row).encode()


def fill(bootstrap: str, compression: str | None) -> str:
    from kafka import KafkaAdminClient, KafkaProducer

    topic = f"rows-{compression}-{uuid4().hex[:8]}"
    with closing(KafkaAdminClient(bootstrap_servers=[bootstrap])) as admin:
        admin.create_topics({topic: {"num_partitions": PARTITIONS}})
    settings: dict[str, Any] = {"compression_type": compression, "linger_ms": 200, "batch_size": BATCH_BYTES}
    with closing(KafkaProducer(bootstrap_servers=[bootstrap], **settings)) as producer:
        for number, row in enumerate(rows(RECORDS)):
            producer.send(topic, row, partition=number % PARTITIONS)
        producer.flush()
    return topic


class Stopwatch:
    """Measures from the first to the last record."""

    def __init__(self) -> None:
        self.read = 0
        self.wall = self.cpu = 0.0

    def saw(self, records: int) -> bool:
        """Count records; return whether there are more to come."""
        if not self.read and records:
            self.wall, self.cpu = -time.perf_counter(), -time.process_time()
        self.read += records
        if self.read < RECORDS:
            return True
        assert self.read == RECORDS
        self.wall += time.perf_counter()
        self.cpu += time.process_time()
        return False


def bare(bootstrap: str, topic: str, watch: Stopwatch) -> None:
    from kafka import KafkaConsumer, TopicPartition

    parts = [TopicPartition(topic, number) for number in range(PARTITIONS)]
    with closing(KafkaConsumer(bootstrap_servers=[bootstrap], enable_auto_commit=False)) as consumer:
        consumer.assign(parts)
        consumer.seek_to_beginning(*parts)
        while watch.saw(sum(map(len, consumer.poll(timeout_ms=500).values()))):
            pass


def confluent(bootstrap: str, topic: str, watch: Stopwatch) -> None:
    from confluent_kafka import Consumer, TopicPartition

    with closing(Consumer({"bootstrap.servers": bootstrap, "group.id": "bench"})) as consumer:
        consumer.assign([TopicPartition(topic, number, 0) for number in range(PARTITIONS)])
        while watch.saw(len(consumer.consume(10_000, 0.5))):
            pass


def source_of(bootstrap: str, topic: str) -> KafkaSource:
    return KafkaSource(Connection((bootstrap,)), topics=[topic], format=Format(), time=TimeRule(), poll_seconds=0.05)


def header(bootstrap: str, topic: str, watch: Stopwatch) -> None:
    cursors: dict[Any, Cursor] = defaultdict(lambda: Cursor(7))

    def look(batch: Batch) -> None:
        wanted = cursors[batch.origin].below(ONE_PERCENT, batch.start, batch.end)
        if wanted.size:
            batch.decode(wanted)

    read(bootstrap, topic, watch, look)


def state(bootstrap: str, topic: str, watch: Stopwatch) -> None:
    read(bootstrap, topic, watch, State(Stream("bench", Secret.from_seed(1), Capacity(1000))).apply)


def read(bootstrap: str, topic: str, watch: Stopwatch, take: Callable[[Batch], object]) -> None:
    with closing(source_of(bootstrap, topic)) as source:
        for batch in source.batches():
            if batch is not None:
                take(batch)
                if not watch.saw(batch.count):
                    return


def measure(bootstrap: str, compression: str | None) -> dict[str, tuple[float, float]]:
    topic = fill(bootstrap, compression)
    ways = {"bare kafka-python": bare, "header, 1 %": header, "state": state}
    if importlib.util.find_spec("confluent_kafka"):
        ways["confluent-kafka"] = confluent
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            watch = Stopwatch()
            way(bootstrap, topic, watch)
            times[name].append((watch.wall, watch.cpu))
    return {name: (min(w for w, _ in seen), min(c for _, c in seen)) for name, seen in times.items()}


def main() -> None:
    print(f"{'':<14}{'way':<20}{'records/s':>12}{'wall s':>9}{'CPU s':>9}{'× wall':>9}{'× CPU':>9}")
    goals = []
    with tempfile.TemporaryDirectory() as directory, start_broker(Path(directory)) as broker:
        for compression, goal in (("lz4", 15), (None, 4)):
            found = measure(broker.bootstrap, compression)
            base_wall, base_cpu = found["bare kafka-python"]
            for name, (wall, cpu) in found.items():
                ratios = f"{base_wall / wall:>9.1f}{base_cpu / cpu:>9.1f}"
                print(f"{compression or 'none':<14}{name:<20}{RECORDS / wall:>12,.0f}{wall:>9.2f}{cpu:>9.2f}{ratios}")
            ratio = base_wall / found["header, 1 %"][0]
            goals.append(f"header path, {compression or 'none'}: {ratio:.1f}, goal {goal}")
            goals[-1] += f": {'met' if ratio >= goal else 'NOT met'}"
    print(*goals, sep="\n")
    if not importlib.util.find_spec("confluent_kafka"):
        print("confluent-kafka is not installed, and not in the table")


if __name__ == "__main__":
    main()
