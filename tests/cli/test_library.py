"""The library takes what the command line takes, and refuses the same mistakes with one sentence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest

import streamqid
from streamqid import TableError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = [{"age": i % 7, "sex": i % 2, "zip": i % 3} for i in range(40)]


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"ignored": ["age"]}, "did you mean 'ignore'"),
        ({"xyzzy": 1}, "no option 'xyzzy'."),
        ({"ignore": "age"}, "takes a list of names: write ['age']"),
        ({"epsilon": "x"}, "must be a number"),
        ({"only": ["AGE"]}, "did you mean 'age'"),
        ({"weights": {"age": 2.0}, "ignore": ["age"]}, "asked about and left out at once"),
        ({"weights": {"age": "2"}}, "weight of column 'age' must be a positive number."),
        ({"weights": {"age": float("nan")}}, "must be a positive number, not nan"),
        ({"weights": [("age", 2)]}, "a dict of column names and numbers"),
        ({"only": [0]}, "takes names as text"),
        ({"only": None}, "only takes a list of names."),
        ({"markers": "NA"}, "markers takes a list of names: write ['NA']"),
        ({"memory": "1GB"}, "bytes of memory must be a whole number"),
        ({"memory": 0}, "bytes of memory must be at least 1"),
    ],
)
def test_a_mistake_is_a_usage_error_that_says_what_to_do(options: dict[str, Any], advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        streamqid.keys(PEOPLE, **options)
    assert advice in str(caught.value)


def test_columns_given_as_one_text_are_refused() -> None:
    with pytest.raises(UsageError, match="takes a list of names"):
        streamqid.check(PEOPLE, "age")


def test_sizes_are_whole_numbers() -> None:
    wrong: Any = "50"
    for ask in (lambda: streamqid.mask(PEOPLE, sample=wrong), lambda: streamqid.plan(wrong)):
        with pytest.raises(UsageError, match="must be a whole number"):
            ask()


NESTED: dict[str, list[Any]] = {"c0": [{"id": i, "x": 0} for i in range(3000)], "c1": [i % 2 for i in range(3000)]}


@pytest.mark.parametrize(
    "table",
    [
        NESTED,
        pd.DataFrame(NESTED),
        pl.DataFrame(NESTED),
        pyarrow.table(NESTED),
        np.array([*zip(*NESTED.values(), strict=True)], dtype=object),
    ],
    ids=["columns", "pandas", "polars", "pyarrow", "numpy"],
)
def test_fields_within_a_column_are_not_lost(table: object) -> None:
    """A column of mappings is not one constant column, which could be published."""
    assert streamqid.mask(table, beta=0.6).hide == ["c0.id"]
    assert [found.columns for found in streamqid.all_keys(table, epsilon=0).sets] == [["c0.id"]]
    sampled = streamqid.keys(table, epsilon=0.1, rule="certified")
    assert (sampled.columns, sampled.exact) == (["c0.id"], False)


def test_fields_that_come_late_within_a_column_are_not_lost() -> None:
    late = NESTED | {"c0": [*[None] * 2900, *NESTED["c0"][2900:]]}
    assert streamqid.mask(late, beta=0.1).publish == ["c0", "c0.id", "c0.x"]
    assert streamqid.mask(late, beta=0.5, sample=1000, rule="paper").rule == "certified"


def test_every_column_hidden_publishes_nothing() -> None:
    answer = streamqid.mask(PEOPLE, must_hide=["age", "sex", "zip"])
    assert answer.publish == []
    assert answer.guarantee == "Every column must be hidden, so nothing is published."


def test_a_masking_tells_of_rows_that_stay_unique() -> None:
    """40 % of the rows are unique on ssn, which separates few pairs."""
    rows = [{"ssn": i if i % 5 < 2 else None, "x": 0} for i in range(3000)]
    exact = streamqid.mask(rows)
    assert exact.publish == ["ssn", "x"]
    assert exact.unique_rows.estimate == pytest.approx(0.4)
    sampled = streamqid.mask(rows, sample=500, seed=1, rule="certified")
    assert sampled.unique_rows.upper is not None
    assert 0.4 <= sampled.unique_rows.upper < 0.5
    assert sampled.unique_rows.lower is None


def test_an_exact_check_counts_every_unreadable_row(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n" + "".join(f"{i},{i % 9}\n" if i % 10 else "short\n" for i in range(5000)))
    answer = streamqid.check(table, ["b"], exact=True, sample=100)
    assert answer.unreadable is not None
    assert (answer.exact, answer.rows, answer.unreadable.found, answer.unreadable.looked_at) == (True, 4500, 500, 5000)
    estimated = streamqid.check(table, ["b"], sample=100)
    assert estimated.rows_estimated
    assert 4000 < estimated.rows < 5000


@pytest.mark.parametrize(("readable", "met"), [(0.95, True), (0.5, False)])
def test_unreadable_rows_do_not_spoil_a_promise_unless_they_are_many(
    tmp_path: Path, readable: float, met: bool
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("id,b\n" + "".join(f"{i},1\n" if i % 100 < 100 * readable else f"{i}\n" for i in range(20_000)))
    answer = streamqid.keys(table, epsilon=0.01, seed=1)
    assert (answer.columns, answer.met, answer.exact, answer.rows_estimated) == (["id"], met, False, True)
    assert answer.guarantee.startswith("Unknown") is not met
    assert answer.guarantee.endswith("mend the rows that cannot be read.") is not met


def test_columns_that_come_late_are_judged_by_the_certified_rule(tmp_path: Path) -> None:
    """The paper's rule pays for 2^m sets, and m must not depend on the sample."""
    table = tmp_path / "t.jsonl"
    late = ({"a": i % 50, "late": i} if i > 1500 else {"a": i % 50} for i in range(4000))
    table.write_text("".join(json.dumps(row) + "\n" for row in late))
    assert streamqid.mask(table, sample=500, rule="paper").rule == "certified"
    assert streamqid.mask(table, sample=500, rule="paper", only=["a"]).rule == "paper"
    key = streamqid.keys(table, epsilon=0.02, seed=1)
    assert (key.rule, key.met) == ("certified", False)
    assert key.guarantee.endswith("or by the rule certified from the start.")
    assert streamqid.keys(table, epsilon=0.02, rule="certified", seed=1).met


def test_rows_with_ever_new_fields_do_not_use_up_the_memory() -> None:
    """As objects that are keyed by ids give; a question about some of the fields is answered."""
    rows = [{"id": i} if i < 1000 else {"id": i, f"user{i}": 1} for i in range(4000)]
    with pytest.raises(TableError, match="different fields so far"):
        streamqid.check(rows, ["id"], memory=1_000_000)
    with pytest.raises(UsageError, match="does not fit into 60000000 bytes"):
        streamqid.all_keys(rows, memory=60_000_000)
    assert streamqid.check(rows, ["id"], only=["id"], memory=1_000_000).distinct.estimate == 1.0


def test_a_key_that_many_rows_share_is_no_name_tag() -> None:
    rows = [{"group": i % 3000} for i in range(200_000)]
    answer = streamqid.keys(rows, epsilon=0.002, rule="certified", seed=1)
    assert answer.met
    assert "many rows share their values" in answer.guarantee


def test_a_file_with_fewer_rows_than_its_size_promised_is_read_again(
    monkeypatch: pytest.MonkeyPatch, adult_path: Path
) -> None:
    first = streamqid.mask(adult_path, sample=500, seed=3)
    monkeypatch.setattr("streamqid.reading.LIKELY_SHARE", 1000.0)
    assert streamqid.mask(adult_path, sample=500, seed=3) == first
