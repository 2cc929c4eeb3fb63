"""Tables that the caller of the library holds already."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.errors import TableError
from streamqid.sources import arrow
from streamqid.sources.batches import FREE_ROWS, BlockBatch, Items
from streamqid.sources.columns import ColumnSource, library_of
from streamqid.sources.nesting import flatten, tabulate

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from streamqid.records import Reason, Source
    from streamqid.sources.batches import Tabulated

_ACCEPTED = (
    "give a data frame of pandas or polars, a table of pyarrow, a structured or 2-D array of numpy, "
    "a dict of columns or an iterable of dicts"
)


def from_object(data: object) -> Source:
    """Read a table that is in memory, without a copy of the whole and without importing its library.

    Parameters
    ----------
    data
        A data frame of pandas or polars, a table or record batch of pyarrow, a structured array of numpy,
        a 2-D array of numpy (its columns are named c0, c1, …), a dict that maps names to columns, or an
        iterable of mappings.  Nested fields become columns that are named by their path (``address.zip``).

    Raises
    ------
    TableError
        The object is none of these, or its columns are not named or not of one length.
    """
    if isinstance(data, str | bytes | os.PathLike):
        raise TableError("Rows were expected, not text or bytes: give the path of a file as a str or a Path.")
    library = library_of(data)
    if library is not None:
        return _from_library(data, library)
    if isinstance(data, np.ndarray):
        return _from_array(data)
    if isinstance(data, Mapping):
        return _from_columns(data)
    if isinstance(data, Iterable):
        return MappingSource(data)
    raise TableError(f"An object of type {type(data).__name__} is not a table: {_ACCEPTED}.")


class MappingSource:
    """Rows as mappings, which may differ in their keys and are gone through once."""

    name = "the given rows"
    columns: tuple[str, ...] = ()
    total_bytes = None

    def __init__(self, rows: Iterable[object]) -> None:
        self._rows = rows

    def batches(self) -> Iterator[BlockBatch]:
        """Yield the rows in groups."""
        rows, start = iter(self._rows), 0
        while group := list(islice(rows, FREE_ROWS)):
            yield BlockBatch(_Mappings(group), start, 0)
            start += len(group)

    def close(self) -> None:
        """Do nothing: the rows belong to the caller."""


class _Mappings(Items):
    def read(self, rows: NDArray[np.int64]) -> list[dict[str, object] | Reason]:
        return [flatten(self.items[row]) for row in rows]

    def tabulate(self, good: list[dict[str, object]]) -> Tabulated:
        return tabulate(good)


def _from_library(data: Any, library: str) -> ColumnSource:
    kind = type(data).__name__
    name = f"the {library} {kind}"
    if library == "pandas" and hasattr(data, "itertuples"):
        columns = [data.iloc[:, at] for at in range(data.shape[1])]
        return ColumnSource(name, data.columns, columns, len(data))
    if library == "polars" and hasattr(data, "get_columns"):
        fields = [field for series in data.get_columns() for field in _polars_fields(series.name, series)]
        return ColumnSource(name, [path for path, _ in fields], [series for _, series in fields], data.height)
    if library == "pyarrow" and hasattr(data, "num_rows"):
        table = arrow.flat_table(data)
        return ColumnSource(name, table.column_names, table.columns, table.num_rows)
    if hasattr(data, "collect"):
        raise TableError(f"A {library} {kind} holds no rows yet: call its collect() first.")
    raise TableError(f"A {library} {kind} is not a table: {_ACCEPTED}.")


def _polars_fields(path: str, series: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(series.dtype, "fields"):
        yield path, series
        return
    for field in series.struct.fields:
        yield from _polars_fields(f"{path}.{field}", series.struct.field(field))


def _from_array(data: NDArray[Any]) -> ColumnSource:
    name = "the numpy array"
    if data.dtype.names is not None and data.ndim == 1:
        fields = list(_array_fields("", data))
        return ColumnSource(name, [path for path, _ in fields], [field for _, field in fields], len(data))
    if data.dtype.names is None and data.ndim == 2:
        names = [f"c{at}" for at in range(data.shape[1])]
        return ColumnSource(name, names, list(data.T), len(data))
    raise TableError(f"A numpy array of {data.ndim} dimensions without fields is not a table: {_ACCEPTED}.")


def _array_fields(prefix: str, data: NDArray[Any]) -> Iterator[tuple[str, NDArray[Any]]]:
    for field in data.dtype.names or ():
        column = data[field]
        if column.dtype.names is None:
            yield prefix + field, column
        else:
            yield from _array_fields(f"{prefix}{field}.", column)


def _from_columns(data: Mapping[Any, Any]) -> ColumnSource:
    for key, column in data.items():
        if isinstance(column, str | bytes | Mapping) or not _is_column(column):
            raise TableError(f"Column {key} is no sequence of values: {_ACCEPTED}.")
    lengths = {len(column) for column in data.values()}
    if len(lengths) > 1:
        raise TableError("The columns differ in length: give each row a value in every column.")
    return ColumnSource("the given columns", data, list(data.values()), max(lengths, default=0))


def _is_column(column: object) -> bool:
    return isinstance(column, Sequence | np.ndarray) or (
        library_of(column) is not None and hasattr(column, "__len__") and hasattr(column, "__getitem__")
    )
