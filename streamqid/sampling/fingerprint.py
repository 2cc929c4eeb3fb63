"""Fingerprints: a sampled row keeps one keyed 64-bit number per column, and no value.

    fingerprint(column, value) = SipHash-2-4(key of the column, type tag + canonical bytes of the value)

Both measures need equality only.  Fingerprints are pseudonymous, not anonymous: equality and frequency stay
visible, and whoever has the secret can test guesses.  Two different values of a column collide with
probability 2^-64; among d distinct sampled values some pair does with probability below d^2 / 2^65.
"""

from __future__ import annotations

import decimal
import enum
import math
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np
from siphash24 import siphash24

from streamqid.records import ABSENT, Absent
from streamqid.sampling.priority import MASK64

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from streamqid.sampling.secret import Secret

MISSING = 0
"""Fingerprint of a missing value.  No other value has it; the missing rule says how it compares."""

CACHE_VALUES = 1 << 16
CACHE_COLUMNS = 1 << 12
CACHE_TOTAL = 1 << 18
"""Bounds of what is remembered to save hashing, of a column and of all; beyond them it is forgotten."""
LONG_TEXT, LONG_INTEGER = 64, 512
"""Letters of the longest text and bits of the longest integer that are remembered."""


class MissingRule(enum.StrEnum):
    """How missing values compare.  Missing are: absent, null, NaN, empty text and the declared markers."""

    VALUE = "value"
    """Nothing is special: null, an empty text, a marker and an absent field are four different values."""
    EQUAL = "equal"
    """All missing values of a column are equal to each other and differ from every other value."""
    DISTINCT = "distinct"
    """A missing value differs from every other value, missing or not (the NULL of SQL)."""


def canonical(value: object) -> bytes:
    """Return type tag and canonical bytes: equal exactly for equal values of one type.

    1, 1.0, True, "1" and None differ; -0.0 equals 0.0; every NaN equals every other of its type; Decimal("1.0") equals
    Decimal("1.00").
    """
    if isinstance(value, str):
        return b"s" + value.encode("utf-8", "surrogatepass")
    if value is None:
        return b"n"
    if value is ABSENT:
        return b"a"
    if isinstance(value, bool | np.bool_):
        return b"b1" if value else b"b0"
    if isinstance(value, int | np.integer):
        # Hexadecimal, since a decimal print of more than 4,300 digits is refused by Python.
        return b"i" + format(int(value), "x").encode()
    if isinstance(value, float | np.floating):
        number = float(value)
        return b"f" + (b"nan" if math.isnan(number) else repr(number + 0.0).encode())
    if isinstance(value, bytes):
        return b"y" + value
    return _canonical_object(value)


def _canonical_object(value: object) -> bytes:
    if isinstance(value, np.ndarray):
        # Its print is cut short, so that different arrays print alike.
        return canonical(value.tolist())
    if isinstance(value, list | tuple):
        return b"l" + b"".join(map(_framed, value))
    if isinstance(value, dict):
        return b"d" + b"".join(sorted(_framed(key) + _framed(item) for key, item in value.items()))
    if isinstance(value, decimal.Decimal):
        return b"oDecimal:" + _canonical_decimal(value)
    return b"o" + type(value).__name__.encode() + b":" + str(value).encode("utf-8", "surrogatepass")


def _canonical_decimal(value: decimal.Decimal) -> bytes:
    """Return the digits without the zeros at the end, and rounded nowhere, as ``Decimal.normalize`` would."""
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return b"nan" if value.is_nan() else str(value).encode()
    text = "".join(map(str, digits))
    shown = text.rstrip("0")
    if not shown:
        return b"0"
    return f"{'-' if sign else ''}{shown}e{exponent + len(text) - len(shown)}".encode()


def _framed(value: object) -> bytes:
    """Return the canonical bytes behind their length, so that bytes put together can be told apart."""
    data = canonical(value)
    return len(data).to_bytes(8, "little") + data


