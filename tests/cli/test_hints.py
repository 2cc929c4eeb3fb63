"""What a message advises fits what was given."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import streamqid
from streamqid.sources.streams import ByteSource

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ONE_OBJECT = "write one JSON object on each line, or one array of objects"


@pytest.mark.parametrize("solver", [[], ["--solver", "exact"]])
@pytest.mark.parametrize(
    ("name", "text", "advice"),
    [
        ("t.json", '{\n  "a": 1,\n  "b": 2\n}\n', ONE_OBJECT),
        ("t.jsonl", "", ONE_OBJECT),
        ("t.json", "[]", ONE_OBJECT),
        ("t.jsonl", '[{"a": 1}, {"a": 2}]', f"{ONE_OBJECT} in a .json file"),
        ("t.jsonl", "{}\n{}\n", "have no columns: give every row at least one field"),
        ("t.csv", "a,b\n", "besides the header"),
    ],
)
def test_tables_without_rows_or_columns(
    run: Callable[..., Any], tmp_path: Path, name: str, text: str, advice: str, solver: list[str]
) -> None:
    (tmp_path / name).write_text(text)
    result = run("keys", tmp_path / name, *solver)
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert advice in result.err
    assert ("header" in result.err) is name.endswith(".csv")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "No rows were given: give at least one, as a dict"),
        ([1, 2, 3], "None of the given rows can be read: give at least one, as a dict"),
        (5, "An object of type int is not a table"),
        ({"a": []}, "There are no rows in the given columns: give a table with at least one row"),
    ],
)
def test_objects_that_are_no_rows(rows: object, message: str) -> None:
    with pytest.raises(streamqid.TableError, match=re.escape(message)):
        streamqid.keys(rows)


def test_of_many_columns_the_first_are_named(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{j}" for j in range(30)) + "\n" + ",".join(["1"] * 30) + "\n")
    result = run("check", path, "--columns", "zzz")
    assert result.code == 2
    assert result.err.endswith("c18, c19 and 10 more.\n")


def test_a_share_may_be_a_number_of_numpy_but_not_a_truth_value() -> None:
    rows = [{"a": 1}, {"a": 2}]
    assert streamqid.mask(rows, beta=np.float32(0.5)).beta == 0.5  # type: ignore[arg-type]
    with pytest.raises(streamqid.UsageError, match="beta must be a number"):
        streamqid.mask(rows, beta=True)


@pytest.mark.parametrize("seed", ["7", 1.5, True, np.float64(7.0), np.bool_(True)])
def test_a_seed_is_a_whole_number(seed: Any) -> None:
    with pytest.raises(streamqid.UsageError, match="seed must be a whole number"):
        streamqid.keys([{"a": 1}, {"a": 2}], seed=seed)


def test_a_seed_of_numpy_is_the_same_number() -> None:
    rows = [{"a": i % 50, "b": i // 50} for i in range(3000)]
    assert streamqid.keys(rows, seed=np.int64(7), epsilon=0.1) == streamqid.keys(rows, seed=7, epsilon=0.1)  # type: ignore[arg-type]


def test_columns_that_must_be_published_and_exceed_beta_get_no_still(run: Callable[..., Any], people: Path) -> None:
    beyond = run("mask", people, "--beta", "0.5", "--must-publish", "age,sex").out
    assert "exceed" in beyond
    assert "Still" not in beyond
    assert "Besides, 100 % of the rows are unique" in " ".join(beyond.split())
    within = " ".join(run("mask", people, "--beta", "0.9", "--must-publish", "age").out.split())
    assert "Still, 20 % of the rows are unique" in within


def test_an_exact_share_is_one_number_everywhere(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "".join(f"v{i}\n" for i in (0, 0, 0, 1, 1, 2, 3)))  # 17 of 21 pairs differ: 80.952 %
    shown = " ".join(run("check", path, "--columns", "a", "--exact").out.split())
    assert "differ on {a} in 81 % of cases" in shown
    assert "separation 81 %" in shown


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_shrinks_while_it_is_read_is_told(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"a,b\n" + os.urandom(300_000).hex().encode())
    if packed:
        import gzip

        path.write_bytes(gzip.compress(path.read_bytes()))
    source = ByteSource.open(str(path))
    os.truncate(path, 200_000)
    with pytest.raises(streamqid.TableError, match="became shorter while it was read"):
        source.stream.read()
    source.close()


def test_a_file_that_grows_is_read_on(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n" + "x\n" * 100_000)
    source = ByteSource.open(str(path))
    with path.open("a") as more:
        more.write("y\n")
    assert source.stream.read().endswith(b"x\ny\n")
    source.close()
