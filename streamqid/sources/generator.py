"""Synthetic microdata as a source, as CSV or JSON lines, and the exact truth about it.

The truth is counted from all rows with code of its own, so that it can judge the measures of the product.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import reduce
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from streamqid.errors import UsageError
from streamqid.records import ABSENT, Origin, Rows
from streamqid.sources.population import (
    NO_FIELD,
    PRESENT,
    Cells,
    Drift,
    DriftKind,
    Population,
    Words,
    mix,
    unknown_column,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.int64]

__all__ = [
    "Drift", "DriftKind", "GeneratedBatch", "GeneratorSource", "Population",
    "default_drift", "truth", "write_csv", "write_jsonl",
]  # fmt: skip

ORIGIN = Origin("generated")
ROW_BYTES = 100  # what a row is said to weigh: about one line of CSV
_CHUNK = 16_384
_STATES = Words(("", "null", "absent"))


def default_drift(rows: int) -> Drift:
    """Return the drift that turns {age, sex, region} from safe to identifying in the middle of ``rows``."""
    return Drift(DriftKind.FINER, "region", rows // 2)


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


def _chunks(rows: int) -> Iterator[Codes]:
    """Yield all row numbers in arrays that fit into the cache."""
    for first in range(0, rows, _CHUNK):
        yield np.arange(first, min(first + _CHUNK, rows), dtype=np.int64)


def _render(pieces: Sequence[tuple[Codes, Words]]) -> bytes:
    """Return the texts of all pieces row by row: laid out in fixed widths, then without the padding."""
    layout = [(f"piece{j}", words.glyphs.dtype) for j, (_, words) in enumerate(pieces)]
    page = np.empty(len(pieces[0][0]), layout)
    for (name, _), (codes, words) in zip(layout, pieces, strict=True):
        page[name] = words.glyphs.take(codes) if codes.any() else words.glyphs[0]
    coded = page.view(np.uint8)
    return bytes(coded[coded != 0])


def write_csv(population: Population, rows: int, out: BinaryIO) -> None:
    """Write a header and ``rows`` lines; a null and a field that is not there are both an empty field."""
    population.check_rows(rows)
    out.write(",".join(population.columns).encode())
    glue = [Words((mark,) * 3) for mark in "\n" + "," * (len(population.columns) - 1)]
    for numbers in _chunks(rows):
        pieces = []
        for mark, cells in zip(glue, population.cells(population.columns, numbers), strict=True):
            pieces += [(cells.state, mark), *cells.parts]
        out.write(_render(pieces))
    out.write(b"\n")


def write_jsonl(population: Population, rows: int, out: BinaryIO) -> None:
    """Write ``rows`` JSON objects, one a line; a null is null and a field that is not there has no key."""
    population.check_rows(rows)
    marks = [f'{"," if j else "{"}"{column}":' for j, column in enumerate(population.columns)]
    bare = [Words((mark, f"{mark}null", "")) for mark in marks]
    quoted = [Words((f'{mark}"', f"{mark}null", "")) for mark in marks]
    quote, last = Words(('"', "", "")), Words(("}\n",))
    for numbers in _chunks(rows):
        pieces = []
        for j, cells in enumerate(population.cells(population.columns, numbers)):
            if cells.number:
                pieces += [(cells.state, bare[j]), *cells.parts]
            else:
                pieces += [(cells.state, quoted[j]), *cells.parts, (cells.state, quote)]
        out.write(_render([*pieces, (np.zeros_like(numbers), last)]))


def _keys(population: Population, columns: Sequence[str], rows: int) -> NDArray[np.uint64]:
    """Return a number for each row that two rows share if and only if they agree in these columns.

    Exact while the combinations of codes fit into 64 bits; else mixed, and then any two of n different rows
    are taken for equal with a probability of about n * n / 2**65 (3e-6 for 10 million rows).
    """
    keys = np.zeros(rows, np.uint64)
    for numbers in _chunks(rows):
        key, span = np.zeros(len(numbers), np.uint64), 1
        for cells in population.cells(columns, numbers):
            for codes, words in ((cells.state, _STATES), *cells.parts):
                size = len(words.texts)
                span *= size
                key = (key * np.uint64(size) if span <= 1 << 64 else mix(key)) + codes.astype(np.uint64)
        keys[numbers] = key
    return keys


def _count(columns: Sequence[str], keys: NDArray[np.uint64]) -> dict[str, object]:
    """Return the exact measures of one column set; None where there is no pair or no row to measure."""
    n = len(keys)
    sizes = np.unique(keys, return_counts=True)[1]
    pairs, same = n * (n - 1), int((sizes * (sizes - 1)).sum())
    return {
        "columns": list(columns),
        "separation": (pairs - same) / pairs if pairs else None,
        "distinct": len(sizes) / n if n else None,
        "unique_rows": int((sizes == 1).sum()),
        "groups": len(sizes),
        "smallest_group": int(sizes.min(initial=n)),
    }


def truth(population: Population, rows: int, column_sets: Sequence[Sequence[str]] = ()) -> dict[str, object]:
    """Return the exact measures of these column sets, of every column and of all columns, ready for JSON.

    ``sets`` is about all rows; ``segments`` holds the same for each stretch of rows between the beginnings,
    full strengths and ends of the drifts.  Null is a value like any other, and so is a field that is not
    there: the two differ (in CSV they do not).  Needs 8 bytes a row, twice while sorting.
    """
    population.check_rows(rows)
    columns = population.columns
    unknown = [column for asked in column_sets for column in asked if column not in columns]
    if unknown:
        raise unknown_column(unknown[0], columns)
    wanted = dict.fromkeys([*map(tuple, column_sets), *((column,) for column in columns), columns])
    cuts = {cut for d in population.drifts for cut in (0, d.at_row, d.at_row + d.over, d.until_row or rows, rows)}
    stretches = [(0, rows), *pairwise(sorted(cut for cut in cuts if cut <= rows))]
    counts: list[list[dict[str, object]]] = [[] for _ in stretches]
    for asked in wanted:
        keys = _keys(population, asked, rows)
        for count, (first, end) in zip(counts, stretches, strict=True):
            count.append(_count(asked, keys[first:end]))
    segments = [
        {"first_row": first, "end_row": end, "sets": count}
        for count, (first, end) in zip(counts[1:], stretches[1:], strict=True)
    ]
    about = {"rows": rows, "seed": population.seed, "columns": list(columns), "sets": counts[0]}
    return {**about, "drifts": [asdict(drift) for drift in population.drifts], "segments": segments}
