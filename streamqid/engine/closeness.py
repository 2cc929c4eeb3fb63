"""t-closeness of a published set in one window, on its samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.closeness import Cells, common_values, far_rows, far_rows_estimate
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of
from streamqid.measures.radix import numbered_groups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.engine.questions import Limit
    from streamqid.sampling.pairs import Evidence


def closeness(evidence: Evidence, columns: Sequence[str], limit: Limit, delta: float) -> Estimate | None:
    """Estimate the share of rows in groups further than t; None when the samples say nothing.

    Sample A chooses which sensitive values are told apart, sample B is measured: so the choice is free
    (``measures.closeness``).  A missing sensitive value is a value like any other.  Without another column than the
    sensitive one all rows are one group, which is as close as can be.
    """
    if not _quasi(columns, limit):
        return Estimate.exact(0.0)
    a, b = _cells(evidence, columns, limit)
    if b is None:
        return Estimate.exact(far_rows(a, limit.t or 0.0))
    return far_rows_estimate(b, common_values(a), evidence.records, limit.t or 0.0, delta)


def seen_in_a(evidence: Evidence, columns: Sequence[str], limit: Limit) -> float:
    """Return the share of rows in groups further than t in sample A alone, to choose by."""
    return far_rows(_cells(evidence, columns, limit)[0], limit.t or 0.0) if _quasi(columns, limit) else 0.0


def _quasi(columns: Sequence[str], limit: Limit) -> list[str]:
    return [column for column in columns if column != limit.sensitive]


def _cells(evidence: Evidence, columns: Sequence[str], limit: Limit) -> tuple[Cells, Cells | None]:
    """Return the rows of A and those of B; None for the latter where A has them all."""
    quasi = _quasi(columns, limit)
    rows = evidence.select([*quasi, limit.sensitive or ""])
    tuples = [rows.a] if rows.whole else [rows.a, rows.b]
    both = np.concatenate([one.fingerprints for one in tuples])
    groups = table_of(tuple(quasi), both[:, :-1], missing_differ=rows.missing_differ)
    number, _ = numbered_groups(groups, range(len(quasi)))
    value = table_of(("sensitive",), both[:, -1:])
    parts = slice(len(rows.a)), slice(len(rows.a), None)
    a, b = (Cells(_dense(number[part]), value.codes[0, part], value.sizes[0]) for part in parts)
    return a, None if rows.whole else b


def _dense(number: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the groups that occur, counted from 0."""
    found: NDArray[np.int64] = np.unique(number, return_inverse=True)[1]
    return found
