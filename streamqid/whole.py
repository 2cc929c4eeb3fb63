"""A whole table as dense codes, for the questions that a sample cannot answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.intake import Taken
from streamqid.errors import UsageError
from streamqid.measures.partition import Table, table_by_columns
from streamqid.options import column_weights
from streamqid.reading import MEMORY, Pass, known_columns
from streamqid.sampling.fingerprint import MISSING, Encoder, MissingRule
from streamqid.sources.numbers import Numbers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from streamqid.options import Options
    from streamqid.problems.answer import Unreadable

FEW = 16
"""So many declared values are looked for one after the other, which is quicker than to look each cell up."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Values of a column that the question speaks of, such as a mark for suppressed cells."""

    column: str
    values: Sequence[object]


@dataclass(frozen=True, slots=True)
class Found:
    """Where declared values stand: ``rows`` ascending, and the place of each row's value in the declaration."""

    rows: NDArray[np.int64]
    places: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Whole:
    """Every readable row of a table, and how the reading went.

    Exact up to a collision of two fingerprints of a column, whose probability is below n^2 / 2^65 for each column
    (3e-8 for a million different values).
    """

    table: Table
    seed: int
    unreadable: Unreadable
    weights: tuple[float, ...]
    found: tuple[Found, ...] = ()
    """Where the declared values stand, in the order of the declarations."""
    numbers: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    """The values of each ordered column."""

    def stamp(self) -> dict[str, object]:
        """Return the fields of an answer that come from the reading and not from the solver."""
        return {"seed": self.seed, "unreadable": self.unreadable if self.unreadable.found else None}


def read_whole(
    table: object,
    options: Options,
    names: Sequence[str] = (),
    *,
    declared: Sequence[Declared] = (),
    ordered: Sequence[str] = (),
) -> Whole:
    """Read every row of a table: a path, standard input ("-"), or an object in memory.

    ``names`` are columns that the question speaks of; unknown ones are refused, with the nearest name.  The option
    ``memory`` caps the bytes of the fingerprints, 8 for each cell; values are never held.  Only two things outlive the
    fingerprints: where ``declared`` values stand, and the numbers of the ``ordered`` columns, since a fingerprint has
    no order; a value there that is no number is refused.
    """
    run = Pass(table, options)
    numbers = Numbers(ordered, run.source.name)
    progress, memory = options.get("progress"), options.get("memory", MEMORY)
    parts: list[Taken] = []
    rows = nbytes = held = 0
    try:
        columns, batches = known_columns(run.source)
        if run.source.columns:
            run.check(columns, names)
        for batch in batches:
            decoded = batch.decode(np.arange(batch.start, batch.end))
            run.intake.look_at(decoded)
            numbers.add(batch, decoded)
            taken = Taken(batch.origin, decoded.offsets, *run.intake.encode(decoded), decoded.rejects)
            parts.append(taken)
            held += taken.fingerprints.nbytes
            if held > memory:
                raise _too_large(memory)
            rows, nbytes = rows + len(taken.offsets), nbytes + batch.nbytes
            if progress is not None:
                progress(rows, nbytes)
    finally:
        run.source.close()
    if not rows:
        raise run.no_rows()
    found = run.source.columns or tuple(dict.fromkeys([*columns, *(c for part in parts for c in part.columns)]))
    kept = tuple(run.check(found, names))
    if rows * len(kept) * 8 > memory:
        raise _too_large(memory)
    differ = run.missing is MissingRule.DISTINCT
    coded = table_by_columns(kept, _by_column(kept, parts), rows, missing_differ=differ)
    encoder = Encoder(run.secret, run.missing, options.get("markers", ()))
    places = tuple(_find(one, next(_by_column([one.column], parts)), encoder) for one in declared)
    weights = column_weights(kept, options.get("weights", {}))
    return Whole(coded, run.seed, run.intake.unreadable(), weights, places, numbers.columns())


def _too_large(memory: int) -> UsageError:
    return UsageError(
        f"The table does not fit into {memory} bytes, at 8 bytes for each cell: "
        "allow more memory, look at fewer columns, or ask a question that a sample answers."
    )


def _find(declared: Declared, column: NDArray[np.uint64], encoder: Encoder) -> Found:
    """Find the cells that hold a declared value, by its fingerprint."""
    encoded = encoder.encode([declared.column], [list(declared.values)], len(declared.values))[:, 0]
    wanted, places = np.unique(encoded, return_index=True)
    if len(wanted) <= FEW:
        found = [np.flatnonzero(column == value) for value in wanted]
        rows = np.concatenate(found)
        order = np.argsort(rows)
        return Found(rows[order], np.repeat(places, [len(one) for one in found])[order])
    at = np.minimum(np.searchsorted(wanted, column), len(wanted) - 1)
    rows = np.flatnonzero(wanted[at] == column)
    return Found(rows, places[at[rows]])


def _by_column(columns: Sequence[str], parts: Sequence[Taken]) -> Iterator[NDArray[np.uint64]]:
    """Yield the fingerprints of each column; a field that a part of the table does not have is missing there."""
    for column in columns:
        yield np.concatenate(
            [
                part.fingerprints[:, part.columns.index(column)]
                if column in part.columns
                else np.full(len(part.offsets), MISSING, np.uint64)
                for part in parts
            ]
        )
