"""Batches of a topic's partition as the engine takes them: counted by their header, read only where asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.broker.packed import NEVER
from streamqid.fields.reading import NUMBERS
from streamqid.records import Reason, Reject, Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.broker.formats import Format
    from streamqid.broker.packed import Loose
    from streamqid.broker.stack import Stack
    from streamqid.broker.times import TimeRule
    from streamqid.fields.wanted import Wanted
    from streamqid.records import Origin

_NONE = np.empty(0, np.int64)


@dataclass(slots=True, eq=False)
class KafkaBatch:
    """Records of one partition; also ``Timed``, ``Listed`` and ``Fielded``.

    Batches of a partition touch: ``start`` is where the one before ended, and offsets that hold no record (aborted,
    compacted away, marks of transactions) belong to the batch behind them.  Nothing here raises for what a batch
    holds.  Where a stored batch cannot be taken apart its records are rejects, and this is ``broken`` from then on.
    """

    origin: Origin
    start: int
    records: Stack | Loose
    format: Format
    time: TimeRule

    @property
    def broken(self) -> bool:
        """Whether something in it could not be taken apart."""
        return self.records.broken

    @property
    def end(self) -> int:
        """One past the last offset."""
        return self.records.end

    @property
    def count(self) -> int:
        """Number of records; what cannot be counted counts as none."""
        return self.records.count

    @property
    def nbytes(self) -> int:
        """Bytes of the batch as it is stored."""
        return self.records.nbytes

    def offsets(self) -> NDArray[np.int64]:
        """Return the offsets of all records."""
        return self.records.offsets()

    def event_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the event time of these existing records, in seconds since 1970; NaN where one has none."""
        if self.time.kind == "column":
            return self._column_time(offsets)
        made = self._made(offsets, of_batch=self.time.kind == "ingest")
        return np.where(made >= 0, made / 1000, np.nan)

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        """Read the records at these ascending offsets."""
        present, values = self.records.values(offsets)
        read = [self.format.read(value) for value in values]
        bad = np.fromiter((isinstance(row, Reason) for row in read), bool, len(read))
        columns, cells = self.format.tabulate([row for row in read if not isinstance(row, Reason)])
        reasons = (row for row in read if isinstance(row, Reason))
        rejects = [Reject(int(offset), reason) for offset, reason in zip(present[bad], reasons, strict=True)]
        lost = [Reject(offset, Reason.ENCODING) for offset in self.records.lost]
        return Rows(present[~bad], columns, cells, sorted(rejects + lost, key=lambda reject: reject.offset))

    def fields(self, wanted: Wanted) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint8]]:
        """Return the named columns of all records."""
        reader = wanted.reader(self.format)
        parts = [(offsets, reader.read(spans)) for offsets, spans in self.records.spans()]
        lost = self.records.lost
        offsets = np.concatenate([np.array(lost, np.int64), *(offsets for offsets, _ in parts)])
        none = np.zeros((len(lost), len(wanted.columns)), np.uint64)
        fingerprints = np.concatenate([none, *(read.fingerprints for _, read in parts)])
        why = np.full(len(lost), NUMBERS[Reason.ENCODING], np.uint8)
        reasons = np.concatenate([why, *(read.reasons for _, read in parts)])
        if not lost:
            return offsets, fingerprints, reasons
        order = np.argsort(offsets)
        return offsets[order], fingerprints[order], reasons[order]

    def _column_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        rows = self.decode(offsets)
        times = np.full(len(offsets), np.nan)
        if self.time.column in rows.columns:
            cells = rows.values[rows.columns.index(self.time.column)]
            times[np.searchsorted(offsets, rows.offsets)] = [self.time.seconds(cell) for cell in cells]
        return times if self.time.ahead is None else self.time.believed(times, self._made(offsets))

    def _made(self, offsets: NDArray[np.int64], *, of_batch: bool = False) -> NDArray[np.int64]:
        """Return the timestamps of these records in milliseconds; -1 where one has none or cannot be had."""
        present, times = self.records.timestamps(of_batch=of_batch)
        found = np.full(len(offsets), NEVER, np.int64)
        known = np.isin(offsets, present, assume_unique=True)
        found[known] = times[np.searchsorted(present, offsets[known])]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """A stretch of offsets at the end of what was read that holds no record; an empty one says where a log begins."""

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
