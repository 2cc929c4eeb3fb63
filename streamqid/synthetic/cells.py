"""Columns of rows as codes that point into words, for they are made and written by the thousand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from streamqid.synthetic.draws import draw

if TYPE_CHECKING:
    from numpy.typing import NDArray

PRESENT, NULL, NO_FIELD = 0, 1, 2  # what a cell is: a value, an empty value, not there


@dataclass(frozen=True, eq=False)
class Words:
    """Texts that codes point into."""

    texts: tuple[str, ...]

    @cached_property
    def glyphs(self) -> NDArray[np.bytes_]:
        """The texts in UTF-8, all of one width."""
        return np.array([text.encode() for text in self.texts], np.bytes_)

    @cached_property
    def strings(self) -> NDArray[np.object_]:
        """The texts as an array of Python strings."""
        return np.array(self.texts, object)


_MONTHS = Words(tuple(f"{k // 12 + 1970}-{k % 12 + 1:02d}-" for k in range(12 * 400)))
_DAYS = Words(tuple(f"{k + 1:02d}T" for k in range(31)))
_MINUTES = Words(tuple(f"{k // 60:02d}:{k % 60:02d}:" for k in range(1440)))
_SECONDS = Words(tuple(f"{k:02d}." for k in range(60)))
_MILLIS = Words(tuple(f"{k:03d}Z" for k in range(1000)))
# What finer values end in: four digits, not a zero at last, so that a number reads back as it was written.
ENDS, DECIMALS = (Words(("", *(f"{c}{k:04d}" for k in range(10_000) if k % 10))) for c in "-.")


@cache
def _hex() -> Words:
    return Words(tuple(f"{k:04x}" for k in range(1 << 16)))


@dataclass(frozen=True, slots=True)
class Cells:
    """One column of some rows: the text of a cell is that of all parts, joined."""

    state: NDArray[np.int64]  # PRESENT, NULL or NO_FIELD; the codes are 0 unless it is PRESENT
    parts: tuple[tuple[NDArray[np.int64], Words], ...]
    number: bool = False


def identifiers(seed: int, rows: NDArray[np.int64]) -> Cells:
    """Return 16 hexadecimal digits that differ between any two rows."""
    bits = draw(seed, "person_id", rows)
    shifts = [np.uint64(shift) for shift in (48, 32, 16, 0)]
    parts = [(((bits >> shift) & np.uint64(0xFFFF)).astype(np.int64), _hex()) for shift in shifts]
    return Cells(np.zeros(len(rows), np.int64), tuple(parts))


def times(seconds: NDArray[np.float64]) -> Cells:
    """Return times in ISO 8601, in UTC and to the nearest millisecond."""
    day, milli = np.divmod(np.rint(seconds * 1000).astype(np.int64), 86_400_000)
    month = day.astype("datetime64[D]").astype("datetime64[M]")
    first = month.astype("datetime64[D]").astype(np.int64)
    minute, milli = np.divmod(milli, 60_000)
    second, milli = np.divmod(milli, 1000)
    codes = (month.astype(np.int64), day - first, minute, second, milli)
    words = (_MONTHS, _DAYS, _MINUTES, _SECONDS, _MILLIS)
    return Cells(np.zeros(len(day), np.int64), tuple(zip(codes, words, strict=True)))
