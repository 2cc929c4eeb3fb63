"""From a batch to the sampler: find the candidates, decode only them, keep only fingerprints."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.types import see_types
from streamqid.problems.answer import Unreadable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.engine.projection import Projection
    from streamqid.records import Batch, Origin, Reject, Rows
    from streamqid.sampling.fingerprint import Encoder
    from streamqid.sampling.sampler import Sampler

log = logging.getLogger(__name__)

LOCATED = 20
"""How many unreadable records are located one by one."""


@dataclass(frozen=True, slots=True)
class Taken:
    """What was taken from a batch: fingerprints of the records that could be read, and places of the others."""

    origin: Origin
    offsets: NDArray[np.int64]
    columns: list[str]
    fingerprints: NDArray[np.uint64]
    rejects: list[Reject]

    def update(self, sampler: Sampler, count: int) -> None:
        """Add the records to a sampler that counts so many; those that are no candidates of it are dropped there."""
        rejected = [reject.offset for reject in self.rejects]
        sampler.update(self.origin, count, self.offsets, self.columns, self.fingerprints, rejected)

    def among(self, offsets: NDArray[np.int64]) -> Taken:
        """Return what lies at these ascending offsets."""
        here = np.isin(self.offsets, offsets, assume_unique=True)
        inside = set(offsets.tolist()) if self.rejects else ()
        rejects = [reject for reject in self.rejects if reject.offset in inside]
        return Taken(self.origin, self.offsets[here], self.columns, self.fingerprints[here], rejects)


class Intake:
    """Feeds batches into samplers and keeps count of what could not be read.

    Values live only inside :meth:`read`; what leaves it are fingerprints, counts and places.
    """

    def __init__(self, encoder: Encoder, projection: Projection) -> None:
        self._encoder = encoder
        self._projection = projection
        self.looked_at = 0
        self.types: dict[str, set[str]] = {}
        self._reasons: Counter[str] = Counter()
        self._lines: list[int] = []
        self._told = False

    def take(self, batch: Batch, sampler: Sampler, expected: int = 0) -> None:
        """Count a batch and sample from it; ``expected`` as in ``Sampler.candidates``."""
        wanted = sampler.candidates(batch.origin, batch.start, batch.end, batch.count, expected)
        if wanted.size:
            self.read(batch, wanted).update(sampler, batch.count)
        else:
            sampler.update_count(batch.count)

    def read(self, batch: Batch, wanted: NDArray[np.int64]) -> Taken:
        """Decode the records at these ascending offsets and keep their fingerprints only."""
        rows = batch.decode(wanted)
        self.look_at(rows)
        return Taken(batch.origin, rows.offsets, *self.encode(rows), rows.rejects)

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
        if not self._told and any(map(self._projection.too_long, rows.columns)):
            self._told = True
            log.warning("Columns whose names have more than %d characters are left out.", self._projection.longest)
        see_types(self.types, [rows.columns[j] for j in keep], [rows.values[j] for j in keep])
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
