"""Peak memory of a run over 1 million and over 100 million generated rows.

With a fixed k it must stay the same once the sample is full; for the distinct problems it must follow sqrt(n).  Each
run is a process of its own.  What it takes above its start has parts that do not grow with the sample (blocks of rows,
code that is loaded on the way, values that are remembered to save hashing, up to a limit), so the ratio of two peaks is
below that of two samples.  Hence three lengths: memory follows sqrt(n) if it grows by as much for each sampled row
between the first two as between the last two.
"""

from __future__ import annotations

import json
import subprocess
import sys

RUN = """
import json, resource
from streamqid.engine.intake import Intake
from streamqid.engine.projection import Projection
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import Encoder
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from streamqid.synthetic import GeneratorSource, Population

secret = Secret.from_seed(1)
sampler = Sampler(secret, Capacity({floor}, {root}))
intake = Intake(Encoder(secret), Projection())
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for batch in GeneratorSource(Population(seed=1), {rows}, batch_rows=8192).batches():
    intake.take(batch, sampler)
kept = len(sampler.evidence().a)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([peak, before, kept, len(sampler.to_bytes())]))
"""
MILLION = 1_000_000
FOLLOWS = 1.25


def run(rows: int, floor: int, root: float) -> tuple[float, float, int, float]:
    """Return peak and what of it is above the start, in MB, the rows in A, and the MB of the snapshot of A and B."""
    code = RUN.format(rows=rows, floor=floor, root=root)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    peak, before, kept, snapshot = json.loads(done.stdout)
    return peak / 1024, (peak - before) / 1024, kept, snapshot / 2**20


def main() -> None:
    print(f"{'sample':<18}{'rows':>14}{'kept':>10}{'peak MB':>10}{'above start MB':>16}{'snapshot MB':>13}")
    found = {}
    for label, floor, root, lengths in (
        ("k = 20,000", 20_000, 0.0, (1, 100)),
        ("k = 30 sqrt(n)", 16, 30.0, (1, 25, 100)),
    ):
        found[label] = [run(millions * MILLION, floor, root) for millions in lengths]
        for millions, (peak, above, kept, snapshot) in zip(lengths, found[label], strict=True):
            print(f"{label:<18}{millions * MILLION:>14,}{kept:>10,}{peak:>10.1f}{above:>16.1f}{snapshot:>13.1f}")
    fixed, root_n = found.values()
    ratio = fixed[1][0] / fixed[0][0]
    print(f"fixed k: peak of 100 million rows is {ratio:.3f} times that of 1 million")
    above, rows = [one[1] for one in root_n], [one[2] for one in root_n]
    early, late = ((above[i + 1] - above[i]) * 2**20 / (rows[i + 1] - rows[i]) for i in (0, 1))
    print(
        f"sqrt(n) grew {rows[2] / rows[0]:.1f} times, the snapshot {root_n[2][3] / root_n[0][3]:.1f} times, "
        f"memory above start {above[2] / above[0]:.1f} times"
    )
    print(f"each further row of A takes {early:,.0f} bytes up to 25 million rows, {late:,.0f} bytes beyond")
    print(f"fixed k within 10 %: {'met' if ratio <= 1.1 else 'NOT met'}")
    follows = 1 / FOLLOWS <= late / early <= FOLLOWS
    print(f"following sqrt(n) (as many bytes for a row, within 25 %): {'met' if follows else 'NOT met'}")


if __name__ == "__main__":
    main()
