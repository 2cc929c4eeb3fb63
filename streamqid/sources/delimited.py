"""Reading delimited text (CSV, TSV): header, records and what can be wrong with them."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from streamqid.errors import TableError
from streamqid.records import Reason
from streamqid.sources.batches import BlockBatch
from streamqid.sources.blocks import BLOCK_BYTES, Blocks
from streamqid.sources.names import checked_names
from streamqid.sources.quotes import UnclosedQuoteError, first_record_end, index_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from streamqid.sources.batches import Tabulated
    from streamqid.sources.blocks import Records
    from streamqid.sources.streams import ByteSource

_DELIMITERS = ",;\t|"
_GROUP_ROWS = 512


class DelimitedSource:
    """A table as delimited text with a header.  Opening it reads the header.

    Records are split as ``csv.reader`` does, in its default dialect, with these additions: a carriage return
    outside quotes that no line feed follows makes a bad record, a blank line is a bad record unless
    only blank lines follow, and quotes that hold many lines up to the end of the file are an error.
    """

    def __init__(self, source: ByteSource, delimiter: str | None, block_bytes: int = BLOCK_BYTES) -> None:
        # The limit is one for the whole process and its default is below what a field may hold here.
        csv.field_size_limit((1 << 31) - 1)
        self.name = source.name
        self.total_bytes = source.total_bytes
        self._source = source
        self._blocks = Blocks(source.stream, source.name, block_bytes)
        self.delimiter, header = _take_header(self._blocks, delimiter)
        self.columns = _column_names(header, self.delimiter, self.name)

    def batches(self) -> Iterator[BlockBatch]:
        """Yield the blocks of the file in order."""
        return self._source.ahead(self._cut())

    def _cut(self) -> Iterator[BlockBatch]:
        start = 0
        for line, records in self._blocks.cut(self._index):
            block = _DelimitedBlock(records, line, self.columns, self.delimiter)
            yield BlockBatch(block, start, self._source.passed())
            start += records.count

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    def _index(self, data: bytes, ended: bool) -> Records:
        try:
            return index_records(data, ended, self.delimiter)
        except UnclosedQuoteError as error:
            line = self._blocks.line + error.line
        raise TableError(
            f"A quote in the record that starts in line {line} of {self.name} is never closed: "
            "close it there, or write a quote inside a field twice."
        )


@dataclass(frozen=True, slots=True)
class _DelimitedBlock:
    records: Records
    line: int
    columns: tuple[str, ...]
    delimiter: str

    @property
    def count(self) -> int:
        return self.records.count

    def lines(self, rows: NDArray[np.int64]) -> list[int]:
        return [self.line + line for line in self.records.lines(rows)]

    def tabulate(self, good: list[list[str]]) -> Tabulated:
        return self.columns, [list(column) for column in zip(*good, strict=True)] or [[] for _ in self.columns]

    def clean(self, rows: NDArray[np.int64]) -> Tabulated | None:
        """Parse the whole block if most of it is asked for; a single bad record makes this None."""
        if 2 * len(rows) <= self.count:
            return None
        try:
            text = self.records.data[: self.records.end].decode()
            columns = self._columns_of(text)
        except (ValueError, csv.Error):  # Not UTF-8, or not as many fields as the header.
            return None
        if "\0" in text or len(columns[0]) != self.count:
            return None
        if len(rows) < self.count:
            columns = [[column[row] for row in rows] for column in columns]
        return self.columns, columns

    def read(self, rows: NDArray[np.int64]) -> list[list[str] | Reason]:
        data = self.records.data
        return [self._read_one(data[start:end]) for start, end in self.records.spans(rows)]

    def _columns_of(self, text: str) -> list[list[object]]:
        """Parse text into columns, in groups of rows that fit the processor's cache."""
        columns: list[list[object]] = [[] for _ in self.columns]
        parsed = csv.reader(io.StringIO(text, newline="\n"), delimiter=self.delimiter)
        while group := list(islice(parsed, _GROUP_ROWS)):
            for column, values in zip(columns, zip(*group, strict=True), strict=True):
                column.extend(values)
        return columns

    def _read_one(self, raw: bytes) -> list[str] | Reason:
        if b"\0" in raw:
            return Reason.NUL
        try:
            text = raw.decode()
            # Without quotes and carriage returns a split is what the reader does, several times faster.
            if b'"' not in raw and b"\r" not in raw:
                fields = text.rstrip("\n").split(self.delimiter) if raw != b"\n" else []
            else:
                fields = next(csv.reader((text,), delimiter=self.delimiter))
        except UnicodeDecodeError:
            return Reason.ENCODING
        except csv.Error:  # A lone carriage return, which could as well be meant to end the line.
            return Reason.RAGGED
        if len(fields) == len(self.columns):
            return fields
        return Reason.RAGGED if fields else Reason.BLANK


def _take_header(blocks: Blocks, delimiter: str | None) -> tuple[str, bytes]:
    """Read up to the end of the header; return the delimiter (the likeliest if None) and the header."""
    blocks.begin()
    while True:
        if blocks.ended and not blocks.rest.strip(b"\r\n"):
            raise TableError(f"{blocks.name} is empty: a table needs at least a header.")
        chosen = delimiter or _likely_delimiter(blocks.rest)
        try:
            end = first_record_end(blocks.rest, blocks.ended, chosen)
        except UnclosedQuoteError:
            raise TableError(f"A quote in the header of {blocks.name} is never closed: close it.") from None
        if end is not None:
            header = blocks.rest[:end]
            blocks.skip(end)
            return chosen, header
        blocks.grow()


def _likely_delimiter(data: bytes) -> str:
    """Choose the most frequent delimiter of the first line, outside quotes; the comma in doubt."""
    unquoted = re.sub(rb'"[^"]*("|\Z)', b"", data[:1_000_000]).partition(b"\n")[0]
    return max(_DELIMITERS, key=lambda char: unquoted.count(char.encode()))


def _column_names(header: bytes, delimiter: str, name: str) -> tuple[str, ...]:
    """Parse the header and check that it names every column once."""
    if b"\0" in header:
        raise TableError(f"{name} looks like UTF-16 or is no text file: convert it to UTF-8 text.")
    try:
        columns = next(csv.reader((header.decode(),), delimiter=delimiter))
    except UnicodeDecodeError:
        raise TableError(f"The header of {name} is not valid UTF-8: convert the file to UTF-8.") from None
    except csv.Error:
        raise TableError(f"{name} has lines that end in CR only: convert them to LF or CRLF.") from None
    if not columns:
        raise TableError(f"The first line of {name} is blank: the header must be the first line.")
    return checked_names(columns, name)