class Encoder:
    """Turns decoded rows into fingerprints, column by column.

    Parameters
    ----------
    secret
        Source of the column keys.
    missing
        How missing values compare.  Under VALUE only an absent field gets the fingerprint MISSING, under
        the other rules everything that counts as missing does.
    markers
        Texts that stand for a missing value, such as "?".
    """

    def __init__(self, secret: Secret, missing: MissingRule = MissingRule.VALUE, markers: Iterable[str] = ()) -> None:
        self._secret = secret
        by_value = missing is MissingRule.VALUE
        self._missing: list[object] = [ABSENT] if by_value else [ABSENT, None, math.nan, "", *markers]
        self._columns: dict[str, _ColumnHash] = {}

    def encode(self, columns: Sequence[str], values: Sequence[list[object]], rows: int) -> NDArray[np.uint64]:
        """Return the fingerprints of ``rows`` records, one row per record and one column per column."""
        return self.encode_pieces(columns, (values[: len(columns)],), rows)

    def encode_pieces(
        self, columns: Sequence[str], pieces: Iterable[Sequence[Sequence[object]]], rows: int
    ) -> NDArray[np.uint64]:
        """Return the fingerprints of ``rows`` records that come some at a time, each piece as :meth:`encode` takes it.

        Values that are looked up soon after they were decoded are still in the processor's cache.
        """
        hashes = [self._hash_of(column) for column in columns]
        found: list[list[bytes]] = [[] for _ in columns]
        for piece in pieces:
            for parts, column, values in zip(found, hashes, piece, strict=True):
                parts.append(column.many(values))
        out = np.empty((rows, len(columns)), np.uint64)
        for j, parts in enumerate(found):
            out[:, j] = np.frombuffer(b"".join(parts), "<u8")
        if sum(column.remembered for column in self._columns.values()) > CACHE_TOTAL:
            self._columns.clear()
        return out

    def _hash_of(self, column: str) -> _ColumnHash:
        if column not in self._columns:
            if len(self._columns) >= CACHE_COLUMNS:
                self._columns.clear()
            self._columns[column] = _ColumnHash(self._secret.column_key(column), self._missing)
        self._columns[column].limit()
        return self._columns[column]

    def hashes_of_missing(self, column: str) -> list[int]:
        """Return what the values that count as missing would have as fingerprints if they did not."""
        key = self._secret.column_key(column)
        return [_siphash(key, canonical(value)) for value in self._missing]


_TEXTS = frozenset({str, type(None), Absent})
_NUMBERS = (int, float, bool)
"""Types whose values are remembered.  They are immutable, and equal exactly where they have one fingerprint, except
that 1, 1.0 and True would be one key of a dictionary: so each type of numbers has its own, with or without texts."""


class _ColumnHash:
    """SipHash-2-4 under one column's key, with a bounded memory of values seen."""

    def __init__(self, key: bytes, missing: Iterable[object]) -> None:
        self._key = key
        self._missing = frozenset(map(canonical, missing))
        self._texts: dict[object, bytes] = {}
        self._known = dict.fromkeys(_TEXTS, self._texts) | {kind: {} for kind in _NUMBERS}

    @property
    def remembered(self) -> int:
        return len(self._texts) + sum(len(self._known[kind]) for kind in _NUMBERS)

    def limit(self) -> None:
        """Forget values of a type of which there are too many."""
        for known in self._known.values():
            if len(known) > CACHE_VALUES:
                known.clear()

    def many(self, values: Sequence[object]) -> bytes:
        """Return the fingerprints, of eight bytes each."""
        try:
            return _looked_up(self._texts, values)
        except (KeyError, TypeError):  # not all were seen, or can be remembered
            pass
        numbers = set(map(type, values)) - _TEXTS
        table = self._known.get(numbers.pop()) if len(numbers) == 1 else None if numbers else self._texts
        if table is None:
            return b"".join(map(self._any, values))
        try:
            return _looked_up(table, values)
        except KeyError:
            pass
        new = set(values).difference(table)
        table.update((value, self._one(value)) for value in new)
        found = _looked_up(table, values)
        for value in filter(_is_long, new):
            del table[value]
        return found

    def _any(self, value: object) -> bytes:
        known = self._known.get(type(value))
        if known is None or _is_long(value):
            return self._one(value)
        if value not in known:
            known[value] = self._one(value)
        return known[value]

    def _one(self, value: object) -> bytes:
        data = canonical(value)
        return (MISSING if data in self._missing else _siphash(self._key, data)).to_bytes(8, "little")


def _is_long(value: object) -> bool:
    if isinstance(value, str):
        return len(value) > LONG_TEXT
    return isinstance(value, int) and value.bit_length() > LONG_INTEGER


def _looked_up(known: dict[object, bytes], values: Sequence[object]) -> bytes:
    # Of one value an itemgetter returns no tuple.
    return b"".join(itemgetter(*values)(known) if len(values) > 1 else map(known.__getitem__, values))


def _siphash(key: bytes, data: bytes) -> int:
    return siphash24(data, key=key).intdigest() & MASK64 or 1
