"""Fields without a compiler: a decoder that skips what is not named, and remembered values.

What is skipped is checked less by the decoder than what is decoded, so the text of many values is looked through at
once for whatever could make the definition say something else, and values in doubt are left to it.
"""

from __future__ import annotations

import re
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from streamqid.fields.general import GeneralReader
from streamqid.fields.lines import as_lines
from streamqid.fields.paths import find
from streamqid.fields.reading import Read
from streamqid.records import ABSENT
from streamqid.sampling.fingerprint import MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from streamqid.fields.reading import Definition, Spans
    from streamqid.sampling.fingerprint import Encoder

FIELD_BYTES = 5
"""Bytes of the smallest field, with its comma."""
LONG_NUMBER = 192
"""Digits.  A shorter number without an exponent of three digits is in range; a longer one may not be."""
PIECE_LINES = 256
"""Values that are decoded at a time."""
_STRIDE = 16
_BEHIND_NUMBER = np.zeros(256, np.bool_)
_BEHIND_NUMBER[list(b" \t\r\n,]}")] = True
_FAR_NUMBER = re.compile(rb"[0-9]{%d}|[0-9][eE]\+?[0-9]{3,}[ \t\r\n,\]}]" % LONG_NUMBER)
_UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, TypeError)
_SPELLED_OUT = re.compile(r'[\x00-\x1f"\\]')
"""Letters that JSON can only spell with a backslash; values with one are in doubt anyway."""


class PlainReader:
    """Decodes the named fields of JSON values; equal to :class:`GeneralReader` on every value."""

    def __init__(self, definition: Definition, columns: Sequence[str], encoder: Encoder) -> None:
        self._definition = definition
        self._general = GeneralReader(definition, columns, encoder)
        self._columns = tuple(columns)
        self._encoder = encoder
        self._decoder, self._inner, self._keys = _decoder(columns, definition.row_path)
        self._places = [
            int(fields[column].removeprefix("f")) if column in fields else None
            for column, fields in zip(columns, self._keys, strict=True)
        ]
        self._widest = FIELD_BYTES * definition.max_fields

    def read(self, spans: Spans) -> Read:
        """Return the fingerprints of all values."""
        lines = as_lines(spans)
        text = b"".join(filter(None, spans.values())) if lines is None else lines
        doubtful, flat = self._doubtful(spans, text)
        if lines is not None and flat and not doubtful.any():
            found = self._flat(lines, spans.start - spans.start[0])
            if found is not None:
                return Read(found, np.zeros(len(spans), np.uint8))
        rows = self._rows(spans, lines, doubtful)
        reasons = np.zeros(len(rows), np.uint8)
        if doubtful.any():
            places = np.flatnonzero(~doubtful)
            fingerprints = np.full((len(rows), len(self._columns)), MISSING, np.uint64)
            fingerprints[places], twice = self._encoded([rows[place] for place in places.tolist()], flat=flat)
            doubtful[places[twice]] = True
        else:
            fingerprints, twice = self._encoded(rows, flat=flat)
            doubtful[twice] = True
        unsure = np.flatnonzero(doubtful)
        if unsure.size:
            decided = self._general.read_values([spans.value(place) for place in unsure.tolist()])
            fingerprints[unsure], reasons[unsure] = decided.fingerprints, decided.reasons
        return Read(fingerprints, reasons)

    def _flat(self, lines: bytes, fronts: NDArray[np.int64]) -> NDArray[np.uint64] | None:
        """Return the fingerprints of lines that begin at these places and hold no object in an object, if all can be.

        Only some are decoded at a time, so that what they hold is looked up before it leaves the processor's cache.
        """
        try:
            return self._encoder.encode_pieces(self._columns, self._pieces(lines, fronts), len(fronts))
        except _UNDECODABLE:
            return None

    def _pieces(self, lines: bytes, fronts: NDArray[np.int64]) -> Iterator[list[Sequence[object]]]:
        """Yield the cells of some lines at a time, column by column; raises an error if one is not one object."""
        cuts, view = [*fronts[::PIECE_LINES].tolist(), len(lines)], memoryview(lines)
        for (start, end), place in zip(pairwise(cuts), range(0, len(fronts), PIECE_LINES), strict=True):
            rows = self._decoder.decode_lines(view[start:end])
            if len(rows) != min(PIECE_LINES, len(fronts) - place):
                raise msgspec.DecodeError
            cells = [*zip(*map(msgspec.structs.astuple, rows), strict=True)]
            yield [[ABSENT] * len(rows) if at is None else cells[at] for at in self._places]

    def _rows(self, spans: Spans, lines: bytes | None, doubtful: NDArray[np.bool_]) -> list[Any]:
        """Return the decoded values; None for one that cannot be decoded, which is in doubt then."""
        if lines is not None:
            try:
                together = self._decoder.decode_lines(lines)
            except _UNDECODABLE:
                pass
            else:
                if len(together) == len(spans):
                    return together if self._inner is None else list(map(self._inner, together))
        rows: list[Any] = []
        decode: Callable[[Any], Any] = self._decoder.decode
        decoded = map(decode, spans.values())
        while len(rows) < len(spans):
            try:
                rows.extend(decoded if self._inner is None else map(self._inner, decoded))
            except _UNDECODABLE:
                doubtful[len(rows)] = True
                rows.append(None)
        return rows

    def _encoded(self, rows: list[Any], *, flat: bool) -> tuple[NDArray[np.uint64], list[int]]:
        """Return the fingerprints of decoded rows, and those rows that have two leaves of one name."""
        twice: set[int] = set()
        cells: list[list[object]] = []
        for column, keys in zip(self._columns, self._keys, strict=True):
            cells.append(list(map(attrgetter(keys[column]), rows)) if column in keys else [ABSENT] * len(rows))
            for i in () if flat else self._nested(keys, rows):
                record = {key: cell for key, at in keys.items() if (cell := getattr(rows[i], at)) is not ABSENT}
                found = find(record, column)
                # An object is no leaf, and leaves the column itself missing.
                cells[-1][i] = found[0] if found else ABSENT
                if len(found) > 1:
                    twice.add(i)
        return self._encoder.encode(self._columns, cells, len(rows)), sorted(twice)

    @staticmethod
    def _nested(keys: dict[str, str], rows: list[Any]) -> list[int]:
        """Return the rows in which an object stands where a column may be, or may be a field of it."""
        return [i for i, row in enumerate(rows) if any(type(getattr(row, at)) is dict for at in keys.values())]

    def _doubtful(self, spans: Spans, text: bytes) -> tuple[NDArray[np.bool_], bool]:
        """Return which values may mean something that the decoder does not see, and whether all are surely flat."""
        doubtful = spans.end - spans.start >= min(self._widest, self._definition.max_bytes + 1)
        doubtful |= spans.start < 0
        opened = int(np.count_nonzero(np.frombuffer(text, np.uint8) == ord("{")))
        # Braces beyond those that values begin with: each value has at most so many within its own.
        within = opened - _beginning_with_a_brace(spans)
        flat = not within and not self._definition.row_path
        lists = text.count(b"[") if b"[" in text else 0
        if _is_plain(text) and within + lists < self._definition.max_depth:
            return doubtful, flat
        return doubtful | np.fromiter(map(self._may_differ, spans.values()), np.bool_, len(spans)), flat

    def _may_differ(self, value: bytes | None) -> bool:
        if value is None or b"\\" in value or _FAR_NUMBER.search(value):
            return True
        try:
            value.decode()
        except UnicodeDecodeError:
            return True
        return value.count(b"{") + value.count(b"[") > self._definition.max_depth


