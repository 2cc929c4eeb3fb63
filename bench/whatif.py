"""How much what-if requests slow down reading: records a second with and without 50 requests a second.

One process does what the service does: a loop reads JSON lines and hands its samples to a solver in a process of its
own, and the HTTP server answers on threads of the same process.  Another process, which the scheduler puts last, asks
about column sets drawn at random, so that hardly any answer is known already.  Rounds with and without requests take
turns; the ratio is the median of those of each two in a row.

On a machine with other work to do the ratio says more about that work than about the requests, but "taken" does not: it
is the CPU time of all threads of the process but the loop's, less that of quiet rounds, as a share of the time that
passed.  All threads share one interpreter lock, so the loop gets so much less.

"samples" reads what the samples want, "full" decodes every record to count the groups of a set.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from prometheus_client import CollectorRegistry

from streamqid.clock import SystemClock
from streamqid.engine.answering import Answering
from streamqid.engine.counting import Counting
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.observers import Observers
from streamqid.engine.panes import PaneRule
from streamqid.engine.process import ProcessSolver
from streamqid.engine.questions import AskMask, Limit, PublishedSet, Quantity
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.publish.access import Access
from streamqid.publish.board import Board
from streamqid.publish.chronicle import Chronicle
from streamqid.publish.explorer import Explorer
from streamqid.publish.health import Health, Limits, Pulse
from streamqid.publish.http import serve
from streamqid.publish.site import Site
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.sources import open_table
from streamqid.synthetic import Population
from streamqid.synthetic.writers import write_jsonl

PER_SECOND = 50
ROUNDS = 9
WAYS = ("samples", "full")
SET = ("age", "region", "sex")


def stream_of(*, full: bool) -> Stream:
    limit = Limit(Quantity.UNIQUE_ROWS, 0.2) if full else Limit(Quantity.SEPARATION, 0.995)
    return Stream(
        "bench",
        Secret.from_seed(1),
        Capacity(10_000),
        panes=PaneRule(500_000, "records"),
        counting=Counting((SET,), 4096) if full else None,
        mask=AskMask(beta=0.9),
        published=(PublishedSet("set", SET, (limit,)),),
        pace=Pace(solve_seconds=5.0),
    )


class Served:
    """A service whose loop can be run again and again over the same file."""

    def __init__(self, stream: Stream, path: Path, records: int) -> None:
        self._stream, self._path, self._records, self._clock = stream, path, records, SystemClock()
        self._answering, self._board, chronicle = Answering(), Board(), Chronicle()
        pulse, explorer = Pulse(self._clock), Explorer(stream, self._answering)
        self._observer = Observers([pulse, chronicle, explorer])
        self._solver = ProcessSolver(60.0, self._clock)
        health = Health({"bench": pulse}, Limits(), self._clock)
        site = Site(CollectorRegistry(), health, self._board, "0", {"bench": chronicle}, {"bench": explorer})
        self._server = serve(site, Access(port=0))
        self.port = self._server.port

    def read(self) -> tuple[float, float]:
        """Return the records a second of one run over the file, and the CPU time of other threads a second of it."""
        with closing(open_table(self._path)) as source:
            loop = Loop(
                self._stream,
                source,
                MemoryStore(),
                self._board,
                self._clock,
                self._solver,
                self._observer,
                MemoryStore(),
            )
            began, mine, all_threads = time.perf_counter(), time.thread_time(), time.process_time()
            loop.run(self._records)
            mine, all_threads = time.thread_time() - mine, time.process_time() - all_threads
            seconds = time.perf_counter() - began
            return loop.state.records / seconds, (all_threads - mine) / seconds

    def close(self) -> None:
        """End everything."""
        self._server.close()
        self._solver.close()
        self._answering.close()


def ask(port: int) -> None:
    """Ask at a steady pace until standard input ends; print how it went."""
    os.nice(10)
    columns = [one["column"] for one in json.loads(_get(port, "columns", []))["columns"]]
    draw, taken, begun = random.Random(port), [], time.perf_counter()
    running = subprocess.Popen(["cat"], stdin=sys.stdin, stdout=subprocess.DEVNULL)  # noqa: S607
    number = 0
    while running.poll() is None:
        time.sleep(max(0.0, begun + number / PER_SECOND - time.perf_counter()))
        number += 1
        before = time.perf_counter()
        told = json.loads(_get(port, "whatif", draw.sample(columns, draw.randint(1, len(columns)))))
        taken.append(time.perf_counter() - before)
        assert told["check"]["sample"] > 0
    seconds = time.perf_counter() - begun
    print(json.dumps([len(taken) / seconds, statistics.median(taken), statistics.quantiles(taken, n=100)[94]]))


def _get(port: int, what: str, columns: list[str]) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    with closing(connection):
        connection.request("GET", f"/v1/streams/bench/{what}?{urlencode([('column', one) for one in columns])}")
        response = connection.getresponse()
        assert response.status == 200, response.read()
        return response.read()


def measure(name: str, served: Served, rounds: int) -> None:
    served.read()
    quiet, loaded, told = [], [], []
    for _ in range(rounds):
        quiet.append(served.read())
        command = [sys.executable, __file__, "--ask", str(served.port)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as asking:
            time.sleep(1.5)
            loaded.append(served.read())
            told.append(json.loads(asking.communicate()[0]))
    fast, idle = (statistics.median(column) for column in zip(*quiet, strict=True))
    slow, busy = (statistics.median(column) for column in zip(*loaded, strict=True))
    ratio = statistics.median(after[0] / before[0] for before, after in zip(quiet, loaded, strict=True))
    rate, middle, tail = (statistics.median(column) for column in zip(*told, strict=True))
    print(
        f"{name:8} {fast:>11,.0f} {slow:>11,.0f} {ratio:>7.3f} {busy - idle:>8.1%} "
        f"{rate:>8.1f} {middle * 1e3:>8.1f} {tail * 1e3:>8.1f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ask", type=int, metavar="PORT", help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    options = parser.parse_args()
    if options.ask:
        ask(options.ask)
        return
    heads = f"{'quiet':>11} {'asked':>11} {'ratio':>7} {'taken':>8} {'asks/s':>8} {'ms p50':>8} {'ms p95':>8}"
    print(f"{'records/s':8} {heads}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "people.jsonl"
        with path.open("wb") as file:
            write_jsonl(Population(1), options.rows, file)
        for name in options.ways:
            served = Served(
                stream_of(full=name == "full"), path, options.rows if name == "samples" else options.rows // 15
            )
            try:
                measure(name, served, options.rounds)
            finally:
                served.close()


if __name__ == "__main__":
    main()
