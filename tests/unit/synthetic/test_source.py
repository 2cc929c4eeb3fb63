"""A population as a log: batches, columns, event times."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from streamqid.synthetic import Drift, DriftKind, GeneratorSource, Population
from tests.unit.synthetic.peopling import column


def test_a_new_column_is_unknown_until_it_appears() -> None:
    population = Population(drifts=(Drift(DriftKind.NEW, "device", 100),))
    source = GeneratorSource(population, 200, 100)
    early, late = (batch.decode(np.arange(batch.start, batch.end)) for batch in source.batches())
    assert early.columns == source.columns
    assert late.columns == (*source.columns, "device") == population.columns


def test_event_time_and_the_shape_of_the_log() -> None:
    population = Population(time=True, start=1_772_323_199.5, rate=8.0)
    source = GeneratorSource(population, 1_000, 300)
    batches = list(source.batches())
    assert [(b.start, b.end, b.count) for b in batches] == [
        (0, 300, 300),
        (300, 600, 300),
        (600, 900, 300),
        (900, 1000, 100),
    ]
    assert sum(batch.nbytes for batch in batches) == source.total_bytes
    assert {batch.origin.name for batch in batches} == {"generated"}
    assert "seed 0" in source.name
    rows = batches[1].decode(np.array([5, 300, 599, 600]))
    assert rows.offsets.tolist() == [300, 599]
    times = source.event_time(rows.offsets)
    assert (
        times.tolist() == [1_772_323_199.5 + n / 8 for n in (300, 599)] == batches[1].event_time(rows.offsets).tolist()
    )
    texts = [datetime.fromtimestamp(t, UTC).isoformat(timespec="milliseconds")[:-6] + "Z" for t in times]
    assert rows.values[rows.columns.index("time")] == texts
    milliseconds = column(Population(time=True), "time", 0, 1_000)
    assert milliseconds == [f"2026-01-01T00:00:00.{n:03d}Z" for n in range(1_000)]
    source.close()


def test_a_stream_costs_nothing_until_rows_are_asked_for() -> None:
    batches = list(GeneratorSource(Population(), 10**12, 10**9).batches())
    assert batches[-1].decode(np.array([10**12 - 1])).offsets.tolist() == [10**12 - 1]
