"""The first pass over a table: its microdata as codes, and the reasons to refuse it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize.microdata import Microdata
from streamqid.audits.sentences import how_many
from streamqid.errors import TableError, UsageError
from streamqid.records import ABSENT
from streamqid.sources.numbers import number
from streamqid.sources.parquet import ParquetSource

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

    from streamqid.anonymize.request import Request
    from streamqid.anonymizing.roles import Roles
    from streamqid.reading import Pass
    from streamqid.records import Rows


class _Coded:
    """One column as numbers, by the order in which values come up.

    Values are equal if they are written alike: a reader tells 0.0 from -0.0, and null from a field that is absent.
    """

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}
        self.values: list[object] = []
        self.parts: list[NDArray[np.int32]] = []

    def add(self, values: Sequence[object]) -> None:
        keys = [value if type(value) is str else (type(value), repr(value)) for value in values]
        for key, value in zip(keys, values, strict=True):
            if key not in self.numbers:
                self.numbers[key] = len(self.values)
                self.values.append(value)
        self.parts.append(np.fromiter(map(self.numbers.__getitem__, keys), np.int32, len(keys)))

    def codes(self) -> NDArray[np.int32]:
        return np.concatenate(self.parts)

    def rows_with(self, wanted: Sequence[bool]) -> int:
        """Count the rows whose value is one of those marked."""
        return int(np.asarray(wanted, np.bool_)[self.codes()].sum())


def gather(run: Pass, roles: Roles, request: Request, suppressed: str) -> Microdata:
    """Read every row; refuse rows that cannot be read, columns without a role, and values that stand in the way."""
    try:
        if isinstance(run.source, ParquetSource):
            msg = (
                f"{run.source.name} is Parquet, which anonymize does not write: convert it to CSV or JSON lines first."
            )
            raise TableError(msg)
        if run.source.columns:
            roles.check(run.source.columns, all_known=True)
        columns, coded = _columns(run, roles)
    finally:
        run.source.close()
    found = run.intake.unreadable()
    if found.found:
        msg = (
            f"{how_many(found.found, 'row')} of {run.source.name} cannot be read ({', '.join(found.reasons)}; "
            f"the first in line {found.lines[0]}): correct or remove them, since every row is to be written."
        )
        raise TableError(msg)
    if not columns:
        msg = f"{run.source.name} has no rows: give a table with at least one row."
        raise TableError(msg)
    roles.check(columns, all_known=True)
    _refuse_values(coded, roles, suppressed)
    quasi = np.column_stack([coded[name].codes() for name in roles.quasi])
    if request.k is not None:
        return Microdata(quasi, np.zeros(len(quasi), np.int32), 1)
    column = coded[roles.sensitive[0]]
    if request.distance == "ordered":
        ranks = _ranks(column.values, roles.sensitive[0])
        return Microdata(quasi, ranks[column.codes()], int(ranks.max()) + 1)
    return Microdata(quasi, column.codes(), len(column.values))


def _columns(run: Pass, roles: Roles) -> tuple[list[str], dict[str, _Coded]]:
    coded = {name: _Coded() for name in (*roles.quasi, *roles.sensitive)}
    seen: dict[str, None] = {}
    progress = run.options.get("progress")
    rows = nbytes = 0
    for batch in run.source.batches():
        part = batch.decode(np.arange(batch.start, batch.end))
        run.intake.look_at(part)
        seen |= dict.fromkeys(part.columns)
        roles.check(part.columns, all_known=False)
        for name, column in coded.items():
            column.add(values_of(part, name))
        rows, nbytes = rows + len(part.offsets), nbytes + batch.nbytes
        if progress is not None:
            progress(rows, nbytes)
    return (list(seen) if rows else []), coded


def values_of(rows: Rows, name: str) -> Sequence[object]:
    """Return the values of a column, which is absent from rows that do not have it."""
    if name in rows.columns:
        return rows.values[rows.columns.index(name)]
    return [ABSENT] * len(rows.offsets)


def _refuse_values(coded: dict[str, _Coded], roles: Roles, suppressed: str) -> None:
    for name in roles.quasi:
        marked = coded[name].rows_with([value == suppressed for value in coded[name].values])
        if marked:
            msg = (
                f"Column {name!r} already has {how_many(marked, 'cell')} with this text: "
                "choose another text for suppressed cells with --suppressed."
            )
            raise UsageError(msg)
    for name in roles.sensitive:
        missing = coded[name].rows_with([_is_missing(value) for value in coded[name].values])
        if missing:
            msg = (
                f"The sensitive column {name!r} has no value in {how_many(missing, 'row')}: fill it in, remove such "
                "rows, or name the column in --keep if its values do not matter."
            )
            raise TableError(msg)


def _is_missing(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value is ABSENT or (isinstance(value, float) and math.isnan(value))


def _ranks(values: Sequence[object], name: str) -> NDArray[np.int32]:
    """Return the rank of each value among the different numbers."""
    # None is NaN here.  What the audit takes for a number is one, so that it can judge what is written.
    numbers = np.array([number(value) for value in values], np.float64)
    others = int(np.isnan(numbers).sum())
    if others:
        msg = (
            f"The ordered distance needs numbers, and column {name!r} has {how_many(others, 'other value')}: "
            "use the equal distance."
        )
        raise UsageError(msg)
    return np.unique(numbers, return_inverse=True)[1].astype(np.int32)
