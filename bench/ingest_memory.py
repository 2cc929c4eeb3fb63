"""Peak memory of the service's loop while it reads 10 million records, against that when it had read the first million.

A real broker holds the records, 330-byte JSON rows in four partitions, lz4.  The loop reads them in a process of its
own, with everything that the service has: samples, panes, counted sets, checkpoints on disk and solves in another
process.  Panes are so narrow that all that are held are full before the first million.  Once only candidates are read,
and once every record.
"""

from __future__ import annotations

import json
import logging
import resource
import subprocess
import sys
import tempfile
from contextlib import closing
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from ingest import SETS, rows

from streamqid.engine.observers import Silent

if TYPE_CHECKING:
    from streamqid.engine.state import State
    from streamqid.records import Batch

MILLION = 1_000_000
RECORDS = 10 * MILLION
PARTITIONS = 4
DIFFERENT = 200_000
TOPIC = "rows"


def fill(bootstrap: str) -> None:
    from kafka import KafkaAdminClient, KafkaProducer

    with closing(KafkaAdminClient(bootstrap_servers=[bootstrap])) as admin:
        admin.create_topics({TOPIC: {"num_partitions": PARTITIONS}})
    settings: dict[str, Any] = {"compression_type": "lz4", "linger_ms": 200, "batch_size": 1 << 16}
    with closing(KafkaProducer(bootstrap_servers=[bootstrap], **settings)) as producer:
        for number, row in enumerate(islice(cycle(list(rows(DIFFERENT))), RECORDS)):
            producer.send(TOPIC, row, partition=number % PARTITIONS)
        producer.flush()


class Scale(Silent):
    """Notes the peak of this process's memory when a million records were counted."""

    after_a_million = 0

    def turned(self, state: State) -> None:
        """Look at the number of records."""
        if not self.after_a_million and state.records >= MILLION:
            self.after_a_million = peak()


class Ending:
    """A source that ends with its last record."""

    def __init__(self, source: Any) -> None:
        self._source, self._left = source, RECORDS

    def batches(self) -> Any:
        """Yield what the source yields."""
        for batch in self._source.batches():
            yield batch
            self._left -= count_of(batch)
            if self._left <= 0:
                return


def count_of(batch: Batch | None) -> int:
    return 0 if batch is None else batch.count


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run(bootstrap: str, directory: str, *, full: bool) -> None:
    from streamqid.broker.connect import Connection
    from streamqid.broker.formats import Format
    from streamqid.broker.source import KafkaSource
    from streamqid.broker.times import TimeRule
    from streamqid.clock import SystemClock
    from streamqid.engine.counting import Counting
    from streamqid.engine.directory import DirectoryStore
    from streamqid.engine.loop import Loop
    from streamqid.engine.panes import PaneRule
    from streamqid.engine.process import ProcessSolver
    from streamqid.engine.schedule import Pace
    from streamqid.engine.stream import Stream
    from streamqid.sampling.capacity import Capacity
    from streamqid.sampling.secret import Secret

    class Nowhere:
        def publish(self, document: object) -> None:
            pass

    counting = Counting(SETS[:3]) if full else None
    pace = Pace(solve_records=MILLION // 4, checkpoint_records=MILLION // 10)
    stream = Stream(
        "bench", Secret.from_seed(1), Capacity(5000), panes=PaneRule(20_000, "records"), counting=counting, pace=pace
    )
    source = KafkaSource(Connection((bootstrap,)), topics=[TOPIC], format=Format(), time=TimeRule())
    clock, scale = SystemClock(), Scale()
    store, solver = DirectoryStore(Path(directory), 3), ProcessSolver(60.0, clock)
    with closing(source), closing(store), closing(solver):
        loop = Loop(stream, Ending(source), store, Nowhere(), clock, solver, scale)
        loop.run()
        assert loop.state.records == RECORDS
        assert loop.tally.checkpoints > 10
        assert loop.tally.published > 1
    print(json.dumps([scale.after_a_million, peak()]))


def main() -> None:
    from deploy.kafka.broker import start_broker

    print(f"{'path':<10}{'peak at 1 million':>20}{'peak at 10 million':>20}{'ratio':>8}")
    verdicts = []
    with tempfile.TemporaryDirectory() as directory, start_broker(Path(directory) / "kafka") as broker:
        fill(broker.bootstrap)
        for path in ("header", "full"):
            command = [sys.executable, __file__, broker.bootstrap, str(Path(directory) / path), path]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            first, last = json.loads(done.stdout.splitlines()[-1])
            print(f"{path:<10}{first / 1024:>17.1f} MB{last / 1024:>17.1f} MB{last / first:>8.3f}", flush=True)
            verdicts.append(f"{path}: within 10 %: {'met' if last <= 1.1 * first else 'NOT met'}")
    print(*verdicts, sep="\n")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        logging.disable()
        run(sys.argv[1], sys.argv[2], full=sys.argv[3] == "full")
    else:
        main()
