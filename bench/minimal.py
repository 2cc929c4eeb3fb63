"""All minimal sets against Desbordante's PyroUCC, on adult and on a table of 1,000,000 rows and 15 columns.

Both sides read the same CSV file and list all minimal column sets that leave at most e = 0.001 of all pairs of rows
unseparated, each in a process of its own, in alternation.  Times are from the start of reading to the list, without
imports: the best of the rounds, wall and CPU.  Memory is the peak of the whole process.

Desbordante (AGPL) is no dependency of streamqid: it is used if it can be imported, and else installed into an
environment that is thrown away.  The second table shows how PyroUCC reads e.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

ADULT = Path(__file__).resolve().parents[1] / "tests" / "data" / "adult.csv.gz"
ROWS, CHANGED, ROUNDS = 1_000_000, 0.3, 5
E, STEPS = 0.001, 32768
ERRORS = (1e-6, 1e-5, 2e-5, 3e-5, 1e-4, 1e-3, 1e-2, 5e-2)
PYRO = "desbordante==2.5.0"

OURS = """
answer = streamqid.all_keys(path, epsilon=e, beta=None if e else 1.0, seed=1)
assert answer.complete
names = open(path).readline().strip().split(",")
sets = [sorted(names.index(column) for column in one.columns) for one in answer.sets]
"""
THEIRS = """
algorithm = PyroUCC()
algorithm.load_data(table=(path, ",", True))
algorithm.execute(error=e)
sets = [sorted(one.indices) for one in algorithm.get_uccs()]
"""
WORK = {
    "streamqid": ("import streamqid\nstreamqid.all_keys\n", OURS),
    "PyroUCC": ("from desbordante.ucc.algorithms import PyroUCC\n", THEIRS),
}
FRAME = """
import json, pathlib, re, time
{imports}
path, e = {path!r}, {e!r}
wall, cpu = time.perf_counter(), time.process_time()
{work}
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = int(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1]) / 1024
print(json.dumps([wall, cpu, peak, sets]))
"""
GROW = """
import csv, numpy
header, *rows = csv.reader(open({adult!r}))
rng = numpy.random.default_rng(1)
base = rng.integers(len(rows), size={rows})
columns = []
for column in map(numpy.array, zip(*rows)):
    other = rng.integers(len(rows), size={rows})
    columns.append(column[numpy.where(rng.random({rows}) < {changed}, other, base)].tolist())
with open({path!r}, "w", newline="") as file:
    csv.writer(file).writerows([header, *zip(*columns)])
"""

Measured = tuple[float, float, float, list[list[int]]]


def run(python: str, code: str) -> str:
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout


def measure(name: str, python: str, path: Path, e: float) -> Measured:
    imports, work = WORK[name]
    wall, cpu, peak, sets = json.loads(run(python, FRAME.format(imports=imports, work=work, path=str(path), e=e)))
    return wall, cpu, peak, sets


def with_desbordante(folder: Path) -> str | None:
    """Return a Python that imports desbordante, if need be from an environment inside the folder."""
    if importlib.util.find_spec("desbordante") is not None:
        return sys.executable
    python = folder / "environment" / "bin" / "python"
    try:
        subprocess.run([sys.executable, "-m", "venv", python.parents[1]], check=True, capture_output=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PYRO], check=True, capture_output=True)
    except subprocess.CalledProcessError:
        return None
    return str(python)


def compare(title: str, path: Path, pythons: dict[str, str], rounds: int, faster: float) -> None:
    """Measure both sides, print them, and say whether streamqid is so many times faster, with less memory."""
    best: dict[str, Measured] = {}
    for _ in range(rounds):
        for name, python in pythons.items():
            wall, cpu, peak, sets = measure(name, python, path, E)
            old = best.get(name, (math.inf, math.inf, 0.0, sets))
            best[name] = min(old[0], wall), min(old[1], cpu), max(old[2], peak), sets
    print(f"{title:<34}{'sets':>7}{'wall s':>9}{'CPU s':>9}{'peak MB':>9}")
    for name, (wall, cpu, peak, sets) in best.items():
        print(f"  {name:<32}{len(sets):>7}{wall:>9.2f}{cpu:>9.2f}{peak:>9.0f}")
    if len(best) == 2:
        ours, theirs = best.values()
        wall, cpu, memory = (theirs[i] / ours[i] for i in range(3))
        met = min(wall, cpu) >= faster and memory > 1.0
        print(f"  {'ratio':<32}{'':>7}{wall:>9.1f}{cpu:>9.1f}{memory:>9.1f}")
        print(f"  at least {faster:g} times faster, with less memory: {'met' if met else 'NOT met'}")


def show_rounding(adult: Path, pythons: dict[str, str]) -> None:
    """Print how many sets PyroUCC finds beside those that are right for e, and for e rounded to its steps."""
    print(f"{'adult: e':<12}{'right sets':>12}{'PyroUCC':>10}{'of these right':>16}{'missed':>9}  PyroUCC is right for")
    missed_any = False
    for e in ERRORS:
        right, found = (
            {tuple(columns) for columns in measure(name, python, adult, e)[3]} for name, python in pythons.items()
        )
        same = "e"
        if found != right:
            rounded = [("down", math.floor(e * STEPS)), ("up", math.ceil(e * STEPS))]
            same = " or ".join(f"{k}/{STEPS} (e {way})" for way, k in rounded if found == _right(adult, k)) or "neither"
        missed_any |= bool(right - found)
        print(f"{e:<12g}{len(right):>12}{len(found):>10}{len(found & right):>16}{len(right - found):>9}  {same}")
    print(f"PyroUCC rounds e to multiples of 1/{STEPS} and misses sets: {'shown' if missed_any else 'NOT shown'}")


def _right(adult: Path, steps: int) -> set[tuple[int, ...]]:
    return {tuple(columns) for columns in measure("streamqid", sys.executable, adult, steps / STEPS)[3]}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        adult, million = folder / "adult.csv", folder / "million.csv"
        adult.write_bytes(gzip.decompress(ADULT.read_bytes()))
        run(sys.executable, GROW.format(adult=str(adult), path=str(million), rows=ROWS, changed=CHANGED))
        pythons = {"streamqid": sys.executable}
        other = with_desbordante(folder)
        if other is None:
            print(f"PyroUCC is not measured, because {PYRO} cannot be installed here: install it and run this again.")
        else:
            pythons["PyroUCC"] = other
        compare(f"adult, 32,561 rows, e = {E:g}", adult, pythons, ROUNDS, 3.0)
        compare(f"{ROWS:,} rows, e = {E:g}", million, pythons, 1, 1.0)
        if other is not None:
            show_rounding(adult, pythons)


if __name__ == "__main__":
    main()
