"""How fast topics are read, against the client's own loop over the same topics in the same run.

A real broker holds 330-byte JSON rows in four partitions.  Every way reads all of them, each time in a process of its
own, in turn and several times; the clock runs from the first batch on, since finding the brokers takes each way the
same tenths of a second.  Ratios are to the bare poll loop of kafka-python, which does nothing with the records, by the
median over the rounds.  CPU is that of the whole process, with the client's thread.

- "header" looks at the header of each batch and decodes 1 % of the records, which is what a full sample asks for;
- "samples" applies the batches to the state of a stream, whose samples ask for 1 % at first and less later;
- "full" does that and decodes every record, to count the groups of one, three or five published sets.

"plain" is without the extra ``fast``.  confluent-kafka, a client in C, is in the table for comparison.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from streamqid.records import ABSENT
from streamqid.synthetic import GeneratedBatch, Population

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamqid.records import Batch

RECORDS = 600_000
PARTITIONS = 4
LARGE, SMALL = 1 << 18, 1 << 14
"""Bytes of a producer's batches before compression: as set for throughput, and the default of most clients."""
ROUNDS = 3
ONE_PERCENT = (1 << 64) // 100
HISTORY = 240_000
"""Records that the state has counted before, so that its samples of 1,000 begin by asking for 1 % of the records."""
SETS = (
    ("age", "sex", "zip"),
    ("age", "sex", "region", "education"),
    ("age", "zip", "occupation", "marital_status", "children", "diagnosis"),
    ("zip", "device", "plan"),
    ("sex", "region", "visit_day"),
)
BARE = "bare kafka-python"
WAYS = (
    *((BARE, "bare", False), ("confluent-kafka", "confluent", False)),
    *(("header 1 %, plain", "header", True), ("header 1 %, fast", "header", False)),
    *(("samples, plain", "full0", True), ("samples, fast", "full0", False)),
    *(
        (f"full, {sets} sets, {word}", f"full{sets}", word == "plain")
        for word in ("plain", "fast")
        for sets in (1, 3, 5)
    ),
)
"""The name of a way, what runs, and whether numba is kept out."""


def rows(count: int) -> Iterator[bytes]:
    """Yield rows about made-up people, of 330 bytes on average."""
    people = Population(1)
    for start in range(0, count, 10_000):
        read = GeneratedBatch(people, start, min(start + 10_000, count)).decode(np.arange(start, start + 10_000))
        for number, cells in enumerate(zip(*read.values, strict=True), start):
            row = {name: cell for name, cell in zip(read.columns, cells, strict=True) if cell is not ABSENT}
            yield json.dumps(row | {"visit": f"v{number:012}"}).encode()


def fill(bootstrap: str, compression: str | None, batch_bytes: int) -> str:
    from kafka import KafkaAdminClient, KafkaProducer

    topic = f"rows-{uuid4().hex[:8]}"
    with closing(KafkaAdminClient(bootstrap_servers=[bootstrap])) as admin:
        admin.create_topics({topic: {"num_partitions": PARTITIONS}})
    settings: dict[str, Any] = {"compression_type": compression, "linger_ms": 200, "batch_size": batch_bytes}
    with closing(KafkaProducer(bootstrap_servers=[bootstrap], **settings)) as producer:
        for number, row in enumerate(rows(RECORDS)):
            producer.send(topic, row, partition=number % PARTITIONS)
        producer.flush()
    return topic


class Stopwatch:
    """Measures from behind the first records to the last one."""

    def __init__(self) -> None:
        self.read = self.first = 0
        self.wall = self.cpu = 0.0

    def saw(self, records: int) -> bool:
        """Count records; return whether there are more to come."""
        self.read += records
        if records and not self.first:
            self.first = records
            self.wall, self.cpu = -time.perf_counter(), -time.process_time()
        if self.read < RECORDS:
            return True
        assert self.read == RECORDS
        self.wall += time.perf_counter()
        self.cpu += time.process_time()
        return False

    def per_record(self) -> tuple[float, float]:
        """Return the seconds of a record, by the clock and by the CPU."""
        return self.wall / (RECORDS - self.first), self.cpu / (RECORDS - self.first)


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


def header(bootstrap: str, topic: str, watch: Stopwatch) -> None:
    from streamqid.sampling.priority import Cursor

    cursors: dict[Any, Cursor] = defaultdict(lambda: Cursor(7))

    def look(batch: Batch) -> None:
        wanted = cursors[batch.origin].below(ONE_PERCENT, batch.start, batch.end)
        if wanted.size:
            batch.decode(wanted)

    read(bootstrap, topic, watch, look)


