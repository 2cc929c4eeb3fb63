"""Made-up tables: the same bytes for the same seed, and the truth that the other commands find."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_same_seed_gives_the_same_bytes(run: Callable[..., Any]) -> None:
    first = run("generate", "--rows", 50, "--seed", 4)
    assert (first.code, first.err) == (0, "")
    assert first.out.count("\n") == 51
    assert first.out == run("generate", "--rows", 50, "--seed", 4).out
    assert first.out != run("generate", "--rows", 50, "--seed", 5).out


@pytest.mark.parametrize("name", ["people.csv", "people.jsonl", "people.csv.gz"])
def test_the_truth_is_what_an_exact_check_finds(run: Callable[..., Any], tmp_path: Path, name: str) -> None:
    table, truth = tmp_path / name, tmp_path / "truth.json"
    made = run(
        "generate", "--rows", 3000, "--out", table, "--truth", truth, "--truth-set", "zip,sex", "--no-identifier"
    )
    assert (made.code, made.out) == (0, "")
    assert made.err == f"Wrote 3,000 rows of 13 columns to {table} (seed 0).\n"
    for known in json.loads(truth.read_text())["sets"]:
        answer = json.loads(run("check", table, "--columns", ",".join(known["columns"]), "--json").out)
        assert answer["separation"]["estimate"] == pytest.approx(known["separation"], abs=1e-12)
        assert answer["group_sizes"]["groups"] == known["groups"]
    assert ["zip", "sex"] in [known["columns"] for known in json.loads(truth.read_text())["sets"]]


def test_forms(run: Callable[..., Any], tmp_path: Path) -> None:
    line = run("generate", "--rows", 1, "--format", "jsonl", "--time", "--missing-share", 0).out
    assert list(json.loads(line))[:2] == ["person_id", "time"]
    packed = tmp_path / "people.csv.gz"
    told = run("generate", "--rows", 9, "--out", packed, "--json")
    assert json.loads(told.out)["rows"] == 9
    first = packed.read_bytes()
    assert gzip.decompress(first).decode() == run("generate", "--rows", 9).out
    run("generate", "--rows", 9, "--out", packed)
    assert packed.read_bytes() == first


def test_drifts(run: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "people.csv"
    drifts = ["--drift", "finer:region@10+5-40", "--drift", "missing:device@20", "--drift", "default"]
    truth = json.loads(run("generate", "--rows", 60, "--out", out, "--json", *drifts).out)
    assert truth["drifts"] == [
        {"kind": "finer", "column": "region", "at_row": 10, "over": 5, "until_row": 40},
        {"kind": "missing", "column": "device", "at_row": 20, "over": 0, "until_row": None},
        {"kind": "finer", "column": "region", "at_row": 30, "over": 0, "until_row": None},
    ]
