"""Reading JSON: one object on each line, or one array of objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from streamqid.errors import TableError
from streamqid.records import Reason
from streamqid.sources.batches import BlockBatch, Items, sliced, windows
from streamqid.sources.blocks import BLOCK_BYTES, Blocks, strip_bom
from streamqid.sources.lines import index_lines
from streamqid.sources.nesting import flatten, tabulate

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from streamqid.sources.batches import Tabulated
    from streamqid.sources.blocks import Records
    from streamqid.sources.streams import ByteSource

_SPACE = b" \t\r\n"


class JsonLinesSource:
    """A table as JSON lines.  It has no header, so its columns are known only with the rows."""

    columns: tuple[str, ...] = ()

    def __init__(self, source: ByteSource, block_bytes: int = BLOCK_BYTES) -> None:
        self.name = source.name
        self.total_bytes = source.total_bytes
        self._source = source
        self._blocks = Blocks(source.stream, source.name, block_bytes)

    def batches(self) -> Iterator[BlockBatch]:
        """Yield the rows of the file in order."""
        for batch in self._source.ahead(self._cut()):
            yield from sliced(batch)

    def _cut(self) -> Iterator[BlockBatch]:
        start = 0
        self._blocks.begin()
        for line, records in self._blocks.cut(index_lines):
            yield BlockBatch(_JsonLines(records, line), start, self._source.passed())
            start += records.count

    def close(self) -> None:
        """Close the file."""
        self._source.close()


class JsonArraySource:
    """A table as one JSON array of objects, which is held in memory as it cannot be cut in blocks."""

    columns: tuple[str, ...] = ()

    def __init__(self, source: ByteSource) -> None:
        self.name = source.name
        self.total_bytes = source.total_bytes
        self._source = source

    def batches(self) -> Iterator[BlockBatch]:
        """Read the array and yield parts of it."""
        try:
            data = strip_bom(self._source.stream.read(), self.name)
            items = msgspec.json.decode(data, type=list[msgspec.Raw])
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            raise TableError(
                f"{self.name} is not one whole JSON array: correct it, or write one JSON object on each line."
            ) from None
        for start, end in windows(len(items)):
            yield from sliced(BlockBatch(_JsonItems(items[start:end]), start, self._source.passed()))

    def close(self) -> None:
        """Close the file."""
        self._source.close()


def holds_array(front: bytes) -> bool:
    """Tell from its first bytes whether a JSON file holds one array."""
    return front.removeprefix(b"\xef\xbb\xbf").lstrip(_SPACE).startswith(b"[")


def read_object(raw: bytes) -> dict[str, object] | Reason:
    """Read the text of one JSON object into flat fields, or say why it is none."""
    try:
        return flatten(msgspec.json.decode(raw))
    except RecursionError:
        return Reason.TOO_DEEP
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return _reason(raw, error)


def _reason(raw: bytes, error: Exception) -> Reason:
    if not raw.strip(_SPACE):
        return Reason.BLANK
    try:
        raw.decode()
    except UnicodeDecodeError:
        return Reason.ENCODING
    # Without a type to validate against, the only thing that can be invalid is a number: beyond 4,300 digits or 1e308.
    return Reason.TOO_LARGE if isinstance(error, msgspec.ValidationError) else Reason.NOT_JSON


@dataclass(frozen=True, slots=True)
class _JsonLines:
    records: Records
    line: int

    @property
    def count(self) -> int:
        return self.records.count

    def clean(self, rows: NDArray[np.int64]) -> None:
        pass

    def read(self, rows: NDArray[np.int64]) -> list[dict[str, object] | Reason]:
        data = self.records.data
        return [read_object(data[start:end]) for start, end in self.records.spans(rows)]

    def tabulate(self, good: list[dict[str, object]]) -> Tabulated:
        return tabulate(good)

    def lines(self, rows: NDArray[np.int64]) -> list[int]:
        return [self.line + line for line in self.records.lines(rows)]


class _JsonItems(Items):
    def read(self, rows: NDArray[np.int64]) -> list[dict[str, object] | Reason]:
        return [read_object(bytes(self.items[row])) for row in rows]

    def tabulate(self, good: list[dict[str, object]]) -> Tabulated:
        return tabulate(good)