def full(bootstrap: str, topic: str, watch: Stopwatch, sets: int) -> None:
    from streamqid.engine.counting import Counting
    from streamqid.engine.state import State
    from streamqid.engine.stream import Stream
    from streamqid.sampling.capacity import Capacity
    from streamqid.sampling.secret import Secret

    counting = Counting(SETS[:sets]) if sets else None
    state = State(Stream("bench", Secret.from_seed(1), Capacity(1000), counting=counting))
    pane = state.panes.pane(0)
    assert pane is not None
    for sampler in (state.landmark, pane):
        sampler.update_count(HISTORY)
    read(bootstrap, topic, watch, state.apply)


def read(bootstrap: str, topic: str, watch: Stopwatch, take: Callable[[Batch], object]) -> None:
    from streamqid.broker.connect import Connection
    from streamqid.broker.formats import Format
    from streamqid.broker.source import KafkaSource
    from streamqid.broker.times import TimeRule

    settings: dict[str, Any] = {"format": Format(), "time": TimeRule(), "poll_seconds": 0.05}
    with closing(KafkaSource(Connection((bootstrap,)), topics=[topic], **settings)) as source:
        for batch in source.batches():
            if batch is not None:
                take(batch)
                if not watch.saw(batch.count):
                    return


def run(way: str, bootstrap: str, topic: str) -> None:
    """Read the topic in one way, and print the seconds of each record by the clock and by the CPU."""
    watch = Stopwatch()
    if way.startswith("full"):
        full(bootstrap, topic, watch, int(way[4:]))
    else:
        {"bare": bare, "confluent": confluent, "header": header}[way](bootstrap, topic, watch)
    print(json.dumps(watch.per_record()))


def measure(
    bootstrap: str, topic: str, label: str, ways: dict[str, tuple[str, bool]]
) -> dict[str, tuple[float, float]]:
    times: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in range(ROUNDS):
        for name, (way, without_numba) in ways.items():
            flags = ["--without-numba"] if without_numba else []
            command = [sys.executable, __file__, "--way", way, "--topic", topic, "--bootstrap", bootstrap, *flags]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            wall, cpu = json.loads(done.stdout)
            times[name].append((wall, cpu))
    base = times[BARE]
    print(f"\n{label}\n{'way':<22}{'records/s':>12}{'CPU µs':>9}{'× wall':>8}{'× CPU':>8}   × CPU of each round")
    found = {}
    for name, seen in times.items():
        ratios = [(b[0] / s[0], b[1] / s[1]) for b, s in zip(base, seen, strict=True)]
        found[name] = (statistics.median(w for w, _ in ratios), statistics.median(c for _, c in ratios))
        wall, cpu = (statistics.median(column) for column in zip(*seen, strict=True))
        each = " ".join(f"{c:.1f}" for _, c in ratios)
        print(f"{name:<22}{1 / wall:>12,.0f}{cpu * 1e6:>9.2f}", end="")
        print(f"{found[name][0]:>8.1f}{found[name][1]:>8.1f}   {each}", flush=True)
    return found


def judged(what: str, value: float, goal: float) -> str:
    return f"{what}: {value:.2f}, goal {goal}: {'met' if value >= goal else 'NOT met'}"


def main() -> None:
    from deploy.kafka.broker import start_broker

    ways = {name: (way, without) for name, way, without in WAYS}
    if not importlib.util.find_spec("numba"):
        print("numba is not installed, so the extra fast is not in the table: pip install streamqid[fast]")
        ways = {name: way for name, way in ways.items() if not name.endswith("fast")}
    best = "fast" if "header 1 %, fast" in ways else "plain"
    goals = []
    with tempfile.TemporaryDirectory() as directory, start_broker(Path(directory)) as broker:
        for compression, batch_bytes, goal in (("lz4", LARGE, 15.0), (None, LARGE, 4.0), ("lz4", SMALL, 0.0)):
            label = f"{compression or 'uncompressed'}, batches of {batch_bytes >> 10} KiB"
            found = measure(broker.bootstrap, fill(broker.bootstrap, compression, batch_bytes), label, ways)
            for word in ("plain", "fast")[: 1 if best == "plain" else 2] if goal else ():
                wall, cpu = found[f"header 1 %, {word}"]
                goals.append(judged(f"header path, {label}, {word}, wall", wall, goal))
                goals.append(judged(f"header path, {label}, {word}, CPU", cpu, goal))
                three = found[f"full, 3 sets, {word}"][1]
                goals.append(judged(f"full path, {label}, {word}, CPU", three, 2 if word == "plain" else 5))
                kept = found[f"full, 5 sets, {word}"][1] / found[f"full, 1 sets, {word}"][1]
                goals.append(judged(f"five sets against one, {label}, {word}, CPU", kept, 0.6))
    print("", *goals, sep="\n")


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--way")
    arguments.add_argument("--topic")
    arguments.add_argument("--bootstrap")
    arguments.add_argument("--without-numba", action="store_true")
    given = arguments.parse_args()
    if given.without_numba:
        sys.modules["numba"] = None  # type: ignore[assignment]  # an import of it fails from here on
    if given.way:
        run(given.way, given.bootstrap, given.topic)
    else:
        main()
