"""Any population, and its rows as dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from streamqid.records import ABSENT
from streamqid.synthetic import Drift, DriftKind, GeneratedBatch, Population

if TYPE_CHECKING:
    from streamqid.records import Rows

ROWS = 400

drifts = st.builds(
    Drift,
    st.sampled_from(DriftKind),
    st.sampled_from(["region", "zip", "education", "children", "visit_day"]),
    at_row=st.integers(0, ROWS - 1),
    over=st.integers(0, ROWS),
    until_row=st.none() | st.integers(ROWS, ROWS + 5),
)
populations = st.builds(
    Population,
    seed=st.integers(),
    missing=st.sampled_from([0.0, 0.02, 0.5, 1.0]),
    drifts=st.lists(drifts, max_size=3).map(tuple),
    identifier=st.booleans(),
    time=st.booleans(),
)


def records(rows: Rows) -> list[dict[str, object]]:
    """Return one dictionary for each row, without the fields that it does not have."""
    across = zip(*rows.values, strict=True)
    return [{c: v for c, v in zip(rows.columns, row, strict=True) if v is not ABSENT} for row in across]


def made(population: Population, start: int, end: int) -> list[dict[str, object]]:
    return records(GeneratedBatch(population, start, end).decode(np.arange(start, end)))


def column(population: Population, name: str, start: int, end: int) -> list[object]:
    return [record.get(name, ABSENT) for record in made(population, start, end)]
