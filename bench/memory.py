"""Peak memory of a run over 1 million and over 100 million generated rows.

With a fixed k it must stay the same once the sample is full; for the distinct problems it must follow sqrt(n).  Each
run is a process of its own; what is compared is its peak resident memory above that of the same process before the run.
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
print(json.dumps([resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, before, kept]))
"""
MILLION = 1_000_000


def run(rows: int, floor: int, root: float) -> tuple[int, int, int]:
    code = RUN.format(rows=rows, floor=floor, root=root)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    peak, before, kept = json.loads(done.stdout)
    return peak, before, kept


def main() -> None:
    print(f"{'sample':<18}{'rows':>14}{'kept':>10}{'peak MB':>10}{'above start MB':>16}")
    growth = {}
    for label, floor, root in (("k = 20,000", 20_000, 0.0), ("k = 30 sqrt(n)", 16, 30.0)):
        peaks = []
        for rows in (MILLION, 100 * MILLION):
            peak, before, kept = run(rows, floor, root)
            peaks.append((peak, peak - before))
            print(f"{label:<18}{rows:>14,}{kept:>10,}{peak / 1024:>10.1f}{(peak - before) / 1024:>16.1f}")
        growth[label] = [after / first for first, after in zip(*peaks, strict=True)]
    fixed, root_n = growth.values()
    print(f"fixed k: peak of 100 million rows is {fixed[0]:.3f} times that of 1 million")
    print(f"sqrt(n): memory above start grew {root_n[1]:.1f} times, sqrt(n) grew 10 times")
    print(f"within 10 %: {'met' if fixed[0] <= 1.1 else 'NOT met'}")
    print(f"following sqrt(n) (at most 10 times): {'met' if root_n[1] <= 10 * 1.1 else 'NOT met'}")


if __name__ == "__main__":
    main()
