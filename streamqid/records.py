"""What travels from a source to the sampler: batches of records, decoded only on demand.

A record is a row about a person.  It is identified by its origin (the log that it stands in) and its
offset there, and by nothing else: the sample is a pure function of these two numbers and the secret.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray


class Absent(enum.Enum):
    """The field does not occur in the record (which differs from a field that is null)."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT


class Reason(enum.StrEnum):
    """Why a record could not be read.  The word is used in counts, messages and metrics."""

    BLANK = "blank line"
    RAGGED = "wrong number of fields"
    ENCODING = "not valid UTF-8"
    NUL = "NUL byte"
    NOT_JSON = "not valid JSON"
    NOT_OBJECT = "not a JSON object"
    TOO_LARGE = "too large"
    TOO_DEEP = "nested too deeply"
    TOO_WIDE = "too many fields"
    TOMBSTONE = "no row (tombstone or delete)"


@dataclass(frozen=True, slots=True)
class Origin:
    """The log in which offsets count: one partition of a topic, or one file.

    ``id`` names a log that can be deleted and made anew under its old name, as a topic can.
    """

    name: str
    partition: int = 0
    id: str = ""

    @property
    def log(self) -> str:
        """What tells logs apart: the id where there is one, else the name."""
        return self.id or self.name


@dataclass(frozen=True, slots=True)
class Reject:
    """A record that was looked at and could not be read: where it stands and why, never what it says."""

    offset: int
    reason: Reason
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Rows:
    """Decoded records, column by column: ``values[j][i]`` is column ``columns[j]`` of record ``offsets[i]``."""

    offsets: NDArray[np.int64]
    columns: tuple[str, ...]
    values: list[list[object]]
    rejects: list[Reject] = field(default_factory=list)


class Batch(Protocol):
    """Consecutive records of one origin, not yet decoded."""

    @property
    def origin(self) -> Origin:
        """The log that the offsets count in."""
        ...

    @property
    def start(self) -> int:
        """First offset."""
        ...

    @property
    def end(self) -> int:
        """One past the last offset."""
        ...

    @property
    def count(self) -> int:
        """Number of records; smaller than ``end - start`` where the log has gaps."""
        ...

    @property
    def nbytes(self) -> int:
        """Bytes that the batch took in the input."""
        ...

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        """Read the records at these ascending offsets.

        Every offset that exists in the batch comes back exactly once, as a row or as a reject; an offset
        in a gap comes back as neither.  Never raises for what a record contains.
        """
        ...


class Source(Protocol):
    """A readable log.  ``batches`` is called once, by one thread, and yields in ascending offsets."""

    @property
    def name(self) -> str:
        """What to call it in front of a person."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns known before the first record, in their own order; empty when there is no header."""
        ...

    @property
    def total_bytes(self) -> int | None:
        """Size of what ``nbytes`` of all batches adds up to, if known beforehand (for progress)."""
        ...

    def batches(self) -> Iterator[Batch]:
        """Read the log once."""
        ...

    def close(self) -> None:
        """Release what the source holds; allowed at any time."""
        ...
