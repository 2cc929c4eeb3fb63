"""The numbers in columns whose order a question needs."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import TYPE_CHECKING

import numpy as np

from streamqid.errors import TableError
from streamqid.sources.batches import BlockBatch

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.records import Batch, Rows


class Numbers:
    """Collects the numbers of some columns, batch by batch; anything that is no number is refused."""

    def __init__(self, columns: Sequence[str], table: str) -> None:
        self._table = table
        self._parts: dict[str, list[NDArray[np.float64]]] = {column: [] for column in columns}

    def add(self, batch: Batch, rows: Rows) -> None:
        """Take the numbers of a decoded batch."""
        for column, parts in self._parts.items():
            if column not in rows.columns:  # Perhaps unknown, which is told when all columns are known.
                parts.append(np.full(len(rows.offsets), np.nan))
                continue
            numbers = [number(value) for value in rows.values[rows.columns.index(column)]]
            if None in numbers:
                offset = int(rows.offsets[numbers.index(None)])
                raise self._refusal(column, batch.line(offset) if isinstance(batch, BlockBatch) else offset + 1)
            parts.append(np.array(numbers, np.float64))

    def columns(self) -> dict[str, NDArray[np.float64]]:
        """Return the numbers of each column, in the order of the rows."""
        joined = {column: np.concatenate(parts) for column, parts in self._parts.items()}
        for column, numbers in joined.items():
            absent = np.isnan(numbers)
            if absent.any():
                raise self._refusal(column, int(np.argmax(absent)) + 1)
        return joined

    def _refusal(self, column: str, line: int) -> TableError:
        return TableError(
            f"Line {line} of {self._table} has no number in column {column!r}, which is declared as ordered: "
            "correct it, or do not declare the column."
        )


def number(value: object) -> float | None:
    """Return a finite number, also one that is written as text; None for anything else.

    >>> number(" 1.5 "), number(3), number("1e400"), number("1_000"), number(True)
    (1.5, 3.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    if isinstance(value, str) and "_" in value:
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None
