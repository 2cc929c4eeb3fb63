"""The audit as a user starts it: figures, limits, mistakes, and nothing of the table in what is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import streamqid

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TABLE, TREE = "TABLE", "TREE"  # stand for the paths of a good table and of its hierarchy
HEADER = "zip,age,ill,wage"
LINES = ["98*,3*,flu,10", "98*,3*,cold,20", "97*,*,flu,10", "97*,*,cancer,40", "97*,*,flu,20"]
QUASI = ["--quasi", "zip,age"]
SENSITIVE = [*QUASI, "--sensitive", "ill,wage"]
MISTAKES = [
    ([], "--quasi"),
    (["--quasi", ","], "at least one quasi-identifier"),
    (["--quasi", "zipp"], "did you mean 'zip'?"),
    ([*QUASI, "--sensitive", "il"], "did you mean 'ill'?"),
    ([*QUASI, "--sensitive", "age"], "in one place only"),
    ([*QUASI, "--ignore", "zip"], "in one place only"),
    ([*QUASI, "--only", "zip"], "take it out of ignore, or into only"),
    ([*QUASI, "--k", "6"], "larger than the table, which has 5 readable rows"),
    ([*QUASI, "--k", "0"], "at least 1"),
    ([*QUASI, "--k", "many"], "--k"),
    ([*QUASI, "--l", "2"], "name at least one"),
    ([*SENSITIVE, "--l", "0"], "at least 1"),
    ([*SENSITIVE, "--t", "-0.1"], "between 0 and 1"),
    ([*SENSITIVE, "--t", "1.1"], "between 0 and 1"),
    ([*SENSITIVE, "--t", "nan"], "between 0 and 1"),
    ([*SENSITIVE, "--c", "2"], "l as well as c"),
    ([*SENSITIVE, "--l", "2", "--c", "-1"], "at least 0"),
    ([*SENSITIVE, "--alpha", "2"], "between 0 and 1"),
    ([*SENSITIVE, "--delta", "-1"], "at least 0"),
    ([*SENSITIVE, "--beta", "-1"], "at least 0"),
    ([*SENSITIVE, "--beta", "inf"], "at least 0"),
    ([*SENSITIVE, "--ordered", "ill"], "Line 2 of"),
    ([*SENSITIVE, "--ordered", "zip"], "is not sensitive"),
    ([*SENSITIVE, "--hierarchy", "ill"], "NAME=FILE"),
    ([*SENSITIVE, "--hierarchy", "wage=/nowhere/tree.csv"], "cannot be read"),
    ([*SENSITIVE, "--hierarchy", f"wage={TREE}"], "Row 1 has a value"),
    ([*SENSITIVE, "--hierarchy", f"ill={TREE}", "--hierarchy", f"ill={TREE}"], "two hierarchies"),
    ([*SENSITIVE, "--hierarchy", f"wage={TREE}", "--ordered", "wage"], "in one place only"),
    ([*QUASI, "--suppressed-as", "nothing"], "'nothing'"),
    ([*QUASI, "--missing-sensitive", "maybe"], "'maybe'"),
]


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    path.write_text("\n".join([HEADER, *LINES]) + "\n")
    (tmp_path / "tree.csv").write_text("flu,lung,all\ncold,lung,all\ncancer,tumour,all\n")
    return path


@pytest.mark.parametrize(("arguments", "advice"), MISTAKES)
def test_a_mistake_is_one_sentence(run: Callable[..., Any], patients: Path, arguments: list[str], advice: str) -> None:
    tree = str(patients.parent / "tree.csv")
    result = run("audit", patients, *(argument.replace(TREE, tree) for argument in arguments))
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("streamqid: ")
    assert advice in result.err
    assert result.err.count("\n") == 1


@pytest.mark.parametrize("content", ["", f"{HEADER}\n", f"{HEADER}\n1\n2\n"])
def test_a_table_without_rows_is_refused(run: Callable[..., Any], tmp_path: Path, content: str) -> None:
    path = tmp_path / "none.csv"
    path.write_text(content)
    result = run("audit", path, *SENSITIVE, "--k", "1")
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)


def test_missing_sensitive_values_are_refused_or_one_value(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("zip,ill\n1,flu\n1,\n1,?\n2,flu\n2,\n")
    arguments = ["audit", path, "--quasi", "zip", "--sensitive", "ill", "--missing-marker", "?"]
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert "'ill' has missing values (3, the first in row 2)" in result.err
    for rule in ("value", "equal", "distinct"):
        answer = json.loads(run(*arguments, "--missing", rule, "--missing-sensitive", "value", "--json").out)
        assert (answer["missing"], answer["missing_as"]) == ({"quasi": 0, "sensitive": 3}, rule)
        assert (answer["sensitive"][0]["values"], answer["sensitive"][0]["distinct_l"]) == (2, 2)
    assert "3 missing sensitive cells counted as one value." in run(*arguments, "--missing-sensitive", "value").out
    ordered = run(*arguments, "--missing-sensitive", "value", "--ordered", "ill")
    assert (ordered.code, "has no number in column 'ill'" in ordered.err) == (2, True)


def test_limits_that_are_not_met_are_an_answer_and_fail_only_when_asked(
    run: Callable[..., Any], patients: Path
) -> None:
    result = run("audit", patients, *QUASI, "--k", "3")
    assert (result.code, result.err) == (0, "")
    assert "1 of 1 limit not met" in result.out
    limit = next(line for line in result.out.splitlines() if "NOT met" in line)
    assert limit.split()[1:5] == ["3", "2", "2", "1"]  # asked, found, rows and groups below
    assert run("audit", patients, *QUASI, "--k", "3", "--fail").code == 1
    assert run("audit", patients, *QUASI, "--k", "2", "--fail").code == 0
    assert run("audit", patients, *QUASI, "--fail").code == 0


def test_what_is_shown_fits_80_columns_and_tells_no_value(run: Callable[..., Any], patients: Path) -> None:
    tree = patients.parent / "tree.csv"
    limits = ["--k", "3", "--l", "2", "--c", "1", "--t", "0.1", "--alpha", "0.4", "--delta", "0.1", "--beta", "0.1"]
    arguments = ["audit", patients, *SENSITIVE, "--ordered", "wage", "--hierarchy", f"ill={tree}", *limits]
    out = run(*arguments).out
    assert max(map(len, out.splitlines())) <= 80
    assert "5 suppressed" not in out  # 3* and 98* are values; only the cell * is suppressed
    assert "3 suppressed cells of the quasi-identifiers counted as a value of their own." in out
    document = run(*arguments, "--json").out
    for value in ("flu", "cold", "cancer", "98*", "97*", "lung", "tumour"):
        assert value not in out
        assert value not in document


def test_the_json_is_what_the_schema_says(run: Callable[..., Any], patients: Path, valid: Callable[..., bool]) -> None:
    document = json.loads(run("audit", patients, *SENSITIVE, "--k", "2", "--l", "2", "--json").out)
    schema = json.loads(run("schema", "audit").out)
    assert valid(document, schema)
    assert not valid({**document, "more": 1}, schema)
    limit = document["limits"][0]
    assert (limit["model"], limit["met"], limit["sentence"]) == (
        "k-anonymity",
        True,
        "k-anonymity with k = 2 holds: the smallest group has 2 rows.",
    )


def test_all_rows_equal_is_an_answer(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "equal.csv"
    path.write_text("a,s\n" + "1,x\n" * 4)
    result = run("audit", path, "--quasi", "a", "--sensitive", "s", "--k", "4", "--t", "0")
    assert result.code == 0
    assert "All 4 rows are equal on {a}; all 2 limits are met" in " ".join(result.out.split())
    one = tmp_path / "one.csv"
    one.write_text("a\n1\n")
    assert "The table has one row" in run("audit", one, "--quasi", "a").out


def test_suppressed_cells_match_anything_when_asked(run: Callable[..., Any], patients: Path) -> None:
    arguments = ["audit", patients, "--quasi", "age", "--suppressed-as", "any"]
    assert json.loads(run(*arguments, "--json").out)["groups"]["smallest"] == 5
    assert "matching any value" in run(*arguments).out
    assert "All 5 rows match on {age}" in run(*arguments).out
    both = " ".join(run("audit", patients, *QUASI, "--suppressed-as", "any").out.split())
    assert "Every row matches at least 1 other on {zip, age}" in both
    other = json.loads(run(*arguments, "--suppressed", "3*", "--json").out)
    assert other["suppressed"]["quasi"] == 2


def test_limits_beyond_all_reason_are_judged(run: Callable[..., Any], patients: Path) -> None:
    large = ["--l", str(10**30), "--c", "1e300", "--delta", "1e300", "--beta", "1e300"]
    document = json.loads(run("audit", patients, *SENSITIVE, *large, "--json").out)
    met = {limit["model"]: limit["met"] for limit in document["limits"] if limit["column"] == "ill"}
    assert not met["distinct l-diversity"]
    assert not met["frequency l-diversity"]
    assert not met["recursive (c, l)-diversity"]
    assert met["δ-disclosure privacy"]
    assert met["basic β-likeness"]
    assert run("audit", patients, *SENSITIVE, *large).code == 0


def test_rows_that_cannot_be_read_are_not_said_to_be_counted(run: Callable[..., Any], tmp_path: Path) -> None:
    path, page = tmp_path / "ragged.csv", tmp_path / "page.html"
    path.write_text("a,s\n1,x\n1\n1,x\n")
    out = " ".join(run("audit", path, "--quasi", "a", "--html", page).out.split())
    assert "(exact: every readable row was counted)" in out
    assert "1 of 3 rows looked at could not be read: wrong number of fields (line 3)." in out
    assert "Every readable row was counted" in page.read_text()


def test_suppressed_and_missing_cells_are_told(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "cells.csv"
    path.write_text("a,s\n,x\n1,*\n1,x\n")
    out = " ".join(run("audit", path, "--quasi", "a", "--sensitive", "s").out.split())
    assert "1 suppressed cell of sensitive columns counted as a value of their own." in out
    assert "1 missing cell of the quasi-identifiers compared by the rule “value” (--missing)." in out


def test_the_library_refuses_what_the_command_line_cannot_be_given() -> None:
    rows = [{"a": 1, "s": 1}, {"a": 1, "s": 2}]
    with pytest.raises(streamqid.UsageError, match="one of value, any"):
        streamqid.audit(rows, quasi=["a"], suppressed_as="nothing")
    with pytest.raises(streamqid.UsageError, match="one of refuse, value"):
        streamqid.audit(rows, quasi=["a"], missing_sensitive="nothing")
    with pytest.raises(streamqid.UsageError, match="whole number"):
        streamqid.audit(rows, quasi=["a"], k=1.5)  # type: ignore[arg-type]
    with pytest.raises(streamqid.UsageError, match=r"write \['a'\]"):
        streamqid.audit(rows, quasi="a")
    with pytest.raises(streamqid.UsageError, match="There is no option 'kk'"):
        streamqid.audit(rows, quasi=["a"], kk=2)  # type: ignore[call-arg]
    answer = streamqid.audit(rows, quasi=["a"], sensitive=["s"], suppressed=[], hierarchy=None)
    assert answer.suppressed.quasi == 0
