"""How much a running solve slows down reading: records a second of the loop, with a solve always under way and without.

The loop is the service's own, over JSON lines of 60 columns, with the solver in a process of its own.  With solves, one
is asked for every 20,000 records, so that the next begins as soon as the last has ended.  Long solves (all minimal sets
too, given up after a second) show what a solve costs while it runs; short ones (a key and a mask), many a second, what
handing over the samples and taking the answers costs, which a service does once a minute.  "solving" is the share of
the time in which the process of the solver computed.  Rounds take turns; a ratio is the median of those of each round.
Reading uses a second thread, and cores share caches and memory, so any program beside it costs something: the control
is one that has nothing to do with streamqid, and each way is set beside it too.  ``taskset -c 0`` before the command
measures the same on a single core.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import msgspec
import numpy as np

from streamqid.clock import SystemClock
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.observers import Silent
from streamqid.engine.panes import PaneRule
from streamqid.engine.process import ProcessSolver
from streamqid.engine.projection import Projection
from streamqid.engine.questions import AskKey, AskMask
from streamqid.engine.sample_questions import AskMinimal
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.publish.board import Board
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.sources import open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamqid.engine.sample_questions import Ask
    from streamqid.records import Batch, Source

ROWS, COLUMNS, KEPT, ROUNDS = 600_000, 60, 20_000, 5
NAMES = [f"column_{number}" for number in range(COLUMNS)]
GOAL = 0.9
ALONE, CONTROL = "no solve", "no solve, control"
WAYS: dict[str, tuple[Ask, ...] | None] = {
    ALONE: None,
    CONTROL: None,
    "long solves": (AskMinimal(max_sets=10**6, seconds=1.0),),
    "short solves": (),
}
BUSY = """
import numpy
codes = numpy.random.default_rng(1).integers(0, 50, (20_000, 60))
while True:
    for j in range(60):
        numpy.bincount(codes[:, j] * 50 + codes[:, (j + 7) % 60])
"""


class Watched:
    """A source that tells when all of it was read: the loop goes on until the last solve has ended."""

    def __init__(self, source: Source, tell: Callable[[], None]) -> None:
        self._source, self._tell = source, tell

    def batches(self) -> Iterator[Batch | None]:
        """Yield what the source does."""
        yield from self._source.batches()
        self._tell()


def write(path: Path) -> None:
    """Write rows of columns with 2 to 61 values, of which low ones are frequent."""
    draw = np.random.default_rng(1)
    values = (draw.random((ROWS, COLUMNS)) ** 2 * np.arange(2, COLUMNS + 2)).astype(int)
    encode = msgspec.json.Encoder().encode
    with path.open("wb") as file:
        file.writelines(encode(dict(zip(NAMES, row, strict=True))) + b"\n" for row in values.tolist())


def cpu_of(pid: int | None) -> float:
    """Return the seconds that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


@contextmanager
def beside(way: str) -> Iterator[None]:
    """Let another program compute meanwhile, if this is the control."""
    if way != CONTROL:
        yield
        return
    with subprocess.Popen([sys.executable, "-c", BUSY]) as busy:
        time.sleep(0.5)
        yield
        busy.kill()


def read(path: Path, solver: ProcessSolver, asked: tuple[Ask, ...] | None) -> tuple[float, float]:
    """Return the records a second of one run, and the share of the time in which the solver computed."""
    stream = Stream(
        "bench",
        Secret.from_seed(1),
        Capacity(KEPT),
        projection=Projection(NAMES),
        panes=PaneRule(ROWS, "records"),
        key=AskKey(),
        mask=AskMask(beta=0.8),
        problems=asked or (),
        pace=Pace(solve_records=10**12 if asked is None else 20_000),
    )
    marks: list[tuple[float, float]] = []

    def mark() -> None:
        marks.append((time.perf_counter(), cpu_of(solver.pid)))

    with closing(open_table(path)) as source:
        watched = Watched(source, mark)
        loop = Loop(stream, watched, MemoryStore(), Board(), SystemClock(), solver, Silent(), MemoryStore())
        mark()
        loop.run(ROWS + 1)
    (began, before), (ended, after) = marks
    return ROWS / (ended - began), (after - before) / (ended - began)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write(path)
        with closing(ProcessSolver(600.0, SystemClock())) as solver:
            read(path, solver, ())
            rounds: list[dict[str, tuple[float, float]]] = []
            for _ in range(ROUNDS):
                rounds.append({})
                for way, asked in WAYS.items():
                    with beside(way):
                        rounds[-1][way] = read(path, solver, asked)
    print(f"{ROWS:,} rows of {COLUMNS} columns, {KEPT:,} kept in each sample")
    print(f"{'':<18}{'records/s':>10}{'to no solve':>13}{'to control':>12}{'solving':>9}")
    found = {}
    for way in WAYS:
        rate, share = (statistics.median(one[way][place] for one in rounds) for place in (0, 1))
        found[way] = [statistics.median(one[way][0] / one[to][0] for one in rounds) for to in (ALONE, CONTROL)]
        print(f"{way:<18}{rate:>10,.0f}{found[way][0]:>13.3f}{found[way][1]:>12.3f}{share:>9.0%}")
    for way in list(WAYS)[2:]:
        for ratio, to in zip(found[way], (ALONE, CONTROL), strict=True):
            print(f"{way}: at least {GOAL} of the speed of {to}: {'met' if ratio >= GOAL else 'NOT met'}")


if __name__ == "__main__":
    main()
