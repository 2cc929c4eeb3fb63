"""Turning columns of pyarrow into Python values.

pyarrow has no type stubs and may be absent: all of it is ``Any`` here, and it is imported only when called.
"""

from __future__ import annotations

import importlib
from typing import Any

from streamqid.records import Reason


def flat_table(table: Any) -> Any:
    """Return a table (or record batch) as a table in which each field of a struct is a column of its own."""
    pyarrow = importlib.import_module("pyarrow")
    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    while any(pyarrow.types.is_struct(kind) for kind in table.schema.types):
        table = table.flatten()
    return table


def values_of(column: Any) -> list[object]:
    """Convert a column; text in it that is not valid UTF-8 comes as ``Reason.ENCODING``."""
    if getattr(column.type, "unit", None) == "ns":
        return _nanoseconds(column)
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        return [_value(scalar) for scalar in column]


def _value(scalar: Any) -> object:
    """Convert one value; a date that Python does not have comes as a count of its units."""
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        return Reason.ENCODING
    except (ValueError, OverflowError):
        return getattr(scalar, "value", None)


def _nanoseconds(column: Any) -> list[object]:
    """Convert moments or spans, as a count of nanoseconds where Python's microseconds do not suffice.

    pyarrow's own conversion depends on whether pandas is installed.
    """
    pyarrow = importlib.import_module("pyarrow")
    kind = column.type
    if pyarrow.types.is_timestamp(kind):
        coarse = pyarrow.timestamp("us", kind.tz)
    else:
        coarse = pyarrow.duration("us") if pyarrow.types.is_duration(kind) else pyarrow.time64("us")
    counts = column.cast(pyarrow.int64()).to_pylist()
    return exact_or_count(counts, values_of(column.cast(coarse, safe=False)))


def exact_or_count(counts: list[int | None], rounded: list[object]) -> list[object]:
    """Keep the rounded value of a count of nanoseconds where nothing was lost, else the count."""
    return [count if count and count % 1000 else value for count, value in zip(counts, rounded, strict=True)]
