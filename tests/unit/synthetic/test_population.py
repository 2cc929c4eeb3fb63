"""Rows follow from seed and number, and their columns are distributed as declared."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.synthetic import Drift, DriftKind, GeneratedBatch, GeneratorSource, Population
from tests.unit.synthetic.peopling import ROWS, made, populations, records

if TYPE_CHECKING:
    from streamqid.records import Source


@given(populations, st.integers(1, ROWS), st.integers(0, ROWS), st.data())
@settings(max_examples=60, deadline=None)
def test_a_row_depends_on_seed_and_number_only(
    population: Population, batch_rows: int, first: int, data: st.DataObject
) -> None:
    whole = made(population, 0, ROWS)
    source: Source = GeneratorSource(population, ROWS, batch_rows, first)
    split = [record for b in source.batches() for record in records(b.decode(np.arange(b.start, b.end)))]
    assert split == whole[first:]
    some = sorted(data.draw(st.sets(st.integers(0, ROWS - 1))))
    rows = GeneratedBatch(population, 0, ROWS).decode(np.array(some, np.int64))
    assert rows.offsets.tolist() == some
    assert records(rows) == [whole[i] for i in some]


def test_zip_determines_region_but_not_the_other_way_round() -> None:
    rows = made(Population(seed=3, drifts=(Drift(DriftKind.FLAT, "zip", 10_000),)), 0, 20_000)
    pairs = {(row["zip"], row["region"]) for row in rows}
    assert len(pairs) == len({zipcode for zipcode, _ in pairs}) > 50 * len({region for _, region in pairs})


def test_skew_correlation_and_independence() -> None:
    rows = made(Population(seed=4, missing=0), 0, 20_000)
    assert Counter(row["region"] for row in rows).most_common()[0][1] > 5 * sum(r["region"] == "R9" for r in rows)
    assert sum(row["plan"] == "statutory" for row in rows) > 0.99 * len(rows)
    assert len({row["person_id"] for row in rows}) == len(rows)

    def share(of: str, value: object, given: str, condition: object) -> float:
        chosen = [row[of] == value for row in rows if row[given] == condition]
        return sum(chosen) / len(chosen)

    assert share("occupation", "physician", "education", "doctorate") > 0.1
    assert share("occupation", "physician", "education", "basic") < 0.01
    assert share("marital_status", "widowed", "age", "80+") > 10 * share("marital_status", "widowed", "age", "18-29")
    assert share("income_band", "100-109k", "occupation", "lawyer") > 5 * share(
        "income_band", "100-109k", "age", "18-29"
    )
    assert share("device", "ios", "sex", "f") == pytest.approx(share("device", "ios", "sex", "m"), abs=0.03)


def test_the_share_of_missing_values_is_as_configured() -> None:
    # Bernstein: a column of 200,000 cells is off by more than 0.002 with a probability of at most
    # 2 exp(-n t² / (2 (p (1 - p) + t / 3))) = 2 exp(-19.7) < 6e-9; four columns: a false alarm below 3e-8.
    table = Population(seed=5, missing=0.02).cells(
        ["education", "income_band", "children", "device"], np.arange(200_000)
    )
    assert [cells.state.mean() for cells in table] == pytest.approx([0.02] * 4, abs=0.002)
    assert None not in made(Population(seed=5, missing=0), 0, 1_000)[0].values()
