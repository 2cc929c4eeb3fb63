"""Fingerprints: a sampled row keeps one keyed 64-bit number per column, and no value.

    fingerprint(column, value) = SipHash-2-4(key of the column, type tag + canonical bytes of the value)

Both measures need equality only.  Fingerprints are pseudonymous, not anonymous: equality and frequency stay
visible, and whoever has the secret can test guesses.  Two different values of a column collide with
probability 2^-64; among d distinct sampled values some pair does with probability below d^2 / 2^65.
"""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING

import numpy as np
from siphash24 import siphash24

from streamqid.records import ABSENT, Absent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from streamqid.sampling.secret import Secret

MISSING = 0
"""Fingerprint of a missing value.  No other value has it; the missing rule says how it compares."""

CACHE_VALUES = 1 << 16
CACHE_COLUMNS = 1 << 12
"""Bounds of what is remembered to save hashing; beyond them it is forgotten and computed again."""


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

    1, 1.0, True, "1" and None differ; -0.0 equals 0.0; every NaN equals every other.
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
    if isinstance(value, list | tuple):
        return b"l" + b"".join(map(_framed, value))
    if isinstance(value, dict):
        return b"d" + b"".join(sorted(_framed(key) + _framed(item) for key, item in value.items()))
    return b"o" + type(value).__name__.encode() + b":" + str(value).encode("utf-8", "surrogatepass")


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
        out = np.empty((rows, len(columns)), np.uint64)
        for j, column in enumerate(columns):
            if column not in self._columns:
                if len(self._columns) >= CACHE_COLUMNS:
                    self._columns.clear()
                self._columns[column] = _ColumnHash(self._secret.column_key(column), self._missing)
            out[:, j] = self._columns[column].many(values[j])
        return out

    def hashes_of_missing(self, column: str) -> list[int]:
        """Return what the values that count as missing would have as fingerprints if they did not."""
        key = self._secret.column_key(column)
        return [_siphash(key, canonical(value)) for value in self._missing]


_KINDS = (str, int, float, bool, type(None), Absent)
"""Types whose values are remembered; each of them is immutable, and equal exactly where it has one fingerprint."""


class _ColumnHash:
    """SipHash-2-4 under one column's key, with a bounded memory of values seen.

    A dictionary takes 1, 1.0 and True for one key, so each type has its own.
    """

    def __init__(self, key: bytes, missing: Iterable[object]) -> None:
        self._key = key
        self._missing = frozenset(map(canonical, missing))
        self._known: dict[type, _Known] = {kind: _Known(self.one) for kind in _KINDS}

    def many(self, values: Sequence[object]) -> NDArray[np.uint64]:
        for known in self._known.values():
            if len(known) > CACHE_VALUES:
                known.clear()
        kinds = set(map(type, values))
        if len(kinds) == 1 and (kind := kinds.pop()) in self._known:
            return np.fromiter(map(self._known[kind].__getitem__, values), np.uint64, len(values))
        return np.fromiter(map(self._any, values), np.uint64, len(values))

    def _any(self, value: object) -> int:
        known = self._known.get(type(value))
        return self.one(value) if known is None else known[value]

    def one(self, value: object) -> int:
        data = canonical(value)
        return MISSING if data in self._missing else _siphash(self._key, data)


class _Known(dict[object, int]):
    """Values of one type, each with its fingerprint, which is computed when it is asked for first."""

    def __init__(self, fingerprint: Callable[[object], int]) -> None:
        super().__init__()
        self._fingerprint = fingerprint

    def __missing__(self, value: object) -> int:
        found = self[value] = self._fingerprint(value)
        return found


def _siphash(key: bytes, data: bytes) -> int:
    return int.from_bytes(siphash24(data, key=key).digest(), "little") or 1
