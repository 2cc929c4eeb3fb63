"""What a reader of fields is asked for, what it reads, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np

from streamqid.records import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

REASONS = tuple(Reason)
"""Reason number r stands at place r - 1; 0 says that the record could be read."""
NUMBERS = {reason: number for number, reason in enumerate(REASONS, 1)}


class Definition(Protocol):
    """What a value means: the definition that every reader follows."""

    @property
    def kind(self) -> Literal["json", "csv"]:
        """Whether values are JSON or delimited text."""
        ...

    @property
    def row_path(self) -> str:
        """Where in a JSON value the row stands."""
        ...

    @property
    def max_bytes(self) -> int:
        """Bytes of the largest record."""
        ...

    @property
    def max_depth(self) -> int:
        """Objects and arrays within each other."""
        ...

    @property
    def max_fields(self) -> int:
        """Fields of the widest record."""
        ...

    def read(self, value: bytes | None) -> Any:
        """Return the row of a value, or the Reason why there is none."""
        ...

    def tabulate(self, rows: list[Any]) -> tuple[tuple[str, ...], list[list[object]]]:
        """Turn rows into columns."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Values inside one buffer: value i is ``data[start[i]:end[i]]``, and a tombstone where the start is negative."""

    data: bytes
    start: NDArray[np.int64]
    end: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.start)

    def values(self) -> list[bytes | None]:
        """Cut out all values."""
        data, bounds = self.data, zip(self.start.tolist(), self.end.tolist(), strict=True)
        return [data[start:end] if start >= 0 else None for start, end in bounds]

    def take(self, kept: NDArray[np.bool_]) -> Spans:
        """Return some of the values."""
        return Spans(self.data, self.start[kept], self.end[kept])

    def value(self, place: int) -> bytes | None:
        """Cut out one value."""
        start = int(self.start[place])
        return self.data[start : int(self.end[place])] if start >= 0 else None


def spans_of(values: Iterable[bytes | None]) -> Spans:
    """Put values that stand alone into one buffer, apart from each other as they are in a batch."""
    listed = list(values)
    sizes = np.fromiter((len(value or b"") for value in listed), np.int64, len(listed))
    end = np.cumsum(sizes) + np.arange(len(listed))
    gone = np.fromiter((value is None for value in listed), np.bool_, len(listed))
    return Spans(b"\0".join(value or b"" for value in listed), np.where(gone, -1, end - sizes), end)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One row of fingerprints for each value; it means nothing where ``reasons`` has the number of a reason."""

    fingerprints: NDArray[np.uint64]
    reasons: NDArray[np.uint8]


class FieldReader(Protocol):
    """Reads the named columns of every record."""

    def read(self, spans: Spans) -> Read:
        """Return the fingerprints of all values; never raises for what a value holds."""
        ...
