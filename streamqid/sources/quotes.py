"""Finding the records of a delimited block whose fields may hold line breaks between quotes."""

from __future__ import annotations

import csv
import re
from typing import TYPE_CHECKING

import numpy as np

from streamqid.sources.lines import Lines, index_lines, spans_between, starts_of, trim_blank

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

_LF, _QUOTE = 10, 34
_FRONT_BYTES = 1 << 16


class UnclosedQuoteError(Exception):
    """The file ends, lines later, inside the quotes that open in the record ``line`` lines into the block."""

    def __init__(self, line: int) -> None:
        self.line = line
        super().__init__(f"unclosed quote {line} lines into the block")


class QuotedRecords:
    """Records that end at the given places, which need not be all line ends."""

    def __init__(self, data: bytes, ends: NDArray[np.int64], line_ends: NDArray[np.int64]) -> None:
        self.data = data
        self.end = int(ends[-1]) if len(ends) else 0
        self.count = len(ends)
        self.newlines = int(np.searchsorted(line_ends, self.end))
        self._ends = ends
        self._line_ends = line_ends

    def spans(self, rows: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Start and end of these records."""
        return spans_between(self._ends, rows)

    def lines(self, rows: NDArray[np.int64]) -> list[int]:
        """Count the line ends before the start of each of these records."""
        return [int(line) for line in np.searchsorted(self._line_ends, starts_of(self._ends, rows))]


def index_records(data: bytes, ended: bool, delimiter: str) -> Lines | QuotedRecords:
    """Index the records of a block that starts with a record, as ``csv.reader`` would split it.

    Only a line feed ends a line here; a carriage return that stands alone is an ordinary character.
    """
    if b'"' not in data:
        return index_lines(data, ended)
    body = np.frombuffer(data, np.uint8)
    line_ends = np.flatnonzero(body == _LF)
    quotes = np.flatnonzero(body == _QUOTE)
    if _well_placed(body, quotes, delimiter):
        ends = _parity_ends(data, ended, quotes, line_ends)
    else:
        ends = np.fromiter(_exact_ends(data, ended, delimiter), np.int64)
    kept = trim_blank(data, int(ends[-1]) if len(ends) else 0)
    return QuotedRecords(data, ends[: np.searchsorted(ends, kept, side="right")], line_ends)


def first_record_end(data: bytes, ended: bool, delimiter: str) -> int | None:
    """End of the first record, or None if it is not wholly in ``data``."""
    front = data[:_FRONT_BYTES]
    end = next(_exact_ends(front, ended and len(front) == len(data), delimiter), None)
    return next(_exact_ends(data, ended, delimiter), None) if end is None else end


def _well_placed(body: NDArray[np.uint8], quotes: NDArray[np.int64], delimiter: str) -> bool:
    """Tell whether every quote that opens stands where a field starts, or doubles the one before it."""
    opening = quotes[::2]
    before = body[opening - 1]
    fine = (before == ord(delimiter)) | (before == _LF) | (before == _QUOTE)
    fine[0] |= opening[0] == 0
    return bool(fine.all())


def _parity_ends(
    data: bytes, ended: bool, quotes: NDArray[np.int64], line_ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Find the line ends outside quotes: those with an even number of quotes before them."""
    inside = np.searchsorted(quotes, line_ends) & 1
    ends: NDArray[np.int64] = line_ends[inside == 0] + 1
    last = int(ends[-1]) if len(ends) else 0
    if not ended or last == len(data):
        return ends
    if len(quotes) & 1:
        _refuse_many_lines(data, last)
    return np.append(ends, len(data))


def _exact_ends(data: bytes, ended: bool, delimiter: str) -> Iterator[int]:
    """Find the record ends with ``csv.reader`` itself, which knows a quote that is only a character."""
    # Latin-1 makes each byte one character, whatever the encoding.  The reader stumbles over a lone
    # carriage return, and any other ordinary character leaves the record ends where they are.
    text = re.sub(r"\r(?!\n)", "x", data.decode("latin-1"))
    *lines, unfinished = text.split("\n")
    taken, starved = 0, False

    def feed() -> Iterator[str]:
        nonlocal taken, starved
        for line in lines:
            taken += len(line) + 1
            yield line + "\n"
        if ended and unfinished:
            taken = len(data)
            yield unfinished
        starved = True

    last = 0
    for _ in csv.reader(feed(), delimiter=delimiter):
        if starved:
            if ended:
                _refuse_many_lines(data, last)
                yield taken
            return
        last = taken
        yield last


def _refuse_many_lines(data: bytes, start: int) -> None:
    """Accept, as ``csv.reader`` does, that the file ends within quotes, but not that these swallow lines."""
    if data.find(b"\n", start, len(data) - 1) >= 0:
        raise UnclosedQuoteError(data.count(b"\n", 0, start))
