"""What is written is what is decoded, and it never changes."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given, settings

from streamqid.synthetic import Drift, DriftKind, Population, write_csv, write_jsonl
from tests.unit.synthetic.peopling import ROWS, made, populations

GOLDEN = """\
person_id,time,age,sex,region,zip,education,occupation,income_band,marital_status,children,device,plan,diagnosis,visit_day
85480e06ad9aa361,2026-01-01T00:00:00.000Z,30-39,f,R7,17037,bachelor,engineer,90-99k,single,1,ios,statutory,hypertension,2025-10-20
94ffff4cc97fa107,2026-01-01T00:00:00.001Z,40-49,f,R7,17074,secondary,clerk,50-59k,married,2,ios,statutory,depression,2025-03-27
e4a2a0acb93c0e32,2026-01-01T00:00:00.002Z,40-49,m,R2,12888,doctorate,lawyer,100-109k,single,0,android,statutory,rare_disease,2025-04-24
a996c75780e310dd,2026-01-01T00:00:00.003Z,70-79,f,R1-6972,11111,secondary,seller,70-79k,divorced,2,android,statutory,migraine,2025-09-03
47a06d91dab74875,2026-01-01T00:00:00.004Z,40-49,m,R8-5924,18111,bachelor,teacher,70-79k,married,1,web,statutory,rare_disease,2025-10-07
"""


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


def test_the_first_rows_of_a_seed_never_change() -> None:
    out = io.BytesIO()
    write_csv(Population(seed=2026, time=True, drifts=(Drift(DriftKind.FINER, "region", 3),)), 5, out)
    assert out.getvalue().decode() == GOLDEN
