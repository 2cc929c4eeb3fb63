"""Finding lines in a block of bytes, as few as are asked for."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PART_BYTES = 1 << 16
_PIECE_BYTES = 1 << 13
_LF = 10


class Lines:
    """Every line is a record.

    Only counts are taken beforehand, one for each part of 64 KB; positions are looked up when asked for.
    """

    def __init__(self, data: bytes, end: int) -> None:
        self.data = data
        self.end = end
        self._bytes = np.frombuffer(data, np.uint8, count=end)
        starts = range(0, end, _PART_BYTES)
        counts = [np.count_nonzero(self._bytes[at : at + _PART_BYTES] == _LF) for at in starts]
        self._seen = np.cumsum([0, *counts])
        self.newlines = int(self._seen[-1])
        self.count = self.newlines + (end > 0 and data[end - 1] != _LF)

    def spans(self, rows: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Start and end of these lines, by a full index when nearly every part is asked anyway."""
        if len(rows) >= 2 * len(self._seen):
            return spans_between(self._ends, rows)
        parts = np.searchsorted(self._seen, rows) - 1
        starts = map(self._start, parts.tolist(), rows.tolist())
        return [(start, self.data.find(b"\n", start, self.end) + 1 or self.end) for start in starts]

    def lines(self, rows: NDArray[np.int64]) -> list[int]:
        """Return the numbers themselves, as each record is one line."""
        return [int(row) for row in rows]

    @functools.cached_property
    def _ends(self) -> NDArray[np.int64]:
        ends = np.flatnonzero(self._bytes == _LF) + 1
        return ends if self.count == self.newlines else np.append(ends, self.end)

    def _start(self, part: int, row: int) -> int:
        """Find the start of a line, given the part that holds the end of the line before."""
        if row == 0:
            return 0
        at, wanted = part * _PART_BYTES, row - int(self._seen[part])
        is_end = self._bytes[at : at + _PART_BYTES] == _LF
        # Counting is so much faster than listing positions that it pays to come closer first.
        low, high = 0, len(is_end)
        while high - low > _PIECE_BYTES:
            middle = (low + high) // 2
            found = int(np.count_nonzero(is_end[low:middle]))
            if found < wanted:
                low, wanted = middle, wanted - found
            else:
                high = middle
        return at + low + int(is_end[low:high].nonzero()[0][wanted - 1]) + 1


def index_lines(data: bytes, ended: bool) -> Lines:
    """Index whole lines; the last one needs no line end if the stream has ended."""
    return Lines(data, trim_blank(data, len(data) if ended else data.rfind(b"\n") + 1))


def trim_blank(data: bytes, end: int) -> int:
    """Leave out blank lines before ``end``: they are no records if only the end of the file follows."""
    last = end
    while last and data[last - 1] in b"\r\n":
        last -= 1
    return (data.find(b"\n", last, end) + 1 or end) if last else 0


def spans_between(ends: NDArray[np.int64], rows: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Start and end of these records when each one starts where the one before ends."""
    return list(zip(starts_of(ends, rows).tolist(), ends[rows].tolist(), strict=True))


def starts_of(ends: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Start of these records when each one starts where the one before ends."""
    return np.where(rows > 0, ends[rows - 1], 0)
