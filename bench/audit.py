"""The audit against pycanon: k of 1 million rows and 6 columns, and t of Adult, in one run.

Each side is a process of its own, reads the file by its own reader, and repeats the question on the loaded table; the
best of the repeats counts.  A table that streamqid has loaded holds numbers instead of values.  So that like is
compared with like, pycanon is asked for k three times: on text, as pandas reads it, on categories, and on a frame of
the smallest integers, as pandas would code it; each of them counts.  Beside it, and without a target, stand two ratios
in which nobody has coded anything beforehand: loading from CSV and asking, and the question to a DataFrame of text in
memory.  Memory is the peak of the whole process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ADULT = Path(__file__).resolve().parents[1] / "tests" / "data" / "adult.csv.gz"
ROWS = 1_000_000
REPEATS = 3
FEW, MANY = (4, 2, 5, 7, 9, 16), (74, 2, 5, 42, 16, 94)
"""Values of each column: about 40,000 possible groups, and about 47 million."""

MEASURE = """
import json, time
def timed(ask, repeats=1):
    best = [float("inf")] * 2
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        found = ask()
        best = [min(best[0], time.perf_counter() - wall), min(best[1], time.process_time() - cpu)]
    return found, best
def tell(loaded, asked, found):
    # Not ru_maxrss, which a process inherits from the one that started it.
    peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
    print(json.dumps([loaded, asked, found, int(peak)]))
"""
OURS = """
from streamqid.audits.audit import audit
from streamqid.audits.cells import Sensitive
from streamqid.whole import read_whole
whole, loaded = timed(lambda: read_whole({path!r}, {{"seed": 1, "only": {quasi!r} + {sensitive!r}}}))
table = whole.table
quasi = [table.columns.index(name) for name in {quasi!r}]
sensitive = [Sensitive(name, table.codes[table.columns.index(name)]) for name in {sensitive!r}]
answer, asked = timed(lambda: audit(table, quasi, sensitive), {repeats})
tell(loaded, asked, answer.sensitive[0].t if sensitive else answer.groups.smallest)
"""
OF_A_FRAME = """
import pandas, streamqid
frame = pandas.read_csv({path!r}, usecols={quasi!r} + {sensitive!r})
answer, asked = timed(lambda: streamqid.audit(frame, quasi={quasi!r}, sensitive={sensitive!r}))
tell([0.0, 0.0], asked, answer.sensitive[0].t if {sensitive!r} else answer.groups.smallest)
"""
THEIRS = """
import pandas
from pycanon import anonymity
def read():
    frame = pandas.read_csv({path!r}, usecols={quasi!r} + {sensitive!r}, dtype={dtype})
    return frame.apply(lambda column: column.cat.codes) if {integers} else frame
frame, loaded = timed(read)
if {sensitive!r}:
    found, asked = timed(lambda: anonymity.t_closeness(frame, {quasi!r}, {sensitive!r}), {repeats})
else:
    found, asked = timed(lambda: anonymity.k_anonymity(frame, {quasi!r}), {repeats})
tell(loaded, asked, float(found))
"""
MET = {True: "met", False: "NOT met"}
Run = tuple[list[float], list[float], float, int]


def run(code: str, path: Path, quasi: list[str], sensitive: list[str], coded: str = "text") -> Run:
    # One question about t takes pycanon seconds.
    repeats = 1 if sensitive and code is THEIRS else REPEATS
    given = {"path": str(path), "quasi": quasi, "sensitive": sensitive, "repeats": repeats}
    dtype = "None" if coded == "text" else "'category'"
    filled = code.format(**given, dtype=dtype, integers=coded == "integers")
    done = subprocess.run([sys.executable, "-c", MEASURE + filled], check=True, capture_output=True, text=True)
    loaded, asked, found, peak = json.loads(done.stdout)
    return loaded, asked, found, peak


def write_table(path: Path, sizes: tuple[int, ...]) -> list[str]:
    rng = np.random.default_rng(1)
    columns = [np.array([f"value-{v}" for v in range(size)])[rng.integers(0, size, ROWS)] for size in sizes]
    names = [f"c{j}" for j in range(len(sizes))]
    with path.open("w") as file:
        file.write(",".join(names) + "\n")
        file.writelines(",".join(row) + "\n" for row in zip(*(c.tolist() for c in columns), strict=True))
    return names


def compare(what: str, path: Path, quasi: list[str], sensitive: list[str], times: float) -> bool:
    ours = run(OURS, path, quasi, sensitive)
    kinds = ["text"] if sensitive else ["text", "categories", "integers"]
    others = {f"pycanon, {kind}": run(THEIRS, path, quasi, sensitive, kind) for kind in kinds}
    print(f"{what}: {ours[2]:g}")
    print(f"  {'':<20}{'load s':>10}{'ask s':>10}{'ask CPU s':>11}{'peak MB':>10}")
    for name, (loaded, asked, _, peak) in {"streamqid": ours, **others}.items():
        print(f"  {name:<20}{loaded[0]:>10.3f}{asked[0]:>10.4f}{asked[1]:>11.4f}{peak / 1024:>10.0f}")
    met = True
    for name, theirs in others.items():
        assert abs(ours[2] - theirs[2]) < 1e-9, "the two disagree"
        wall, cpu = (their / our for our, their in zip(ours[1], theirs[1], strict=True))
        fast, small = min(wall, cpu) >= times, ours[3] < theirs[3]
        total = (theirs[0][0] + theirs[1][0]) / (ours[0][0] + ours[1][0])
        print(f"  against {name}: {wall:.0f} times faster, by CPU {cpu:.0f} (at least {times:g}: {MET[fast]})")
        print(f"    {ours[3] / theirs[3]:.2f} of its memory (less than all: {MET[small]});", end=" ")
        print(f"with loading {total:.2f} times faster")
        met = met and fast and small
    text, frame = others["pycanon, text"], run(OF_A_FRAME, path, quasi, sensitive)
    print(f"  of a DataFrame of text, coding included: {text[1][0] / frame[1][0]:.2f} times faster", end=", ")
    print(f"by CPU {text[1][1] / frame[1][1]:.2f}")
    return met


def main() -> None:
    met = []
    with tempfile.TemporaryDirectory() as directory:
        for label, sizes in (("few groups", FEW), ("many groups", MANY)):
            path = Path(directory) / "table.csv"
            quasi = write_table(path, sizes)
            met.append(compare(f"k of {ROWS:,} rows and {len(quasi)} columns, {label}", path, quasi, [], 20.0))
    met.append(compare("t of Adult, {age, sex, race}", ADULT, ["age", "sex", "race"], ["occupation"], 10.0))
    print(f"all: {MET[all(met)]}")


if __name__ == "__main__":
    main()
