"""The audit of a whole table: pure functions of its codes."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.audits.answer import AuditAnswer, GroupFigures, QuasiFigures, Risk, SizeBand
from streamqid.audits.answer import Cells as CellCounts
from streamqid.audits.asked import Limits
from streamqid.audits.cells import cells_of
from streamqid.audits.classes import equal_classes, matching_classes
from streamqid.audits.limits import judge_column, judge_groups
from streamqid.audits.measured import measure
from streamqid.audits.sentences import advice, audit_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.audits.cells import Sensitive
    from streamqid.audits.classes import Classes
    from streamqid.measures.partition import Table


BANDS = (1, 2, 3, 5, 10, 20, 50, 100, 1000)
"""The smallest size of each band."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Cells that hold no value, and how they compare."""

    suppressed: Sequence[NDArray[np.int64]] = ()
    """For each quasi-identifier, the rows whose cell is suppressed."""
    match_anything: bool = False
    """Whether suppressed cells match anything; otherwise they are a value of their own."""
    suppressed_sensitive: int = 0
    missing_quasi: int = 0
    missing_sensitive: int = 0
    missing_as: str = "value"


def audit(
    table: Table,
    quasi: Sequence[int],
    sensitive: Sequence[Sensitive] = (),
    limits: Limits | None = None,
    unknown: Unknown | None = None,
    *,
    unreadable: bool = False,
) -> AuditAnswer:
    """Measure the groups that the columns ``quasi`` make of the rows of a table, and the sensitive columns in them.

    Everything is counted over all rows, so the figures are exact; ``unreadable`` says that others could not be read.
    ``columns`` stays empty: ``quasi_figures`` takes several times as long as all the rest.
    """
    limits, unknown = limits or Limits(), unknown or Unknown()
    suppressed = sum(map(len, unknown.suppressed))
    matching = unknown.match_anything and suppressed > 0
    if matching:
        classes = matching_classes(table, quasi, unknown.suppressed)
    else:
        classes = equal_classes(table, quasi, only_sizes=not sensitive)
    groups, judged, columns = group_figures(classes), list(judge_groups(classes, limits)), []
    for column in sensitive:
        found = measure(cells_of(classes, column), column, limits.recursive_l)
        columns.append(found.figures())
        judged += judge_column(found, limits)
    names = [table.columns[j] for j in quasi]
    return AuditAnswer(
        quasi=names,
        sensitive=columns,
        groups=groups,
        sizes=size_bands(classes),
        columns=[],
        risk=risk(classes),
        limits=judged,
        met=all(limit.met for limit in judged) if judged else None,
        suppressed_as="any" if unknown.match_anything else "value",
        suppressed=CellCounts(quasi=suppressed, sensitive=unknown.suppressed_sensitive),
        missing_as=unknown.missing_as,
        missing=CellCounts(quasi=unknown.missing_quasi, sensitive=unknown.missing_sensitive),
        advice=advice(judged),
        rows=table.n,
        sample=table.n,
        sample_unit="rows",
        exact=True,
        guarantee=audit_sentence(names, table.n, groups, judged, matching=matching, unreadable=unreadable),
    )


def group_figures(classes: Classes) -> GroupFigures:
    """Return how many groups there are and how large they are."""
    sizes = classes.sizes
    return GroupFigures(
        groups=len(sizes),
        smallest=int(sizes.min()),
        average=float(np.mean(sizes)),
        largest=int(sizes.max()),
        unique_rows=int(classes.rows[sizes == 1].sum()),
    )


def size_bands(classes: Classes) -> list[SizeBand]:
    """Return how many groups and rows there are of each size."""
    end = BANDS[-1]
    sizes = np.minimum(classes.sizes, end)
    groups = np.bincount(sizes, minlength=end + 1)
    rows = np.bincount(sizes, classes.rows, minlength=end + 1)
    bands = []
    for least, after in itertools.zip_longest(BANDS, BANDS[1:]):
        count = int(groups[least:after].sum())
        if count:
            most = None if after is None else after - 1
            bands.append(SizeBand(least=least, most=most, groups=count, rows=int(rows[least:after].sum())))
    return bands


def quasi_figures(table: Table, quasi: Sequence[int]) -> list[QuasiFigures]:
    """Return the groups that each column makes by itself, and those that are left without it."""

    def figures(columns: Sequence[int]) -> GroupFigures:
        return group_figures(equal_classes(table, columns, only_sizes=True))

    return [
        QuasiFigures(column=table.columns[j], alone=figures([j]), without=figures([i for i in quasi if i != j]))
        for j in quasi
    ]


def risk(classes: Classes) -> Risk:
    """Return the risks that a person is found; see the fields of :class:`Risk` for their definitions."""
    highest = 1.0 / int(classes.sizes.min())
    linked = float((classes.rows / classes.sizes).sum() / classes.rows.sum())
    return Risk(prosecutor=highest, journalist=highest, marketer=linked)
