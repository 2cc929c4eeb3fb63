"""Parts of a batch: what is left after a position, and what belongs to one pane."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.inputs import Listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.records import Batch, Origin, Rows


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some of the records of a batch, as a batch of its own; ``present`` are those that exist, ascending."""

    batch: Batch
    present: NDArray[np.int64]
    start: int
    end: int

    @property
    def origin(self) -> Origin:
        """The log that the records stand in."""
        return self.batch.origin

    @property
    def count(self) -> int:
        """How many records the part holds."""
        return len(self.present)

    @property
    def nbytes(self) -> int:
        """The part's share of the bytes of the batch, for progress only."""
        return self.batch.nbytes * self.count // max(self.batch.count, 1)

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        """Read the records at these ascending offsets, as far as they belong to the part."""
        return self.batch.decode(np.intersect1d(offsets, self.present, assume_unique=True))


def existing(batch: Batch, start: int | None = None) -> NDArray[np.int64]:
    """Return the offsets of the batch's records from ``start`` on; a batch with gaps lists them or is decoded."""
    if isinstance(batch, Part):
        return batch.present if start is None else batch.present[batch.present >= start]
    offsets = np.arange(batch.start if start is None else max(start, batch.start), batch.end)
    if batch.count == batch.end - batch.start:
        return offsets
    if isinstance(batch, Listed):
        listed = batch.offsets()
        return listed if start is None else listed[listed >= start]
    rows = batch.decode(offsets)
    rejected = np.fromiter((reject.offset for reject in rows.rejects), np.int64, len(rows.rejects))
    return np.sort(np.concatenate([rows.offsets, rejected]))


def after(batch: Batch, position: int) -> Batch | None:
    """Return the part of a batch that lies at or after a position: all of it, some of it, or None."""
    if batch.end <= position:
        return None
    if batch.start >= position:
        return batch
    return Part(batch, existing(batch, position), position, batch.end)


def whole(batch: Batch) -> Batch:
    """Return the batch as the source gave it."""
    return batch.batch if isinstance(batch, Part) else batch
