"""How much a running solve slows down reading: records a second of the loop, with a solve always under way and without.

The loop is the service's own, over JSON lines of 60 columns, with the solver in a process of its own.  With solves, one
is asked for every 20,000 records, so that the next begins as soon as the last has ended; "solving" is the share of the
time in which the process of the solver computed.  Rounds take turns; the ratio is the median of those of each two in a
row.  On two cores the solver has one of its own, if the machine has nothing else to do.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import msgspec
import numpy as np

from streamqid.clock import SystemClock
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.observers import Silent
from streamqid.engine.panes import PaneRule
from streamqid.engine.process import ProcessSolver
from streamqid.engine.questions import AskKey, AskMask
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.publish.board import Board
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.sources import open_table

ROWS, COLUMNS, KEPT, ROUNDS = 300_000, 60, 20_000, 7
GOAL = 0.9


def write(path: Path) -> None:
    """Write rows of columns with 2 to 61 values, of which low ones are frequent."""
    draw = np.random.default_rng(1)
    values = (draw.random((ROWS, COLUMNS)) ** 2 * np.arange(2, COLUMNS + 2)).astype(int)
    encode = msgspec.json.Encoder().encode
    names = [f"column_{number}" for number in range(COLUMNS)]
    with path.open("wb") as file:
        file.writelines(encode(dict(zip(names, row, strict=True))) + b"\n" for row in values.tolist())


def cpu_of(pid: int | None) -> float:
    """Return the seconds that a process has computed."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


def read(path: Path, solver: ProcessSolver, *, solves: bool) -> tuple[float, float]:
    """Return the records a second of one run, and the share of the time in which the solver computed."""
    pace = Pace(solve_records=20_000 if solves else 10**12)
    panes = PaneRule(ROWS, "records")
    stream = Stream(
        "bench", Secret.from_seed(1), Capacity(KEPT), panes=panes, key=AskKey(), mask=AskMask(beta=0.8), pace=pace
    )
    with closing(open_table(path)) as source:
        loop = Loop(stream, source, MemoryStore(), Board(), SystemClock(), solver, Silent(), MemoryStore())
        began, before = time.perf_counter(), cpu_of(solver.pid)
        loop.run(ROWS)
        seconds = time.perf_counter() - began
        return loop.state.records / seconds, (cpu_of(solver.pid) - before) / seconds


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        write(path)
        with closing(ProcessSolver(600.0, SystemClock())) as solver:
            read(path, solver, solves=True)
            rounds = [(read(path, solver, solves=False), read(path, solver, solves=True)) for _ in range(ROUNDS)]
    ratio = statistics.median(solving[0] / alone[0] for alone, solving in rounds)
    alone, solving = (statistics.median(one[place][0] for one in rounds) for place in (0, 1))
    share = statistics.median(solving[1] for _, solving in rounds)
    print(f"{ROWS:,} rows of {COLUMNS} columns, {KEPT:,} kept in each sample")
    print(f"{'records/s alone':>16}{'while solving':>15}{'ratio':>8}{'solving':>9}")
    print(f"{alone:>16,.0f}{solving:>15,.0f}{ratio:>8.3f}{share:>9.0%}")
    print(f"at least {GOAL} while a solve runs: {'met' if ratio >= GOAL else 'NOT met'}")


if __name__ == "__main__":
    main()
