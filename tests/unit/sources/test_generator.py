from __future__ import annotations

import csv
import io
import json
from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.errors import UsageError
from streamqid.records import ABSENT
from streamqid.sources.generator import (
    Drift,
    DriftKind,
    GeneratedBatch,
    GeneratorSource,
    Population,
    default_drift,
    truth,
    write_csv,
    write_jsonl,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamqid.records import Rows, Source

ROWS = 400
AGE_SEX_REGION = ("age", "sex", "region")
ALL_NEW = tuple(Drift(DriftKind.NEW, name, 0) for name in Population(identifier=False).columns)
GOLDEN = """\
person_id,time,age,sex,region,zip,education,occupation,income_band,marital_status,children,device,plan,diagnosis,visit_day
85480e06ad9aa361,2026-01-01T00:00:00.000Z,30-39,f,R7,17037,bachelor,engineer,90-99k,single,1,ios,statutory,hypertension,2025-10-20
94ffff4cc97fa107,2026-01-01T00:00:00.001Z,40-49,f,R7,17074,secondary,clerk,50-59k,married,2,ios,statutory,depression,2025-03-27
e4a2a0acb93c0e32,2026-01-01T00:00:00.002Z,40-49,m,R2,12888,doctorate,lawyer,100-109k,single,0,android,statutory,rare_disease,2025-04-24
a996c75780e310dd,2026-01-01T00:00:00.003Z,70-79,f,R1-6972,11111,secondary,seller,70-79k,divorced,2,android,statutory,migraine,2025-09-03
47a06d91dab74875,2026-01-01T00:00:00.004Z,40-49,m,R8-5924,18111,bachelor,teacher,70-79k,married,1,web,statutory,rare_disease,2025-10-07
"""

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


@pytest.fixture(scope="module", autouse=True)
def _small_chunks() -> Iterator[None]:
    """Let the few hundred rows of the tests be made in several chunks, the last of them not full."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamqid.sources.generator._CHUNK", 150)
        yield


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


@given(populations)
@settings(max_examples=60, deadline=None)
def test_what_is_written_reads_back_as_what_is_decoded(population: Population) -> None:
    expected = made(population, 0, ROWS)
    lines = io.BytesIO()
    write_jsonl(population, ROWS, lines)
    parsed = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert parsed == expected
    assert all(list(a) == list(b) for a, b in zip(parsed, expected, strict=True))
    table = io.BytesIO()
    write_csv(population, ROWS, table)
    reader = csv.DictReader(io.StringIO(table.getvalue().decode(), newline=""), strict=True)
    texts = [{c: "" if r.get(c) is None else str(r[c]) for c in population.columns} for r in expected]
    assert list(reader) == texts
    assert tuple(reader.fieldnames or ()) == population.columns


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
    asked = [AGE_SEX_REGION, ("zip", "children", "education")]
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


def test_the_default_drift_turns_a_safe_set_into_an_identifying_one() -> None:
    population = Population(seed=1, drifts=(default_drift(20_000),))
    segments = cast("list[dict[str, list[dict[str, float]]]]", truth(population, 20_000, [AGE_SEX_REGION])["segments"])
    before, after = (segment["sets"][0] for segment in segments)
    assert before["separation"] < 0.985
    assert before["unique_rows"] < 50
    assert after["separation"] > 0.9995
    assert after["unique_rows"] > 9_000


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


@pytest.mark.parametrize("kind", DriftKind)
def test_a_drift_begins_and_ends_exactly_at_its_rows(kind: DriftKind) -> None:
    plain, drifting = (
        Population(seed=6),
        Population(seed=6, drifts=(Drift(kind, "region", 300, until_row=600),)),
    )
    outside: object = ABSENT if kind is DriftKind.NEW else None
    before, inside, after = (column(drifting, "region", a, b) for a, b in ((0, 300), (300, 600), (600, 900)))
    usual = [column(plain, "region", a, b) for a, b in ((0, 300), (300, 600), (600, 900))]
    if kind is DriftKind.NEW:
        assert (set(before), inside, set(after)) == ({ABSENT}, usual[1], {ABSENT})
        return
    assert (before, after) == (usual[0], usual[2])
    if kind is DriftKind.MISSING:
        assert set(inside) == {outside}
    elif kind is DriftKind.FINER:
        assert [str(value).split("-")[0] for value in inside] == usual[1]
        assert len(set(inside)) > 250
    else:
        assert max(Counter(inside).values()) < 0.5 * max(Counter(usual[1]).values())


def test_a_ramp_touches_ever_more_rows() -> None:
    population = Population(seed=7, drifts=(Drift(DriftKind.FINER, "zip", 1_000, over=10_000),))
    fine = np.array(["-" in str(value) for value in column(population, "zip", 0, 12_000)])
    assert not fine[:1_000].any()
    assert fine[11_000:].all()
    # Hoeffding: each half is off by more than 0.04 with a probability below 2 exp(-2 n t²) = 2.3e-7 for
    # n = 5000 and t = 0.04; both: a false alarm below 5e-7.
    assert [fine[1_000:6_000].mean(), fine[6_000:11_000].mean()] == pytest.approx([0.25, 0.75], abs=0.04)


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


def test_the_first_rows_of_a_seed_never_change() -> None:
    out = io.BytesIO()
    write_csv(Population(seed=2026, time=True, drifts=(Drift(DriftKind.FINER, "region", 3),)), 5, out)
    assert out.getvalue().decode() == GOLDEN


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: GeneratorSource(Population(), -1), "rows must be 0 or more"),
        (lambda: GeneratorSource(Population(), 10, 0), "batch holds 1 row or more"),
        (lambda: GeneratorSource(Population(), 10, 5, 11), "first row lies within"),
        (lambda: truth(Population(drifts=(Drift(DriftKind.FLAT, "age", 10),)), 10), "row 10, beyond"),
        (lambda: Drift(DriftKind.FINER, "regoin", 0), "did you mean 'region'"),
        (lambda: Drift(DriftKind.FINER, "qqqq", 0), "choose one of age"),
        (lambda: Drift(cast("DriftKind", "odd"), "age", 0), "choose one of finer"),
        (lambda: Drift(DriftKind.FINER, "age", -1), "row 0 or later"),
        (lambda: Drift(DriftKind.FINER, "age", 5, until_row=5), "until_row after it"),
        (lambda: truth(Population(), 10, [("age", "zap")]), "did you mean 'zip'"),
        (lambda: Population(missing=1.1), "between 0 and 1"),
        (lambda: Population(rate=0.0), "rate must be above 0"),
        (lambda: write_jsonl(Population(rate=1e-9), 100, io.BytesIO()), "raise the rate"),
        (lambda: Population(identifier=False, drifts=ALL_NEW), "leave at least one"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(attempt: object, message: str) -> None:
    assert callable(attempt)
    with pytest.raises(UsageError, match=message):
        attempt()
