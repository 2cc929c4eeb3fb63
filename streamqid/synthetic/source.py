"""A population as a source of records."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from streamqid.errors import UsageError
from streamqid.records import ABSENT, Origin, Rows
from streamqid.synthetic.cells import NO_FIELD, PRESENT, Cells

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from streamqid.synthetic.population import Population

    Codes = NDArray[np.int64]

ORIGIN = Origin("generated")
ROW_BYTES = 100  # what a row is said to weigh: about one line of CSV


def _values(cells: Cells) -> list[object]:
    """Return the Python values of a column: text, or int and float; None for null and ABSENT for no field."""
    texts: list[str] = reduce(add, (words.strings[codes] for codes, words in cells.parts)).tolist()
    values: list[object] = [*texts]
    if cells.number:
        values = [float(text) if "." in text else int(text or 0) for text in texts]
    for i in np.flatnonzero(cells.state != PRESENT).tolist():
        values[i] = ABSENT if cells.state[i] == NO_FIELD else None
    return values


@dataclass(frozen=True, slots=True)
class GeneratedBatch:
    """Rows ``start`` to ``end`` of a population; nothing is made before ``decode`` asks for it."""

    population: Population
    start: int
    end: int
    origin: Origin = ORIGIN

    @property
    def count(self) -> int:
        """The number of rows: there are no gaps."""
        return self.end - self.start

    @property
    def nbytes(self) -> int:
        """A nominal size, for progress only."""
        return self.count * ROW_BYTES

    def event_time(self, offsets: Codes) -> NDArray[np.float64]:
        """Return when these rows happen, in seconds since 1970."""
        return self.population.event_time(offsets)

    def decode(self, offsets: Codes) -> Rows:
        """Make the rows at these offsets; a column that none of them has is left out."""
        offsets = np.asarray(offsets, np.int64)
        offsets = offsets[(offsets >= self.start) & (offsets < self.end)]
        columns = self.population.columns
        made = dict(zip(columns, self.population.cells(columns, offsets), strict=True))
        for column in self.population.late_columns:
            if (made[column].state == NO_FIELD).all():
                del made[column]
        return Rows(offsets, tuple(made), [_values(cells) for cells in made.values()])


class GeneratorSource:
    """A population of ``rows`` rows as a log: offset and row number are the same."""

    def __init__(self, population: Population, rows: int, batch_rows: int = 65_536, first_row: int = 0) -> None:
        population.check_rows(rows)
        if batch_rows < 1 or not 0 <= first_row <= rows:
            raise UsageError("A batch holds 1 row or more, and the first row lies within the rows.")
        self._population, self._rows, self._batch_rows, self._first = population, rows, batch_rows, first_row

    @property
    def name(self) -> str:
        """What to call it in front of a person."""
        return f"generated rows (seed {self._population.seed})"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that exist from the first row on."""
        late = self._population.late_columns
        return tuple(column for column in self._population.columns if column not in late)

    @property
    def total_bytes(self) -> int:
        """The nominal size of all batches."""
        return (self._rows - self._first) * ROW_BYTES

    def event_time(self, offsets: Codes) -> NDArray[np.float64]:
        """Return when these rows happen, in seconds since 1970."""
        return self._population.event_time(offsets)

    def batches(self) -> Iterator[GeneratedBatch]:
        """Yield all rows in ascending order."""
        for start in range(self._first, self._rows, self._batch_rows):
            yield GeneratedBatch(self._population, start, min(start + self._batch_rows, self._rows))

    def close(self) -> None:
        """Release nothing."""
