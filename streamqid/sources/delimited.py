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
_JSON = re.compile(r"\s*(\{|\[\s*(\{|\Z))")
_VALUE = re.compile(
    r"""\s*(
        [+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?      # a number
        | \d{1,4}([-./])\d{1,2}\4\d{1,4}([T\s].*)?     # a date, perhaps with a time, or a number such as 123-45-6789
        | [^\s@]+@[^\s@]+\.[^\s@]+                     # an address
    )\s*""",
    re.ASCII | re.VERBOSE,
)


class DelimitedSource:
    """A table as delimited text.  Opening it reads the header; without one the columns are c1, c2 and so on.

    ``header`` says whether there is one.  If that is not known (None), the first line is taken for one, unless a name
    in it is a number, a date or an e-mail address: then it is likely a record, whose values must not be shown as names.

    Records are split as ``csv.reader`` does, in its default dialect, with these additions: a carriage return
    outside quotes that no line feed follows makes a bad record, a blank line is a bad record unless
    only blank lines follow, and quotes that hold many lines up to the end of the file are an error.
    """

    def __init__(
        self,
        source: ByteSource,
        delimiter: str | None,
        block_bytes: int = BLOCK_BYTES,
        *,
        header: bool | None = None,
    ) -> None:
        # The limit is one for the whole process and its default is below what a field may hold here.
        csv.field_size_limit((1 << 31) - 1)
        self.name = source.name
        self.total_bytes = source.total_bytes
        self._source = source
        self._blocks = Blocks(source.stream, source.name, block_bytes)
        self.delimiter, end = _first_line(self._blocks, delimiter)
        fields = _fields(self._blocks.rest[:end], self.delimiter, self.name)
        if header is False:
            self.columns = tuple(f"c{at}" for at in range(1, len(fields) + 1))
            return
        if header is None and _JSON.match(fields[0]):
            raise TableError(
                f"{self.name} looks like JSON and is read as csv: give --format jsonl (format='jsonl'), "
                "or --header (header=True) if its first line names columns."
            )
        if header is None and any(map(_VALUE.fullmatch, fields)):
            raise TableError(
                f"The first line of {self.name} looks like data: give --no-header (header=False), "
                "or --header (header=True) if it names the columns."
            )
        self.columns = checked_names(fields, self.name)
        self._blocks.skip(end)

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
        """Parse the rows at once, or the whole block if most of it is asked for; a single bad row makes this None."""
        data, most = self.records.data, 2 * len(rows) > self.count
        parsed = self.count if most else len(rows)
        asked = data[: self.records.end] if most else b"".join([data[at:to] for at, to in self.records.spans(rows)])
        try:
            text = asked.decode()
            columns = self._columns_of(text)
        except (ValueError, csv.Error):  # Not UTF-8, or not as many fields as the header.
            return None
        if "\0" in text or len(columns[0]) != parsed:
            return None
        if len(rows) < parsed:
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


def _first_line(blocks: Blocks, delimiter: str | None) -> tuple[str, int]:
    """Read up to the end of the first record; return the delimiter (the likeliest if None) and that end."""
    blocks.begin()
    while True:
        if blocks.ended and not blocks.rest.strip(b"\r\n"):
            raise TableError(f"{blocks.name} is empty: a table needs at least one line.")
        chosen = delimiter or _likely_delimiter(blocks.rest)
        try:
            end = first_record_end(blocks.rest, blocks.ended, chosen)
        except UnclosedQuoteError:
            raise TableError(f"A quote in the first line of {blocks.name} is never closed: close it.") from None
        if end is not None:
            return chosen, end
        blocks.grow()


def _likely_delimiter(data: bytes) -> str:
    """Choose the most frequent delimiter of the first line, outside quotes; the comma in doubt."""
    unquoted = re.sub(rb'"[^"]*("|\Z)', b"", data[:1_000_000]).partition(b"\n")[0]
    return max(_DELIMITERS, key=lambda char: unquoted.count(char.encode()))


def _fields(line: bytes, delimiter: str, name: str) -> list[str]:
    """Parse the first line."""
    if b"\0" in line:
        raise TableError(f"{name} looks like UTF-16 or is no text file: convert it to UTF-8 text.")
    try:
        fields = next(csv.reader((line.decode(),), delimiter=delimiter))
    except UnicodeDecodeError:
        raise TableError(f"The first line of {name} is not valid UTF-8: convert the file to UTF-8.") from None
    except csv.Error:
        raise TableError(f"{name} has lines that end in CR only: convert them to LF or CRLF.") from None
    if not fields:
        raise TableError(f"The first line of {name} is blank: the table must start there.")
    return fields
