"""From a batch to the sampler: find the candidates, decode only them, keep only fingerprints."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from streamqid.problems.answer import Unreadable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from streamqid.engine.projection import Projection
    from streamqid.records import Batch, Rows
    from streamqid.sampling.fingerprint import Encoder
    from streamqid.sampling.sampler import Sampler

LOCATED = 20
"""How many unreadable records are located one by one."""


class Intake:
    """Feeds batches into samplers and keeps count of what could not be read.

    Values live only inside :meth:`take`; what leaves it are fingerprints, counts and places.
    """

    def __init__(self, encoder: Encoder, projection: Projection) -> None:
        self._encoder = encoder
        self._projection = projection
        self.looked_at = 0
        self._reasons: Counter[str] = Counter()
        self._lines: list[int] = []

    def take(self, batch: Batch, sampler: Sampler, expected: int = 0) -> None:
        """Count a batch and sample from it; ``expected`` as in ``Sampler.candidates``."""
        wanted = sampler.candidates(batch.origin, batch.start, batch.end, batch.count, expected)
        if not wanted.size:
            sampler.update_count(batch.count)
            return
        rows = batch.decode(wanted)
        self.look_at(rows)
        columns, fingerprints = self.encode(rows)
        rejected = [reject.offset for reject in rows.rejects]
        sampler.update(batch.origin, batch.count, rows.offsets, columns, fingerprints, rejected)

    def look_at(self, rows: Rows) -> None:
        """Count decoded records and those among them that could not be read."""
        self.looked_at += len(rows.offsets) + len(rows.rejects)
        for reject in rows.rejects:
            self._reasons[str(reject.reason)] += 1
            if len(self._lines) < LOCATED:
                self._lines.append(reject.offset if reject.line is None else reject.line)

    def encode(self, rows: Rows) -> tuple[list[str], NDArray[np.uint64]]:
        """Return the kept columns of decoded rows and their fingerprints."""
        keep = self._projection.keep(rows.columns)
        columns = [rows.columns[j] for j in keep]
        return columns, self._encoder.encode(columns, [rows.values[j] for j in keep], len(rows.offsets))

    def unreadable(self) -> Unreadable:
        """Return the counts of unreadable records among those that were looked at."""
        return Unreadable(
            looked_at=self.looked_at,
            found=self._reasons.total(),
            reasons=dict(sorted(self._reasons.items())),
            lines=list(self._lines),
        )
