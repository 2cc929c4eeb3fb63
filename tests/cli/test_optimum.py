"""``keys --solver exact``, ``mask --solver exact`` and ``keys --measure k-anonymity``, as a user starts them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMANDS: list[tuple[list[str], str, set[str]]] = [
    (["keys", "--solver", "exact"], "optimal-keys", {"columns", "optimality", "separation", "distinct"}),
    (["keys", "--solver", "exact", "--epsilon", "0"], "optimal-keys", {"columns", "optimality"}),
    (["keys", "--solver", "exact", "--beta", "0.9"], "optimal-keys", {"columns", "beta"}),
    (["keys", "--solver", "exact", "--measure", "distinct"], "optimal-keys", {"columns"}),
    (["mask", "--solver", "exact", "--must-publish", "sex"], "optimal-mask", {"publish", "hide", "optimality"}),
    (["mask", "--solver", "exact", "--time-limit", "0.000001"], "optimal-mask", {"publish"}),
    (["keys", "--measure", "k-anonymity", "--k", "5"], "k-anonymity", {"columns", "anonymous", "exposed"}),
    (["keys", "--measure", "k-anonymity", "--k", "2", "--solver", "exact"], "k-anonymity", {"optimality"}),
    (["keys", "--measure", "k-anonymity", "--k", "2", "--exposes", "every"], "k-anonymity", {"exposes"}),
    (["keys", "--measure", "k-anonymity", "--k", "2", "--sample", "4000"], "k-anonymity", {"columns"}),
    (["keys", "--solver", "exact", "--rule", "tuples", "--epsilon", "0.01"], "optimal-keys", {"columns", "delta"}),
    (["keys", "--rule", "tuples", "--epsilon", "0.01"], "keys", {"columns", "rule"}),
]


@pytest.mark.parametrize(("command", "name", "fields"), COMMANDS)
def test_json_is_what_the_schema_says_and_people_get_a_sentence(
    run: Callable[..., Any],
    valid: Callable[..., bool],
    adult_path: Path,
    command: list[str],
    name: str,
    fields: set[str],
) -> None:
    result = run(*command, adult_path, "--ignore", "fnlwgt", "--seed", "7", "--json")
    assert (result.code, result.err) == (0, "")
    answer = json.loads(result.out)
    assert set(answer) >= fields | {"problem", "rows", "sample", "exact", "seed", "guarantee"}
    assert (answer["rows"], answer["seed"]) == (32561, 7)
    assert valid(answer, json.loads(run("schema", name).out))
    assert valid(answer, json.loads(run("schema").out))
    assert not valid(answer, json.loads(run("schema", "scan").out))
    page = run(*command, adult_path, "--ignore", "fnlwgt", "--seed", "7").out
    assert page.replace("\n", " ").startswith(answer["guarantee"])
    assert max(map(len, page.splitlines())) <= 80
    assert "Repeat with --seed 7" in page


def test_the_optimum_stands_beside_the_greedy_answer(run: Callable[..., Any], adult_path: Path) -> None:
    page = run("mask", adult_path, "--ignore", "fnlwgt", "--beta", "0.99", "--solver", "exact", "--seed", "1").out
    lines = [line.split() for line in page.splitlines()]
    assert ["optimal", "10", "10"] in lines
    assert ["greedy", "9", "9"] in lines


def test_time_that_ran_out_is_told(run: Callable[..., Any], adult_path: Path) -> None:
    page = run("mask", adult_path, "--solver", "exact", "--time-limit", "0.000001").out
    assert "the time of 1e-06 s ran out" in page.replace("\n", " ")
    assert "best found" in page
    assert "not proven within 1e-06 s: the bound is 15" in page


def test_a_table_that_is_anonymous_has_no_quasi_identifier(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("a,b\n1,2\n1,2\n3,4\n3,4\n")
    for solver in ("greedy", "exact"):
        result = run("keys", path, "--measure", "k-anonymity", "--k", "2", "--solver", solver)
        assert result.code == 0
        assert result.out.startswith("All columns together are 2-anonymous, so there is no quasi-identifier")


def test_an_unknown_answer_stands_out(run: Callable[..., Any], adult_path: Path) -> None:
    page = run("keys", adult_path, "--measure", "k-anonymity", "--k", "2", "--sample", "20").out
    assert page.startswith("Unknown: the sample proves no column set")


MISTAKES = [
    (["keys", "--solver", "exact", "--rule", "certified"], "leave out --rule certified"),
    (["keys", "--time-limit", "3"], "add --solver exact"),
    (["mask", "--time-limit", "3"], "add --solver exact"),
    (["keys", "--solver", "exact", "--time-limit", "0"], "positive number of seconds, not 0"),
    (["keys", "--solver", "exact", "--epsilon", "2"], "epsilon must lie between 0 and 1"),
    (["keys", "--solver", "exact", "--measure", "distinct", "--beta", "0.5"], "separation only"),
    (["keys", "--measure", "k-anonymity"], "add --k, such as --k 5"),
    (["keys", "--measure", "k-anonymity", "--k", "1"], "k must be at least 2, not 1"),
    (["keys", "--measure", "k-anonymity", "--k", "2", "--beta", "0.5"], "leave them out"),
    (["keys", "--measure", "k-anonymity", "--k", "2", "--sample", "0"], "sampled rows must be at least 1, not 0"),
    (["keys", "--measure", "k-anonymity", "--k", "2", "--sample", "9", "--exposes", "every"], "whole table only"),
    (["keys", "--k", "2"], "are for --measure k-anonymity"),
    (["mask", "--solver", "exact", "--must-publish", "age", "--must-hide", "age"], "published and hidden at once"),
    (["mask", "--solver", "exact", "--must-publish", "agge"], "'age'"),
    (["keys", "--rule", "tuples", "--measure", "distinct"], "The rule tuples finds keys by separation"),
    (["keys", "--solver", "exact", "--rule", "tuples", "--beta", "0.5"], "The rule tuples finds keys by separation"),
    (["keys", "--solver", "exact", "--rule", "tuples", "--epsilon", "0"], "epsilon must lie between 0 and 1"),
    (["keys", "--rule", "tuples", "--beta", "0.5"], "The rule tuples finds keys by separation"),
]


@pytest.mark.parametrize(("arguments", "advice"), MISTAKES)
def test_a_mistake_is_one_sentence(run: Callable[..., Any], people: Path, arguments: list[str], advice: str) -> None:
    result = run(*arguments, people)
    assert (result.code, result.out) == (2, "")
    assert advice in result.err
    assert result.err.count("\n") == 1
