"""Batches of the rows of a table: numbered from 0, decoded only where asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from streamqid.records import Origin, Reason, Reject, Rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

TABLE = Origin("table")
"""The origin of every table: equal rows give an equal sample, whatever the file is called."""

BATCH_ROWS = 1 << 16
"""Rows of a batch where they come without a size in bytes."""

FREE_ROWS = 1 << 11
"""Rows of a batch where each row may name fields of its own, so that rows times names stay few."""

Tabulated: TypeAlias = tuple[tuple[str, ...], list[list[object]]]
"""Column names, and the values of each column."""


class Block(Protocol):
    """Consecutive rows that can be read one by one; their numbers count from 0 within the block."""

    @property
    def count(self) -> int:
        """How many rows it holds."""
        ...

    def clean(self, rows: NDArray[np.int64]) -> Tabulated | None:
        """Read these ascending rows at once, or return None if that is no gain or one of them may be bad."""
        ...

    def read(self, rows: NDArray[np.int64]) -> Sequence[Any]:
        """Read these ascending rows, each as something that ``tabulate`` takes or as the reason why not."""
        ...

    def tabulate(self, good: list[Any]) -> Tabulated:
        """Turn what was read into columns."""
        ...

    def lines(self, rows: NDArray[np.int64]) -> Sequence[int | None]:
        """Physical line, from 1, on which each of these rows starts; None where there are none, only numbers."""
        ...


@dataclass(frozen=True, slots=True)
class BlockBatch:
    """A block at its place in the table."""

    block: Block
    start: int
    nbytes: int
    origin: Origin = TABLE

    @property
    def count(self) -> int:
        """How many rows it holds."""
        return self.block.count

    @property
    def end(self) -> int:
        """One past the last offset; a table has no gaps."""
        return self.start + self.block.count

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        """Read the rows at these ascending offsets."""
        rows = within(offsets, self.start, self.end)
        clean = self.block.clean(rows)
        if clean is not None:
            return Rows(rows + self.start, *clean)
        read = self.block.read(rows)
        is_bad = np.fromiter((isinstance(row, Reason) for row in read), bool, len(rows))
        good = [row for row in read if not isinstance(row, Reason)]
        columns, values = self.block.tabulate(good)
        rejects = self._rejects(rows[is_bad], [row for row in read if isinstance(row, Reason)])
        return Rows(rows[~is_bad] + self.start, columns, values, rejects)

    def line(self, offset: int) -> int:
        """Return the line on which the row at this offset starts, or its number from 1 where there are no lines."""
        (line,) = self.block.lines(np.array([offset - self.start]))
        return offset + 1 if line is None else line

    def _rejects(self, rows: NDArray[np.int64], reasons: list[Reason]) -> list[Reject]:
        """Say where the bad rows stand: a person counts rows from 1, as lines."""
        offsets = (rows + self.start).tolist()
        places = zip(offsets, reasons, self.block.lines(rows), strict=True)
        return [Reject(at, reason, at + 1 if line is None else line) for at, reason, line in places]


@dataclass(frozen=True, slots=True)
class _Slice:
    """Consecutive rows of a block, from row ``first`` on."""

    block: Block
    first: int
    count: int

    def clean(self, rows: NDArray[np.int64]) -> Tabulated | None:
        return self.block.clean(rows + self.first)

    def read(self, rows: NDArray[np.int64]) -> Sequence[Any]:
        return self.block.read(rows + self.first)

    def tabulate(self, good: list[Any]) -> Tabulated:
        return self.block.tabulate(good)

    def lines(self, rows: NDArray[np.int64]) -> Sequence[int | None]:
        return self.block.lines(rows + self.first)


def sliced(batch: BlockBatch) -> Iterator[BlockBatch]:
    """Yield a batch of rows with fields of their own in slices, over which its bytes are spread."""
    for first in range(0, batch.count, FREE_ROWS):
        end = min(first + FREE_ROWS, batch.count)
        nbytes = batch.nbytes * end // batch.count - batch.nbytes * first // batch.count
        yield BlockBatch(_Slice(batch.block, first, end - first), batch.start + first, nbytes, batch.origin)


class Items:
    """A block of things that are already apart, with no lines of their own."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = items
        self.count = len(items)

    def clean(self, rows: NDArray[np.int64]) -> None:
        """Say that they are to be read one by one."""

    def lines(self, rows: NDArray[np.int64]) -> list[None]:
        """Say of each of these rows that it has no line."""
        return [None] * len(rows)


def within(offsets: NDArray[np.int64], start: int, end: int) -> NDArray[np.int64]:
    """Keep the offsets from ``start`` to before ``end`` and count them from 0."""
    first, last = np.searchsorted(offsets, (start, end))
    return offsets[first:last] - start


def windows(length: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of consecutive batches of this many rows together."""
    for start in range(0, length, BATCH_ROWS):
        yield start, min(start + BATCH_ROWS, length)