def _beginning_with_a_brace(spans: Spans) -> int:
    """Count the values that begin with a brace; one with a blank before it does not."""
    fronts = spans.start[(spans.start >= 0) & (spans.end > spans.start)]
    return int(np.count_nonzero(np.frombuffer(spans.data, np.uint8)[fronts] == ord("{"))) if fronts.size else 0


def can_be_named(path: str) -> bool:
    """Tell whether keys on this path can be spelled without a backslash, as the decoder's must be."""
    return not _SPELLED_OUT.search(path)


def _is_plain(text: bytes) -> bool:
    """Tell whether nothing but depth can be in doubt in the text of many values.

    A value that can be decoded begins and ends in ASCII, so text that is valid as a whole is valid in each of them.
    """
    if b"\\" in text:
        return False
    if not text.isascii():
        try:
            text.decode()
        except UnicodeDecodeError:
            return False
    letters = np.frombuffer(text, np.uint8)
    digit = (letters - np.uint8(ord("0"))) < np.uint8(10)
    if b"\1" * (LONG_NUMBER // _STRIDE - 1) in digit[::_STRIDE].tobytes():
        return False
    return not _has_large_exponent(letters, digit)


def _has_large_exponent(letters: NDArray[np.uint8], digit: NDArray[np.bool_]) -> bool:
    """Tell whether some number may have an exponent of three digits; identifiers such as 7e12ab have none."""
    places = np.flatnonzero(digit[:-1] & ((letters[1:] | np.uint8(0x20)) == ord("e"))) + 2
    last = len(letters) - 1
    places += letters[np.minimum(places, last)] == ord("+")
    for _ in range(3):
        places = places[digit[np.minimum(places, last)]] + 1
    while places.size:
        behind = np.minimum(places, last)
        if _BEHIND_NUMBER[letters[behind]].any():
            return True
        places = places[digit[behind] & (places < last)] + 1
    return False


def _decoder(
    columns: Sequence[str], row_path: str
) -> tuple[msgspec.json.Decoder[Any], Callable[[Any], Any] | None, list[dict[str, str]]]:
    """Return what decodes a value into the fields that can hold the columns, and for each column these fields.

    Between them, what leads from the decoded value to its row; None if it is the row.

    A field is given by its key in the row, which is a column or what stands before a dot in its name, and the name
    that it has in a decoded row.
    """
    names: dict[str, str] = {}
    keys: list[dict[str, str]] = []
    for column in columns:
        own = [column, *(column[:place] for place, letter in enumerate(column) if letter == ".")]
        usable = [key for key in own if not _SPELLED_OUT.search(key)]
        keys.append({key: names.setdefault(key, f"f{len(names)}") for key in usable})
    row: Any = msgspec.defstruct(
        "Row",
        [(at, Any, ABSENT) for at in names.values()],
        rename={at: key for key, at in names.items()},
        gc=False,
    )
    path = row_path.split(".") if row_path else []
    outer = row
    for name in reversed(path):
        outer = msgspec.defstruct("Outer", [("inner", outer)], rename={"inner": name})
    inner = attrgetter(".".join(["inner"] * len(path))) if path else None
    return msgspec.json.Decoder(outer), inner, keys
