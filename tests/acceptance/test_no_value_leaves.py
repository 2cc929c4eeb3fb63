"""Canaries: distinctive values in every column and in broken rows appear nowhere outside the reader.

Not in answers, snapshots, errors (with their causes) or logs, neither as text nor as numbers.
"""

from __future__ import annotations

import json
import logging
import traceback
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid import tables
from streamqid.engine.intake import Intake
from streamqid.engine.projection import Projection
from streamqid.errors import StreamqidError
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import Encoder, MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from streamqid.sources import from_object, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from streamqid.options import Options
    from streamqid.problems.answer import Answer
    from streamqid.records import Source

WORD = "Kanarienvogelß"
NUMBER = 7_391_846_502_739_184
FRACTION = 739184.6502739
MARKS = [
    WORD.encode(),
    WORD.encode("utf-16-le"),
    ascii(WORD).strip("'").encode(),
    json.dumps(WORD).strip('"').encode(),
    str(NUMBER).encode(),
    np.int64(NUMBER).tobytes(),
    f"{NUMBER:x}".encode(),
    str(FRACTION).encode(),
    np.float64(FRACTION).tobytes(),
]


def row(i: int) -> dict[str, object]:
    return {
        "name": f"{WORD} {i}",
        "number": NUMBER,
        "fraction": FRACTION,
        "nested": [WORD, {"deep": f"{WORD}{i % 3}"}],
        "rare": WORD if i == 7 else "common",
        "group": f"{WORD}-{i % 4}",
    }


ROWS = [row(i) for i in range(300)]


def text_row(i: int) -> str:
    return f"{WORD} {i},{NUMBER},{FRACTION},{WORD}{i % 3},{WORD}-{i % 4}"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """A CSV and a JSON Lines file in which every tenth row is broken, and still full of canaries."""
    broken_csv = [f"{WORD},{NUMBER}", f'"{WORD}', f"{WORD}\0,1,2,3,4"]
    lines = [broken_csv[i // 10 % 3] if i % 10 == 3 else text_row(i) for i in range(300)]
    csv = tmp_path / "table.csv"
    csv.write_bytes("\n".join(["name,number,fraction,kind,group", *lines]).encode() + b"\n\xff" + WORD.encode() + b"\n")
    broken_json = [f'{{"name": "{WORD}"', f'["{WORD}"]', f'"{WORD}"', f"{NUMBER}", f'{{"{WORD}": {NUMBER}']
    documents = [broken_json[i // 10 % 5] if i % 10 == 3 else json.dumps(ROWS[i]) for i in range(300)]
    jsonl = tmp_path / "table.jsonl"
    jsonl.write_text("\n".join(documents) + "\n")
    return [csv, jsonl]


def asked(table: object, options: Options) -> Iterator[Callable[[], Answer]]:
    """Yield every question, by every measure and rule, exact and from a sample."""
    for sample in (40, 50_000):
        for measure in ("separation", "distinct"):
            for rule in ("paper", "certified"):
                yield partial(tables.keys, table, measure=measure, rule=rule, epsilon=0.2, **options)
                yield partial(tables.mask, table, measure=measure, rule=rule, sample=sample, **options)
        yield partial(tables.check, table, ["name", "group"], sample=sample, **options)
        yield partial(tables.check, table, ["group"], sample=sample, exact=True, **options)
        yield partial(tables.scan, table, sample=sample, **options)


def leaks(data: bytes) -> list[bytes]:
    return [mark for mark in MARKS if mark in data]


def shown(ask: Callable[[], Answer]) -> bytes:
    """Return everything that an answer or an error can be printed as."""
    try:
        answer = ask()
    except StreamqidError as error:
        text = "".join(traceback.format_exception(error)) + repr(error.args)
    else:
        text = answer.model_dump_json() + repr(answer) + str(answer)
    return text.encode("utf-8", "surrogateescape")


def test_the_marks_are_found_where_values_are() -> None:
    """The control: a dump of the rows themselves shows canaries of each kind."""
    dump = json.dumps(ROWS).encode() + repr(ROWS).encode() + np.array([NUMBER]).tobytes()
    assert {MARKS[0], MARKS[3], MARKS[4], MARKS[5], MARKS[7]} <= set(leaks(dump))


@pytest.mark.parametrize("missing", list(MissingRule))
def test_answers_and_logs_hold_no_value(
    files: list[Path], missing: MissingRule, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for table in (ROWS, *files):
        for ask in asked(table, {"missing": str(missing), "markers": [WORD], "seed": 3}):
            assert leaks(shown(ask)) == []
    for record in caplog.records:
        assert leaks((record.getMessage() + repr(record.args)).encode()) == []


def test_errors_hold_no_value(files: list[Path], tmp_path: Path) -> None:
    only_broken = tmp_path / "broken.jsonl"
    only_broken.write_text(f'{{"name": "{WORD}"\n["{WORD}"]\n{NUMBER}\n')
    ragged = tmp_path / "ragged.csv"
    ragged.write_text(f"a,b\n{WORD}\n{NUMBER}\n")
    binary = tmp_path / "binary.gz"
    binary.write_bytes(b"\x1f\x8b" + WORD.encode())
    odd = tmp_path / "odd.parquet"
    odd.write_bytes(WORD.encode() * 20)
    requests: list[Callable[[], Answer]] = [
        *(partial(tables.keys, path) for path in (only_broken, ragged, binary, odd)),
        *(partial(tables.check, path, ["nam"]) for path in files),
        partial(tables.mask, ROWS, must_publish=["nobody"]),
        partial(tables.keys, files[0], delimiter=";", only=["group"]),
        partial(tables.keys, []),
    ]
    failed = 0
    for ask in requests:
        text = shown(ask)
        failed += b"Error" in text
        assert leaks(text) == []
    assert failed >= 7


@pytest.mark.parametrize("capacity", [10, 1000])
def test_snapshots_hold_no_value(files: list[Path], capacity: int) -> None:
    secret = Secret.from_seed(3)
    sources: list[Source] = [from_object(ROWS), *(open_table(path) for path in files)]
    for source in sources:
        sampler = Sampler(secret, Capacity(capacity), MissingRule.EQUAL)
        intake = Intake(Encoder(secret, MissingRule.EQUAL, [WORD]), Projection())
        for batch in source.batches():
            intake.take(batch, sampler)
        source.close()
        data = sampler.to_bytes()
        assert len(sampler.evidence().a.place) >= 10
        assert leaks(data) == []
        assert leaks(repr(intake.unreadable()).encode() + repr(sampler.evidence()).encode()) == []
        assert secret.raw not in data
