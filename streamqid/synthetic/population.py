"""A made-up insured population in which every row is a pure function of the seed and the row number.

There is no random generator with a state, so any slice can be made alone and in any order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.errors import UsageError
from streamqid.synthetic.attributes import attributes, thresholds
from streamqid.synthetic.cells import DECIMALS, ENDS, NO_FIELD, NULL, PRESENT, Cells, identifiers, times
from streamqid.synthetic.draws import chance, draw
from streamqid.synthetic.drift import Drift, DriftKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

CHUNK = 16_384
_LATEST = 12_000_000_000  # seconds since 1970: event times end in the year 2350


@dataclass(frozen=True, slots=True)
class Population:
    """The people of one seed.

    ``missing`` is the share of nulls in the columns that have gaps, ``identifier`` and ``time`` add a column
    each, and row ``i`` happens ``i / rate`` seconds after ``start`` (in seconds since 1970).
    """

    seed: int = 0
    missing: float = 0.02
    drifts: tuple[Drift, ...] = ()
    identifier: bool = True
    time: bool = False
    start: float = 1_767_225_600.0
    rate: float = 1_000.0

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        if not 0 <= self.missing <= 1:
            raise UsageError("The share of missing values must lie between 0 and 1.")
        if not (0 < self.rate < np.inf and 0 <= self.start < _LATEST):
            raise UsageError("The rate must be above 0 rows a second and the start a time since 1970.")
        if self.columns == self.late_columns:
            raise UsageError("All columns appear late: leave at least one that exists from the first row on.")

    @property
    def late_columns(self) -> tuple[str, ...]:
        """The columns that a drift of kind ``new`` brings."""
        return tuple(column for column in attributes() if self._drifts(DriftKind.NEW, column))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in the order of the table; those that appear late stand last."""
        early = tuple(column for column in attributes() if column not in self.late_columns)
        return ("person_id",) * self.identifier + ("time",) * self.time + early + self.late_columns

    def check_rows(self, rows: int) -> None:
        """Refuse a number of rows that is negative or that a drift or the calendar does not fit into."""
        if rows < 0:
            raise UsageError("The number of rows must be 0 or more.")
        last = max((drift.at_row for drift in self.drifts), default=-1)
        if last >= rows:
            raise UsageError(f"A drift begins at row {last}, beyond the {rows} rows: begin it earlier.")
        if self.start + rows / self.rate >= _LATEST:
            raise UsageError("The last row would happen after the year 2350: make fewer rows, or raise the rate.")

    def event_time(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return when each row happens, in seconds since 1970."""
        return np.asarray(self.start + rows / self.rate, np.float64)

    def cells(self, columns: Sequence[str], rows: NDArray[np.int64]) -> list[Cells]:
        """Return these columns of these rows (any rows, in any order); the parts of a column never vary."""
        drawn: dict[str, NDArray[np.int64]] = {}
        return [self._column(column, rows, drawn) for column in columns]

    def _drifts(self, kind: DriftKind, column: str) -> list[Drift]:
        return [drift for drift in self.drifts if drift.kind == kind and drift.column == column]

    def _touched(self, kind: DriftKind, column: str, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        touched = np.zeros(len(rows), np.bool_)
        for drift in self._drifts(kind, column):
            touched |= drift.active(self.seed, rows)
        return touched

    def _column(self, column: str, rows: NDArray[np.int64], drawn: dict[str, NDArray[np.int64]]) -> Cells:
        """Return what is seen of a column: what was drawn, less what is missing, finer where it drifts."""
        if column == "person_id":
            return identifiers(self.seed, rows)
        if column == "time":
            return times(self.event_time(rows))
        attribute = attributes()[column]
        state = np.where(self._touched(DriftKind.MISSING, column, rows), NULL, PRESENT)
        if attribute.gaps and self.missing:
            state[chance(self.seed, f"{column}/missing", rows) < self.missing] = NULL
        if self._drifts(DriftKind.NEW, column):
            state[~self._touched(DriftKind.NEW, column, rows)] = NO_FIELD
        parts = [((self._drawn(column, rows, drawn) + 1) * (state == PRESENT), attribute.words)]
        if self._drifts(DriftKind.FINER, column):
            words = DECIMALS if attribute.number else ENDS
            end = draw(self.seed, f"{column}/finer", rows) % np.uint64(len(words.texts) - 1)
            seen = self._touched(DriftKind.FINER, column, rows) & (state == PRESENT)
            parts.append(((end.astype(np.int64) + 1) * seen, words))
        return Cells(state, tuple(parts), attribute.number)

    def _drawn(self, column: str, rows: NDArray[np.int64], drawn: dict[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the index of each row's value, by inverting the distribution that its parents select."""
        if column not in drawn:
            attribute = attributes()[column]
            size = attribute.weights.shape[1]
            base = np.zeros(len(rows), np.int64)
            for parent in attribute.parents:
                base = base * attributes()[parent].weights.shape[1] + self._drawn(parent, rows, drawn)
            luck = (base << 32) + (draw(self.seed, column, rows) >> np.uint64(32)).astype(np.int64)
            index = np.searchsorted(thresholds(column, False), luck, "right")
            if self._drifts(DriftKind.FLAT, column):
                flat = np.searchsorted(thresholds(column, True), luck, "right")
                index = np.where(self._touched(DriftKind.FLAT, column, rows), flat, index)
            drawn[column] = index - base * size
        return drawn[column]


def chunks(rows: int) -> Iterator[NDArray[np.int64]]:
    """Yield all row numbers in arrays that fit into the cache."""
    for first in range(0, rows, CHUNK):
        yield np.arange(first, min(first + CHUNK, rows), dtype=np.int64)
