"""Tables that are held as columns: of numpy, pandas, polars, pyarrow or plain sequences.

No library of data frames is imported: an object of one brings the methods that are used here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.records import Reason
from streamqid.sources import arrow
from streamqid.sources.batches import BlockBatch, sliced, windows
from streamqid.sources.names import checked_names
from streamqid.sources.nesting import SCALARS, flatten, plain, tabulate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from streamqid.sources.batches import Tabulated


class ColumnBlock:
    """Rows of some columns, from ``start`` on."""

    def __init__(self, names: tuple[str, ...], columns: Sequence[Any], start: int, count: int) -> None:
        self.count = count
        self._names = names
        self._columns = columns
        self._start = start

    def clean(self, rows: NDArray[np.int64]) -> Tabulated | None:
        """Convert these rows only, if no value is nested."""
        values = self._take(rows)
        return (self._names, values) if all(_scalar(column) for column in values) else None

    def read(self, rows: NDArray[np.int64]) -> list[dict[str, object] | Reason]:
        """Convert these rows and make them flat."""
        return [self._flat(row) for row in zip(*self._take(rows), strict=True)]

    def tabulate(self, good: list[dict[str, object]]) -> Tabulated:
        """Turn rows into columns, which are more than there were where some were nested."""
        return tabulate(good) if good else (self._names, [[] for _ in self._names])

    def lines(self, rows: NDArray[np.int64]) -> list[None]:
        """Say of each of these rows that it has no line."""
        return [None] * len(rows)

    def _take(self, rows: NDArray[np.int64]) -> list[list[object]]:
        return [values_of(column, rows + self._start) for column in self._columns]

    def _flat(self, row: tuple[object, ...]) -> dict[str, object] | Reason:
        if any(value is Reason.ENCODING for value in row):
            return Reason.ENCODING
        return flatten(dict(zip(self._names, row, strict=True)))


class ColumnSource:
    """A table in memory.  Where a column holds mappings, whose fields are columns too, rows alone tell all columns."""

    total_bytes = None

    def __init__(self, name: str, names: Iterable[object], columns: Sequence[Any], length: int) -> None:
        self.name = name
        self._names = checked_names(names, name)
        self.columns = () if any(map(_holds_mappings, columns)) else self._names
        self._columns = columns
        self._length = length

    def batches(self) -> Iterator[BlockBatch]:
        """Yield parts of the table, of which only rows that are asked for are converted."""
        for start, end in windows(self._length):
            batch = BlockBatch(ColumnBlock(self._names, self._columns, start, end - start), start, 0)
            yield from [batch] if self.columns else sliced(batch)

    def close(self) -> None:
        """Do nothing: the table belongs to the caller."""


def library_of(data: object) -> str | None:
    """Name the library of data frames that an object, or what it inherits from, belongs to."""
    roots = (kind.__module__.partition(".")[0] for kind in type(data).__mro__)
    return next((root for root in roots if root in ("pandas", "polars", "pyarrow")), None)


def values_of(column: Any, rows: NDArray[np.int64]) -> list[object]:
    """Take these rows of a column and only then turn them into Python values; missing ones are None."""
    library = library_of(column)
    if library == "pandas":
        part = column.take(rows)
        values, missing = part.tolist(), np.asarray(part.isna(), np.bool_)
        for row in np.flatnonzero(missing).tolist():
            values[row] = None
        return values if _scalar(values) else list(map(_plain, values))
    if library == "polars":
        return _polars_values(column.gather(rows))
    if library == "pyarrow":
        return arrow.values_of(column.take(rows))
    if isinstance(column, np.ndarray):
        values = column[rows].tolist()
        return values if _scalar(values) else list(map(_plain, values))
    return [_plain(column[row]) for row in rows.tolist()]


def _holds_mappings(column: Any) -> bool:
    """Look at the types of all values, unless the type of the column tells that none is a mapping."""
    library, kind = library_of(column), getattr(column, "dtype", None)
    typed = library == "pyarrow" or (library == "polars" and str(kind) != "Object")
    # pandas' own type of texts is of the kind of objects, and slow to look through.
    if typed or getattr(kind, "type", None) is str or getattr(kind, "kind", "O") != "O":
        return False
    return any(issubclass(found, Mapping) for found in set(map(type, column)))


def _polars_values(series: Any) -> list[object]:
    values: list[object] = series.to_list()
    in_nanoseconds = getattr(series.dtype, "time_unit", None) == "ns" or str(series.dtype) == "Time"
    return arrow.exact_or_count(series.to_physical().to_list(), values) if in_nanoseconds else values


def _scalar(values: Sequence[object]) -> bool:
    """Whether no value has to be made plain."""
    return SCALARS.issuperset(map(type, values))


def _plain(value: object) -> object:
    return value if type(value) in SCALARS else plain(value)
