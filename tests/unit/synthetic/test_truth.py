"""The truth against counting the values one by one."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings

from streamqid.records import ABSENT
from streamqid.synthetic import Drift, DriftKind, Population, truth
from tests.unit.synthetic.peopling import ROWS, made, populations

if TYPE_CHECKING:
    from collections.abc import Sequence


def brute_force(records: Sequence[dict[str, object]], columns: Sequence[str]) -> dict[str, object]:
    groups = Counter(tuple(record.get(c, ABSENT) for c in columns) for record in records)
    n, sizes = len(records), groups.values()
    same = sum(size * (size - 1) for size in sizes)
    return {
        "columns": list(columns),
        "separation": pytest.approx(1 - same / (n * (n - 1)), abs=1e-12) if n > 1 else None,
        "distinct": pytest.approx(len(groups) / n),
        "unique_rows": sum(size == 1 for size in sizes),
        "groups": len(groups),
        "smallest_group": min(sizes),
    }


@given(populations)
@settings(max_examples=30, deadline=None)
def test_truth_is_what_counting_the_values_gives(population: Population) -> None:
    asked = [("age", "sex", "region"), ("zip", "children", "education")]
    found = truth(population, ROWS, asked)
    assert json.loads(json.dumps(found)) == found
    sets = [*asked, *((c,) for c in population.columns), population.columns]
    whole = made(population, 0, ROWS)
    assert found["sets"] == [brute_force(whole, columns) for columns in sets]
    segments = cast("list[dict[str, Any]]", found["segments"])
    bounds = [(segment["first_row"], segment["end_row"]) for segment in segments]
    assert [row for first, end in bounds for row in range(first, end)] == list(range(ROWS if bounds else 0))
    for (first, end), segment in zip(bounds, segments, strict=True):
        assert segment["sets"] == [brute_force(whole[first:end], columns) for columns in sets]


def test_truth_is_exact_where_the_combinations_exceed_64_bits() -> None:
    population = Population(seed=8, time=True, rate=1e9)
    asked = ("time", "zip", "visit_day", "age", "sex", "region")
    found = cast("list[object]", truth(population, 5_000, [asked])["sets"])[0]
    assert found == brute_force(made(population, 0, 5_000), asked)


def test_truth_is_cut_where_a_drift_begins_is_complete_and_ends() -> None:
    drift = Drift(DriftKind.FINER, "zip", 100, over=50, until_row=300)
    segments = cast("list[dict[str, int]]", truth(Population(drifts=(drift,)), ROWS)["segments"])
    assert [segment["first_row"] for segment in segments] == [0, 100, 150, 300]
    assert truth(Population(), ROWS)["segments"] == []


def test_truth_of_no_row_and_of_one_row_is_undefined_and_not_wrong() -> None:
    none, one = (cast("list[dict[str, object]]", truth(Population(), n)["sets"])[0] for n in (0, 1))
    assert (none["separation"], none["distinct"], none["groups"], none["smallest_group"]) == (
        None,
        None,
        0,
        0,
    )
    assert (one["separation"], one["distinct"], one["groups"], one["smallest_group"]) == (None, 1.0, 1, 1)
