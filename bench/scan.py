"""One pass over a 1 GB CSV that keeps 0.1 % of its rows, against polars.read_csv and a bare count of line ends.

All three read the same file from a warm page cache, each in a process of its own, in alternation; the best of three
rounds counts, for wall and for CPU time each.  CPU time is that of the whole process, without the imports.  There are
two files: the rows of adult, over and over, and made-up people of whom three columns are nearly different in every
row, so that no fingerprint is known already.
"""

from __future__ import annotations

import gzip
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

GIGABYTES = 1.0
BLOCK = 4 << 20
ROUNDS = 3
ADULT = Path(__file__).parents[1] / "tests" / "data" / "adult.csv.gz"

COUNT = f"""
with open(path, "rb", buffering=0) as file:
    buffer = bytearray({BLOCK})
    rows = 0
    while size := file.readinto(buffer):
        rows += buffer.count(b"\\n", 0, size)
rows -= 1
"""
SCAN = """
reading = Pass(path, {"seed": 1}).read(lambda m: Capacity(kept))
rows = reading.evidence.n
assert len(reading.evidence.a) == kept
"""
POLARS = """
rows = polars.read_csv(path).height
"""
IMPORTS = {
    "count of line ends": "",
    "streamqid, 0.1 % kept": "from streamqid.reading import Pass\nfrom streamqid.sampling.capacity import Capacity\n",
    "polars.read_csv": "import polars\n",
}
WORK = {"count of line ends": COUNT, "streamqid, 0.1 % kept": SCAN, "polars.read_csv": POLARS}


def write_adult(path: Path) -> int:
    """Write the rows of adult again and again until the file has its size; return their number."""
    header, _, body = gzip.decompress(ADULT.read_bytes()).partition(b"\n")
    body = body.rstrip(b"\n") + b"\n"
    copies = math.ceil(GIGABYTES * 1e9 / len(body))
    with path.open("wb") as file:
        file.write(header + b"\n")
        for _ in range(copies):
            file.write(body)
    return copies * body.count(b"\n")


def write_people(path: Path) -> int:
    """Write rows of mixed columns until the file has its size; return their number."""
    rows = 0
    with path.open("wb") as file:
        file.write(b"id,age,sex,zip,city,income,education,occupation,score,visited\n")
        while file.tell() < GIGABYTES * 1e9:
            lines = [
                f"{i},{i * 7 % 90},{'FM'[i % 2]},{i * 7919 % 99999:05d},city {i % 4000},{i * 31 % 200000},"
                f"level {i % 16},occupation {i * 13 % 300},{i * 17 % 1000 / 10},2026-01-{i % 28 + 1:02d}\n"
                for i in range(rows, rows + 100_000)
            ]
            file.write("".join(lines).encode())
            rows += 100_000
    return rows


def measure(name: str, path: Path, rows: int) -> tuple[float, float]:
    code = (
        f"import json, time\n{IMPORTS[name]}path, kept = {str(path)!r}, {rows // 1000}\n"
        f"wall, cpu = time.perf_counter(), time.process_time()\n{WORK[name]}"
        f"print(json.dumps([time.perf_counter() - wall, time.process_time() - cpu, rows]))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    wall, cpu, found = json.loads(done.stdout)
    assert found == rows, (name, found, rows)
    return wall, cpu


def compare(title: str, path: Path, rows: int) -> None:
    size = path.stat().st_size / 1e9
    best = {name: (float("inf"), float("inf")) for name in WORK}
    for _ in range(ROUNDS):
        for name in WORK:
            wall, cpu = measure(name, path, rows)
            best[name] = (min(best[name][0], wall), min(best[name][1], cpu))
    print(f"{title}: {rows:,} rows, {size:.2f} GB")
    print(f"{'':<26}{'wall s':>9}{'CPU s':>9}{'GB/s':>8}{'ratio to count, wall':>22}{'CPU':>7}")
    count, scan, polars = (best[name] for name in WORK)
    for name, (wall, cpu) in best.items():
        print(f"{name:<26}{wall:>9.2f}{cpu:>9.2f}{size / wall:>8.2f}{wall / count[0]:>22.2f}{cpu / count[1]:>7.2f}")
    by_wall, by_cpu = polars[0] / scan[0], polars[1] / scan[1]
    print(f"faster than polars.read_csv: {by_wall:.1f} times by wall, {by_cpu:.1f} by CPU time")
    for text, met in (
        ("at least 4 times faster than polars.read_csv by wall", by_wall >= 4),
        ("at least 4 times faster than polars.read_csv by CPU time", by_cpu >= 4),
        ("no slower than 2 times the count by wall", scan[0] / count[0] <= 2),
        ("no slower than 2 times the count by CPU time", scan[1] / count[1] <= 2),
    ):
        print(f"{text}: {'met' if met else 'NOT met'}")


def main() -> None:
    for title, write in (("adult, again and again", write_adult), ("made-up people", write_people)):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "people.csv"
            compare(title, path, write(path))


if __name__ == "__main__":
    main()
