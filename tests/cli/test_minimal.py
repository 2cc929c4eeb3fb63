"""``keys --all``: all minimal sets for people and for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import streamqid

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Result

PEOPLE = [{"age": i % 7, "sex": i % 2, "zip": i % 3} for i in range(40)]


def test_the_papers_example(
    run: Callable[..., Result], people: Path, valid: Callable[[Any, dict[str, Any]], bool]
) -> None:
    """Motwani and Xu, section 1.1: all minimal keys are {age, state} and {age, sex}."""
    answer = json.loads(run("keys", people, "--all", "--epsilon", 0, "--json").out)
    assert [one["columns"] for one in answer["sets"]] == [["age", "sex"], ["age", "state"]]
    assert (answer["problem"], answer["complete"], answer["complete_up_to"]) == ("all minimal keys", True, 3)
    assert valid(answer, json.loads(run("schema", "keys-all").out))
    assert valid(answer, json.loads(run("schema").out))
    by_beta = json.loads(run("keys", people, "--all", "--beta", 0.8, "--json").out)
    assert [one["columns"] for one in by_beta["sets"]] == [["age"], ["sex", "state"]]
    distinct = json.loads(run("keys", people, "--all", "--beta", 0.8, "--measure", "distinct", "--json").out)
    assert [one["columns"] for one in distinct["sets"]] == [["age", "sex"], ["age", "state"], ["sex", "state"]]


def test_people_read_it_on_80_columns(run: Callable[..., Result], adult_path: Path) -> None:
    result = run("keys", adult_path, "--all", "--epsilon", 0.01, "--seed", 1)
    assert result.code == 0
    assert "228 minimal column sets separate at least 99 % of all pairs of rows" in result.out
    assert "and 208 more, which --json lists" in result.out
    assert "47 rows equal another row on all columns." in result.out
    assert max(len(line) for line in result.out.splitlines()) <= 80


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--epsilon", 0), "2 minimal column sets separate as much as all columns; every other set that does so holds"),
        (("--epsilon", 0, "--limit", 1), "stopped at 1 minimal column set that separates"),
        (("--epsilon", 0, "--max-size", 1), "No column set of at most 1 column can separate as much as all columns"),
        (("--epsilon", 0.1, "--max-size", 2), "3 minimal column sets of at most 2 columns separate at least 90 %"),
        (("--beta", 0.05, "--measure", "distinct"), "No column is needed to take at least 5 % as many different"),
    ],
)
def test_the_sentence(run: Callable[..., Result], people: Path, options: tuple[object, ...], sentence: str) -> None:
    result = run("keys", people, "--all", *options)
    assert result.code == 0
    assert sentence in " ".join(result.out.split())


def test_duplicates_put_a_ratio_out_of_reach(run: Callable[..., Result], tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n1,1\n1,1\n2,1\n2,2\n")
    result = run("keys", table, "--all", "--epsilon", 0.01)
    assert "No column set can separate at least 99 %" in " ".join(result.out.split())
    assert "ask with epsilon 0" in " ".join(result.out.split())
    assert "2 rows equal another row on all columns." in result.out
    assert "minimal column set separates as much as all columns" in " ".join(
        run("keys", table, "--all", "--epsilon", 0).out.split()
    )


def test_limits_without_all_are_refused(run: Callable[..., Result], people: Path) -> None:
    result = run("keys", people, "--limit", 3)
    assert result.code == 2
    assert "add --all" in result.err


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"epsilon": -1.0}, "epsilon must lie between"),
        ({"beta": 1.5}, "beta must lie between"),
        ({"measure": "x"}, "one of separation, distinct"),
        ({"method": "x"}, "search or levelwise"),
        ({"max_sets": 0}, "--limit (max_sets) must be at least 1"),
        ({"max_size": 0}, "--max-size (max_size) must be at least 1"),
        ({"max_size": 1.5}, "--max-size (max_size) must be a whole number"),
        ({"method": "levelwise", "max_size": 1}, "leave out max_size"),
    ],
)
def test_a_mistake_is_a_usage_error_that_says_what_to_do(options: dict[str, Any], advice: str) -> None:
    with pytest.raises(streamqid.UsageError) as caught:
        streamqid.all_keys(PEOPLE, **options)
    assert advice in str(caught.value)


def test_numbers_of_numpy_ask_the_same() -> None:
    numpy = streamqid.all_keys(PEOPLE, epsilon=np.float64(0.1), max_size=np.int64(2))  # type: ignore[arg-type]
    assert numpy.sets == streamqid.all_keys(PEOPLE, epsilon=0.1, max_size=2).sets
    assert streamqid.all_keys(PEOPLE, beta=np.float32(0.5)).sets == streamqid.all_keys(PEOPLE, beta=0.5).sets  # type: ignore[arg-type]


def test_many_columns_are_complete_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """24 columns that number 64 rows by single bits: six different bits are a key, and no five columns are."""
    rows = [{f"c{j:02}": (i >> (j % 6)) & 1 for j in range(24)} for i in range(64)]
    answer = streamqid.all_keys(rows, epsilon=0, max_size=2)
    assert (answer.complete, answer.complete_up_to, answer.sets) == (False, 2, [])
    assert "of at most 2 columns" in answer.guarantee
    stopped = streamqid.all_keys(rows, epsilon=0.1, max_sets=30)
    assert {len(one.columns) for one in stopped.sets} == {4}
    assert stopped.complete_up_to == 3
    assert stopped.guarantee.startswith("The search stopped at 30 minimal column sets that separate at least 90 %")
    assert stopped.guarantee.endswith("there may be more, but none of at most 3 columns.")
    monkeypatch.setattr("streamqid.problems.minimal_sets.WORK", 20_000_000)
    numbered = [{**row, "id": i} for i, row in enumerate(rows)]
    keys = streamqid.all_keys(numbered, epsilon=0)
    assert (keys.complete, keys.complete_up_to, [one.columns for one in keys.sets]) == (False, 2, [["id"]])
    halves = streamqid.all_keys(numbered, epsilon=0.5)
    assert halves.complete
    assert (halves.complete_up_to, len(halves.sets)) == (25, 25)
    with pytest.raises(streamqid.UsageError, match="up to 22 columns, not 24"):
        streamqid.all_keys(rows, method="levelwise")


def test_weights_rank_the_sets() -> None:
    answer = streamqid.all_keys(PEOPLE, epsilon=0, weights={"age": 5.0})
    assert answer.complete
    both = streamqid.all_keys(PEOPLE, beta=0.6, weights={"age": 5.0})
    assert [one.columns for one in both.sets] == [["zip"], ["age"]]
    assert [one.columns for one in streamqid.all_keys(PEOPLE, beta=0.6).sets] == [["age"], ["zip"]]
