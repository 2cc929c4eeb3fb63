"""What the value of a record means: JSON or delimited text, and where in it the row stands."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import msgspec

from streamqid.errors import ConfigError
from streamqid.records import Reason
from streamqid.sources.jsonlines import read_object
from streamqid.sources.nesting import MAX_DEPTH, flatten, tabulate

if TYPE_CHECKING:
    from streamqid.sources.batches import Tabulated

_GONE = object()
_decode = msgspec.json.Decoder().decode


@dataclass(frozen=True, slots=True)
class Format:
    """How to read the value of a record as a row.

    Parameters
    ----------
    row_path
        Where in a JSON value the row stands, as in ``payload.after``; empty for the value itself.  A null on the way
        is a record without a row.
    columns, delimiter
        The names of the fields of a delimited value, and what stands between them.
    max_bytes, max_depth, max_fields
        A larger, deeper or wider record is not read.
    """

    kind: Literal["json", "csv"] = "json"
    row_path: str = ""
    columns: tuple[str, ...] = ()
    delimiter: str = ","
    max_bytes: int = 1 << 20
    max_depth: int = MAX_DEPTH
    max_fields: int = 1000

    def __post_init__(self) -> None:
        if self.kind == "csv" and (not self.columns or self.row_path):
            raise ConfigError("Delimited records need the names of their columns and have no row path: give columns.")
        if self.kind == "json" and self.columns:
            raise ConfigError("JSON records name their own columns: leave out the columns of the format.")
        if not 1 <= self.max_depth <= MAX_DEPTH:
            msg = f"Records can be nested 1 to {MAX_DEPTH} deep, not {self.max_depth}: correct max_depth."
            raise ConfigError(msg)
        if self.kind == "csv":
            # The limit is one for the whole process and its default is below what a field may hold here.
            csv.field_size_limit((1 << 31) - 1)

    def read(self, value: bytes | None) -> Any:
        """Return the row of a value, as something that ``tabulate`` takes, or the Reason why there is none.

        Never raises.
        """
        if value is None:
            return Reason.TOMBSTONE
        if len(value) > self.max_bytes:
            return Reason.TOO_LARGE
        return self._read_fields(value) if self.kind == "csv" else self._read_json(value)

    def tabulate(self, rows: list[Any]) -> Tabulated:
        """Turn rows that were read into columns."""
        if self.kind == "json":
            return tabulate(rows)
        return self.columns, [list(column) for column in zip(*rows, strict=True)] or [[] for _ in self.columns]

    def _read_json(self, value: bytes) -> dict[str, object] | Reason:
        try:
            row = _decode(value)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return read_object(value)
        for name in self.row_path.split(".") if self.row_path else ():
            row = row.get(name, _GONE) if isinstance(row, Mapping) else row
            if row is None:
                break
        if row is None:
            return Reason.TOMBSTONE
        if self.max_depth < MAX_DEPTH and not _fits(row, self.max_depth):
            return Reason.TOO_DEEP
        flat = flatten(row)
        return Reason.TOO_WIDE if not isinstance(flat, Reason) and len(flat) > self.max_fields else flat

    def _read_fields(self, value: bytes) -> list[str] | Reason:
        if b"\0" in value:
            return Reason.NUL
        try:
            text = value.decode()
        except UnicodeDecodeError:
            return Reason.ENCODING
        text = text.removesuffix("\n").removesuffix("\r")
        if not text:
            return Reason.BLANK
        try:
            rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter))
        except csv.Error:
            return Reason.RAGGED
        return rows[0] if len(rows) == 1 and len(rows[0]) == len(self.columns) else Reason.RAGGED


def _fits(value: object, room: int) -> bool:
    """Tell whether no more than ``room`` objects and arrays stand within each other."""
    if isinstance(value, Mapping):
        parts = list(cast("Mapping[object, object]", value).values())
    elif isinstance(value, list):
        parts = value
    else:
        return True
    return room > 0 and all(_fits(part, room - 1) for part in parts)
