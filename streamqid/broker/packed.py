"""The records of a batch as the broker stores them: a header that is read at once, and a body that may never be."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from streamqid.broker.inflate import BrokenError, ceiling, inflate, surely_fits
from streamqid.broker.walk import listing, values_at, values_of
from streamqid.fields.reading import spans_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from streamqid.broker.walk import Value
    from streamqid.fields.reading import Spans

HEADER = struct.Struct(">qiibIhiqqqhii")
"""Base offset, length, leader epoch, magic, CRC, attributes, last offset delta, first and largest timestamp,
producer id, producer epoch, base sequence, number of records."""

CODEC, APPEND_TIME, TRANSACTIONAL, CONTROL = 0x07, 0x08, 0x10, 0x20
"""What the bits of the attributes say."""

NEVER = -1
"""The timestamp of a record that has none."""


@dataclass(slots=True, eq=False)
class Packed:
    """A stored batch from the offset ``first`` on, which lies behind its base after a seek into its middle."""

    base: int
    first: int
    last: int
    stored: int
    """Records in the batch, those before ``first`` included."""
    first_timestamp: int
    max_timestamp: int
    attributes: int
    body: memoryview
    nbytes: int
    limit: int
    _data: bytes | None = field(default=None, repr=False)

    @property
    def offset(self) -> int:
        """The last offset, under the name by which the client decides whether a record is behind its position."""
        return self.last

    @property
    def end(self) -> int:
        """One past the last offset, whether or not there is a record at it."""
        return self.last + 1

    @property
    def dense(self) -> bool:
        """Whether there is a record at every offset."""
        return self.stored == self.last - self.base + 1

    @property
    def count(self) -> int:
        """Number of records from ``first`` on; counted one by one only in a batch with gaps, after a seek into it."""
        if self.first <= self.base:
            return self.stored
        return self.last - self.first + 1 if self.dense else len(self.offsets())

    @property
    def most_bytes(self) -> int:
        """Bytes that the decompressed records cannot exceed, as the frames tell."""
        return ceiling(self.attributes & CODEC, self.body)

    def check(self) -> None:
        """Raise an InflatedError if the batch is too large; it is decompressed only if its frames leave a doubt."""
        codec = self.attributes & CODEC
        if not surely_fits(codec, len(self.body), self.limit) and ceiling(codec, self.body) > self.limit:
            self.data()

    def data(self) -> bytes:
        """Return the decompressed records; raises an InflatedError or a BrokenError."""
        if self._data is None:
            self._data = inflate(self.attributes & CODEC, self.body, self.limit)
        return self._data

    @property
    def held(self) -> int:
        """Bytes that are held decompressed."""
        return 0 if self._data is None else len(self._data)

    def forget(self) -> None:
        """Let go of the decompressed records; they can be had again."""
        self._data = None

    def offsets(self) -> NDArray[np.int64]:
        """Return the offsets of all records from ``first`` on."""
        if self.dense:
            return np.arange(self.first, self.end)
        return self._listing()[0]

    def timestamps(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return these offsets and when each record was made, in milliseconds."""
        if self.attributes & APPEND_TIME:
            offsets = self.offsets()
            return offsets, np.full(len(offsets), self.max_timestamp)
        return self._listing()

    def values(self, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Value]]:
        """Return those of these ascending offsets at which there is a record, and its value."""
        wanted = offsets
        if offsets.size and not self.first <= offsets[0] <= offsets[-1] <= self.last:
            wanted = offsets[np.searchsorted(offsets, self.first) : np.searchsorted(offsets, self.end)]
        if not wanted.size:
            return wanted, []
        places = (wanted - self.base).tolist()
        data = self.data()
        try:
            if self.dense:
                return wanted, values_at(data, places)
            found = values_of(data, self.stored, set(places))
        except (IndexError, ValueError) as error:
            raise BrokenError from error
        return np.fromiter(found, np.int64, len(found)) + self.base, list(found.values())

    def _listing(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        data = self.data()
        try:
            deltas, times = listing(data, self.stored)
        except (IndexError, ValueError) as error:
            raise BrokenError from error
        kept = deltas >= self.first - self.base
        return deltas[kept] + self.base, times[kept] + self.first_timestamp


@dataclass(slots=True, eq=False)
class Loose:
    """Records that the client has taken apart itself."""

    present: NDArray[np.int64]
    times: NDArray[np.int64]
    contents: list[Value]
    nbytes: int
    lost: tuple[int, ...] = ()
    broken: bool = False
    """Never: what cannot be taken apart the client does not hand out."""

    @property
    def offset(self) -> int:
        """The last offset, under the name by which the client decides whether a record is behind its position."""
        return int(self.present[-1])

    @property
    def end(self) -> int:
        """One past the last record."""
        return self.offset + 1

    @property
    def count(self) -> int:
        """Number of records."""
        return len(self.contents)

    @property
    def stored(self) -> int:
        """The same: what lies before the position is gone."""
        return len(self.contents)

    def check(self) -> None:
        """Do nothing: the client has decompressed them."""

    def forget(self) -> None:
        """Do nothing: they cannot be had again."""

    def offsets(self) -> NDArray[np.int64]:
        """Return the offsets of all records."""
        return self.present

    def timestamps(self, *, of_batch: bool = False) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return these offsets and when each record was made, in milliseconds.

        The largest time in the batch is not known: with the header of the batch it is lost.
        """
        return self.present, self.times

    def spans(self) -> Iterator[tuple[NDArray[np.int64], Spans]]:
        """Yield the offsets and values of all records."""
        yield self.present, spans_of(self.contents)

    def values(self, offsets: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Value]]:
        """Return those of these ascending offsets at which there is a record, and its value."""
        found, places, _ = np.intersect1d(self.present, offsets, assume_unique=True, return_indices=True)
        return found, [self.contents[place] for place in places]
