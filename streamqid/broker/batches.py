"""Batches of a topic's partition as the engine takes them: counted by their header, read only where asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from streamqid.broker.inflate import BrokenError, InflatedError
from streamqid.records import Reason, Reject, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.broker.formats import Format
    from streamqid.broker.packed import Loose, Packed
    from streamqid.broker.times import TimeRule
    from streamqid.records import Origin

_NONE = np.empty(0, np.int64)


@dataclass(slots=True, eq=False)
class KafkaBatch:
    """Records of one partition; also ``Timed`` and ``Listed``.

    Batches of a partition touch: ``start`` is where the one before ended, and offsets that hold no record (aborted,
    compacted away, marks of transactions) belong to the batch behind them.  Nothing here raises for what a batch
    holds.  One that cannot be taken apart gives its records as rejects and is ``broken`` from then on.
    """

    origin: Origin
    start: int
    records: Packed | Loose
    format: Format
    time: TimeRule
    broken: bool = field(default=False, init=False)

    @property
    def end(self) -> int:
        """One past the last offset."""
        return self.records.end

    @property
    def count(self) -> int:
        """Number of records; what cannot be counted counts as none."""
        try:
            return self.records.count
        except (BrokenError, InflatedError):
            self.broken = True
            return 0

    @property
    def nbytes(self) -> int:
        """Bytes of the batch as it is stored."""
        return self.records.nbytes

    def offsets(self) -> NDArray[np.int64]:
        """Return the offsets of all records."""
        try:
            return self.records.offsets()
        except (BrokenError, InflatedError):
            self.broken = True
            return _NONE

    def event_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the event time of these existing records, in seconds since 1970; NaN where one has none."""
        if self.time.kind == "column":
            return self._column_time(offsets)
        if self.time.kind == "ingest" and (largest := self.records.max_timestamp) is not None:
            return np.full(len(offsets), largest / 1000 if largest >= 0 else np.nan)
        try:
            present, times = self.records.timestamps()
        except (BrokenError, InflatedError):
            self.broken = True
            return np.full(len(offsets), np.nan)
        found = times[np.searchsorted(present, offsets)]
        return np.where(found >= 0, found / 1000, np.nan)

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        """Read the records at these ascending offsets."""
        try:
            present, values = self.records.values(offsets)
        except (BrokenError, InflatedError):
            self.broken = True
            lost = np.intersect1d(self.offsets(), offsets, assume_unique=True)
            return Rows(_NONE, (), [], [Reject(int(offset), Reason.ENCODING) for offset in lost])
        read = [self.format.read(value) for value in values]
        bad = np.fromiter((isinstance(row, Reason) for row in read), bool, len(read))
        columns, cells = self.format.tabulate([row for row in read if not isinstance(row, Reason)])
        reasons = (row for row in read if isinstance(row, Reason))
        rejects = [Reject(int(offset), reason) for offset, reason in zip(present[bad], reasons, strict=True)]
        return Rows(present[~bad], columns, cells, rejects)

    def _column_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        rows = self.decode(offsets)
        times = np.full(len(offsets), np.nan)
        if self.time.column in rows.columns:
            cells = rows.values[rows.columns.index(self.time.column)]
            times[np.searchsorted(offsets, rows.offsets)] = [self.time.seconds(cell) for cell in cells]
        return times


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """A stretch of offsets at the end of what was read that holds no record."""

    origin: Origin
    start: int
    end: int
    count: int = 0
    nbytes: int = 0

    def offsets(self) -> NDArray[np.int64]:
        """Return none."""
        return _NONE

    def event_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return no time."""
        return np.full(len(offsets), np.nan)

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        """Return no rows."""
        return Rows(_NONE, (), [])
