"""What is left of a record when only the published columns may be seen: bytes to bytes, or a reason.

The output is built up from the published fields alone; nothing of the record is copied and then cut down.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import msgspec

from streamqid.records import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamqid.copying.rule import Constant

_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ENCODER = msgspec.json.Encoder()


class RowFormat(Protocol):
    """How a value is read as a row; ``broker.formats.Format``."""

    @property
    def kind(self) -> Literal["json", "csv"]:
        """What values look like."""
        ...

    @property
    def row_path(self) -> str:
        """Where in a JSON value the row stands."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """The fields of a line."""
        ...

    @property
    def delimiter(self) -> str:
        """What stands between them."""
        ...

    def read(self, value: bytes | None) -> Any:
        """Return the row, or the Reason why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Masking:
    """Keeps the published columns of a record.

    Whatever the record holds, the output holds the values of ``columns``, the names of ``columns`` and ``hidden``, the
    constant, and nothing else.  Values of JSON are the very text that stood in the record; those of a line are quoted
    where they must be.

    Parameters
    ----------
    hidden
        Fields that are written with the constant, whether or not the record has them.  Of a line only these and the
        published ones are left, in their order.
    """

    format: RowFormat
    columns: frozenset[str]
    hidden: tuple[str, ...] = ()
    constant: Constant = None
    _prefixes: frozenset[str] = field(init=False)
    _filled: tuple[tuple[tuple[str, ...], object], ...] = field(init=False)

    def __post_init__(self) -> None:
        parts = [name.split(".") for name in self.columns]
        prefixes = {".".join(part[:n]) + "." for part in parts for n in range(1, len(part))}
        object.__setattr__(self, "_prefixes", frozenset(prefixes))
        absent = [name for name in self.hidden if name not in self.columns]
        object.__setattr__(self, "_filled", tuple((tuple(name.split(".")), self.constant) for name in absent))

    def apply(self, value: bytes) -> bytes | Reason:
        """Return what may be seen of a value, or why it cannot be read.  Never raises."""
        row = self.format.read(value)
        if isinstance(row, Reason):
            return row
        return self._line(row) if self.format.kind == "csv" else self._object(value)

    def _line(self, cells: list[str]) -> bytes:
        constant = "" if self.constant is None else _text(self.constant)
        kept = [
            cell if name in self.columns else constant
            for name, cell in zip(self.format.columns, cells, strict=True)
            if name in self.columns or name in self.hidden
        ]
        line = io.StringIO()
        # A writer quotes the line ends that it writes itself, so it must write them.
        csv.writer(line, delimiter=self.format.delimiter, lineterminator="\r\n").writerow(kept)
        return line.getvalue().removesuffix("\r\n").encode()

    def _object(self, value: bytes) -> bytes:
        """Write the published fields of a value that is known to hold a row."""
        fields = _OBJECT.decode(value)
        for name in self.format.row_path.split(".") if self.format.row_path else ():
            fields = _OBJECT.decode(fields[name])
        found: dict[str, tuple[tuple[str, ...], object]] = {}
        self._collect(fields, (), "", found)
        return _ENCODER.encode(_nested([*found.values(), *self._filled]))

    def _collect(
        self,
        fields: dict[str, msgspec.Raw],
        place: tuple[str, ...],
        prefix: str,
        found: dict[str, tuple[tuple[str, ...], object]],
    ) -> None:
        """Take the published leaves; of two with the same path the later one counts, as in the samples."""
        for name, raw in fields.items():
            path = prefix + name
            if bytes(memoryview(raw)[:1]) == b"{":
                if path + "." in self._prefixes:
                    self._collect(_OBJECT.decode(raw), (*place, name), path + ".", found)
            elif path in self.columns:
                found[path] = (*place, name), raw


def _nested(leaves: Iterable[tuple[tuple[str, ...], object]]) -> dict[str, object]:
    """Put leaves where they stood; one that would stand in another's place is left out."""
    whole: dict[str, object] = {}
    for place, value in leaves:
        inner: object = whole
        for name in place[:-1]:
            inner = inner.setdefault(name, {}) if isinstance(inner, dict) else None
        if isinstance(inner, dict):
            inner.setdefault(place[-1], value)
    return whole


def _text(constant: Constant) -> str:
    return constant if isinstance(constant, str) else msgspec.json.encode(constant).decode()
