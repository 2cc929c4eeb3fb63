"""Finding lines in a block of bytes, as few as are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LF = 10
_WORD, _STRETCH = 64, 4096
"""Bytes of a word of bits and of a stretch of words, which are counted together."""
_WORDS = _STRETCH // _WORD


class Lines:
    """Every line is a record.

    Line ends are kept as one bit per byte, with a running count per stretch; a position is found by the count of the
    stretches, then by those of the words in one, then by the bit.
    """

    def __init__(self, data: bytes, end: int) -> None:
        self.data = data
        self.end = end
        is_end = np.empty(-(-end // _STRETCH) * _STRETCH, np.bool_)
        np.equal(np.frombuffer(data, np.uint8, count=end), _LF, out=is_end[:end])
        is_end[end:] = False
        self._words = np.packbits(is_end, bitorder="little").view("<u8")
        self._counts = np.bitwise_count(self._words).reshape(-1, _WORDS)
        self._seen = np.cumsum(self._counts.sum(axis=1, dtype=np.int64))
        self.newlines = int(self._seen[-1]) if end else 0
        self.count = self.newlines + (end > 0 and data[end - 1] != _LF)

    def spans(self, rows: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Start and end of these lines."""
        starts = np.where(rows > 0, self._after(rows), 0)
        ends = np.where(rows < self.newlines, self._after(np.minimum(rows + 1, self.newlines)), self.end)
        return list(zip(starts.tolist(), ends.tolist(), strict=True))

    def lines(self, rows: NDArray[np.int64]) -> list[int]:
        """Return the numbers themselves, as each record is one line."""
        return [int(row) for row in rows]

    def _after(self, number: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the places behind these line ends, counted from 1 (and anything for 0)."""
        if not self.newlines:
            return np.zeros_like(number)
        stretch = np.searchsorted(self._seen, number)
        counts = self._counts[stretch]
        in_stretch = np.cumsum(counts, axis=1, dtype=np.int64)
        later = number - (self._seen[stretch] - in_stretch[:, -1])
        place = (in_stretch < later[:, None]).sum(axis=1)
        each = np.arange(len(number))
        at = stretch * _WORDS + place
        words = self._words[at]
        later -= in_stretch[each, place] - counts[each, place]
        while (again := np.flatnonzero(later > 1)).size:
            words[again] &= words[again] - np.uint64(1)
            later[again] -= 1
        lowest = np.bitwise_count((words & (~words + np.uint64(1))) - np.uint64(1))
        return np.asarray(at * _WORD + lowest + 1, np.int64)


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
