"""What each command says, for people and for programs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ESTIMATE = {"estimate", "lower", "upper", "confidence"}
COMMON = {"problem", "rows", "sample", "exact", "seed", "guarantee"}
QUESTIONS: list[tuple[list[str], str, set[str]]] = [
    (["keys"], "separation", {"measure", "rule", "columns"}),
    (["keys", "--rule", "certified"], "separation", {"measure", "rule", "columns"}),
    (["keys", "--measure", "distinct", "--epsilon", "0.1"], "distinct", {"measure", "rule", "columns"}),
    (["keys", "--beta", "0.5", "--epsilon", "0.3"], "separation", {"measure", "rule", "columns", "beta"}),
    (["mask", "--sample", "4000"], "separation", {"measure", "rule", "publish", "hide", "beta"}),
    (["mask", "--measure", "distinct", "--rule", "certified"], "distinct", {"measure", "rule", "publish", "hide"}),
    (["check", "--columns", "age,sex", "--sample", "2000"], "separation", {"columns"}),
    (["check", "--columns", "age,sex", "--exact", "--sample", "2000"], "distinct", {"columns", "group_sizes"}),
]


@pytest.mark.parametrize(("command", "measure", "fields"), QUESTIONS, ids=lambda x: x[0] if isinstance(x, list) else "")
def test_json_has_the_promised_fields_and_is_what_the_schema_says(
    run: Callable[..., Any],
    valid: Callable[..., bool],
    adult_path: Path,
    command: list[str],
    measure: str,
    fields: set[str],
) -> None:
    result = run(*command, adult_path, "--ignore", "fnlwgt", "--seed", "7", "--json")
    assert (result.code, result.err) == (0, "")
    answer = json.loads(result.out)
    assert set(answer) >= COMMON | fields
    assert set(answer[measure]) == ESTIMATE
    assert (answer["rows"], answer["seed"]) == (32561, 7)
    assert valid(answer, json.loads(run("schema", command[0]).out))
    assert valid(answer, json.loads(run("schema").out))


def test_json_of_scan_and_plan_is_what_the_schema_says(
    run: Callable[..., Any], valid: Callable[..., bool], people: Path
) -> None:
    for command in (["scan", people], ["plan", "--columns", "3"], ["plan", "--columns", "3", "--beta", "0.8"]):
        answer = json.loads(run(*command, "--json").out)
        assert valid(answer, json.loads(run("schema", command[0]).out))
        assert valid(answer, json.loads(run("schema").out))
        assert not valid({**answer, "more": 1}, json.loads(run("schema", command[0]).out))
        assert not valid(answer, json.loads(run("schema", "keys").out))


def test_keys_for_people(run: Callable[..., Any], adult_path: Path) -> None:
    out = run("keys", adult_path, "--ignore", "fnlwgt", "--seed", 1).out
    first, *_ = out.split("\n\n")
    answer = json.loads(run("keys", adult_path, "--ignore", "fnlwgt", "--seed", 1, "--json").out)
    assert " ".join(first.split()) == answer["guarantee"]
    assert "In the set" in out
    assert "Lost without it" in out
    assert "Gained with it" in out
    assert "Interval (99 %)" in out
    assert "rule paper · 32,561 rows · sample of 14,303 pairs · confidence 99 %\nRepeat with --seed 1\n" in out
    assert "equal another row on all columns" in out


def test_mask_for_people(run: Callable[..., Any], people: Path) -> None:
    out = run("mask", people, "--measure", "distinct", "--beta", "0.8").out
    assert out.startswith("The rows take 80 % as many different values on {sex, state}")
    assert out.index("Publish") < out.index("state", out.index("Publish")) < out.index("Hide") < out.index("age")
    assert "rule paper · 5 rows · exact: every row counted" in out
    unmet = run("mask", people, "--beta", "0.5", "--must-publish", "age").out
    assert unmet.startswith("Even the columns that must be published exceed 50 %")
    assert "Must publish" in unmet


def test_check_for_people(run: Callable[..., Any], people: Path) -> None:
    out = run("check", people, "--columns", "sex,state").out
    assert out.startswith(
        "Any two random rows differ on {sex, state} in 90 % of cases (exact: every row\nwas counted)."
    )
    assert "4 groups of equal rows" in out
    assert "5 rows in groups smaller than 5" in " ".join(out.split())


def test_scan_for_people(run: Callable[..., Any], adult_path: Path) -> None:
    out = run("scan", adult_path, "--ignore", "fnlwgt", "--sample", "12000", "--epsilon", "0.01").out
    places = [out.index(title) for title in ("Columns by risk", "Identifies people", "May be published", "Next\n")]
    assert places == sorted(places)
    assert out.index("age") < out.index("education-num")
    assert " – " in out
    assert "· publish: " in out
    assert "· hide: " in out


def test_plan_for_people(run: Callable[..., Any]) -> None:
    out = run("plan", "--columns", "14", "--rows", "32561").out
    assert "14,303 pairs" in out
    assert "ln(2^m/δ) / −ln(1−ε)" in out
    assert "needs --rows" not in out
    assert "needs --rows" in run("plan", "--columns", "14").out


def test_a_wide_table_shows_the_columns_that_matter_and_counts_the_rest(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "wide.csv"
    names = [f"column{j}" for j in range(50)]
    path.write_text("\n".join([",".join(names), *(",".join([str(i)] * 50) for i in range(9))]))
    overview = run("scan", path).out
    assert "and 35 more, with 0 % of the risk together" in overview
    assert " ".join(overview.split()).count("column39, and 10 more") == 1
    assert "column49" in run("mask", path).out
    assert "and 39 more, each at most 0 %" in run("keys", path).out


def test_what_a_sample_shows_of_columns_that_are_only_counted_is_not_said_to_be_certain(
    run: Callable[..., Any], adult_path: Path
) -> None:
    asked = ("check", adult_path, "--columns", "age,sex,race", "--sample", "500", "--seed", "1")
    answer = json.loads(run(*asked, "--json").out)
    others = [one["change"] for one in answer["contributions"] if not one["member"]]
    uppers = [one["upper"] for one in sorted(others, key=lambda one: -one["estimate"])[10:]]
    (told,) = re.findall(r"and (\d+) more, each at most ([\d.]+) %", run(*asked).out)
    assert int(told[0]) == len(uppers) > 0
    assert 0.0 < max(uppers) <= float(told[1]) / 100 < 0.02
    by_tuples = ("keys", adult_path, "--measure", "distinct", "--epsilon", "0.5", "--memory", "300KB")
    assert re.search(r"and \d+ more, each at most [\d.]+ % in the sample", run(*by_tuples, "--seed", "1").out)


def test_rows_that_may_be_unique_are_not_said_to_be(run: Callable[..., Any], adult_path: Path) -> None:
    told = [" ".join(run("mask", adult_path, "--beta", "0.8", "--sample", size).out.split()) for size in (4000, 50_000)]
    assert "of the rows may be unique on them: such a person stands out." in told[0]
    assert "of the rows are unique on them: these persons stand out." in told[1]


@pytest.mark.parametrize("command", [["keys"], ["mask"], ["scan"], ["check", "--columns", "age"]])
def test_the_same_seed_gives_the_same_bytes(run: Callable[..., Any], adult_path: Path, command: list[str]) -> None:
    arguments = [*command, adult_path, "--seed", "3", "--json"]
    assert run(*arguments).out == run(*arguments).out


def test_a_random_seed_is_told_and_repeats_the_answer(run: Callable[..., Any], adult_path: Path) -> None:
    first = run("keys", adult_path, "--json").out
    assert run("keys", adult_path, "--json", "--seed", json.loads(first)["seed"]).out == first


def test_lists_of_names(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text('"name, first",a,b\n1,2,3\n2,2,4\n')
    both = json.loads(run("check", path, "--columns", '"name, first",a', "--columns", "b", "--json").out)
    assert both["columns"] == ["name, first", "a", "b"]
    assert run("keys", path, "--only", "a, b", "--weights", 'a=2,"b"=0.5').code == 0
    assert run("keys", path, "--weights", '"name, first=3"').code == 0
    path.write_text("a, b ,c\n1,2,3\n2,2,4\n")
    for given in (" b ", '" b "', "a, b "):
        code = run("check", path, "--columns", given).code
        assert code == (2 if given == "a, b " else 0), given


def test_weights_turn_the_choice(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "twins.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i}\n" for i in range(9)))
    assert json.loads(run("keys", path, "--weights", "a=2", "--json").out)["columns"] == ["b"]
    assert json.loads(run("keys", path, "--weights", "b=2", "--json").out)["columns"] == ["a"]


def test_options_of_reading(run: Callable[..., Any]) -> None:
    rows = "a;b\n?;1\n?;2\n3;3\n"

    def separation(*options: str) -> float:
        given = run("check", "-", "--columns", "a", "--json", "--delimiter", ";", *options, stdin=rows)
        return float(json.loads(given.out)["separation"]["estimate"])

    assert separation() == pytest.approx(2 / 3)
    assert separation("--missing", "distinct", "--missing-marker", "?") == 1.0
    assert separation("--memory", "2MB", "--format", "csv") == pytest.approx(2 / 3)
    jsonl = run("keys", "-", "--json", "--format", "jsonl", stdin='{"a": 1}\n{"a": 2}\n')
    assert json.loads(jsonl.out)["columns"] == ["a"]


@pytest.mark.parametrize("command", [["keys"], ["mask"], ["scan"], ["check", "--columns", "a"]])
@pytest.mark.parametrize("rows", ["a\n1\n", "a,b\n1,2\n", "a\n1\n2\n3\n", "a,b\n1,1\n1,1\n1,1\n"])
def test_small_tables_have_answers(run: Callable[..., Any], command: list[str], rows: str) -> None:
    for form in ([], ["--json"]):
        result = run(*command, "-", *form, stdin=rows)
        assert (result.code, result.err) == (0, "")
        assert result.out


def test_small_tables_have_the_right_answers(run: Callable[..., Any]) -> None:
    same = json.loads(run("keys", "-", "--json", stdin="a,b\n1,1\n1,1\n1,1\n").out)
    assert (same["columns"], same["inseparable_rows"], same["exact"]) == ([], 3, True)
    one = json.loads(run("keys", "-", "--json", stdin="a\n1\n").out)
    assert (one["columns"], one["rows"]) == ([], 1)
    column = json.loads(run("keys", "-", "--json", stdin="a\n1\n2\n3\n").out)
    assert (column["columns"], column["separation"]["estimate"]) == (["a"], 1.0)
    assert "1 row ·" in run("keys", "-", stdin="a\n1\n").out


def test_bad_rows_are_counted_and_located(run: Callable[..., Any]) -> None:
    rows = "a,b\n1,2\n1\n3,4\n5,6,7\n"
    found = json.loads(run("keys", "-", "--json", stdin=rows).out)["unreadable"]
    assert found == {"looked_at": 4, "found": 2, "reasons": {"wrong number of fields": 2}, "lines": [3, 5]}
    sentence = "2 of 4 rows looked at could not be read: wrong number of fields (lines 3, 5)."
    assert sentence in " ".join(run("keys", "-", stdin=rows).out.split())
    mixed = "a,b\n1,2\n1\n3,4\n5,\x006\n" + "7\n" * 20
    told = " ".join(run("scan", "-", stdin=mixed).out.split())
    assert "NUL byte (1), wrong number of fields (21) (lines 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, …)." in told


def test_version(run: Callable[..., Any]) -> None:
    result = run("--version")
    assert result.code == 0
    assert result.out.startswith("streamqid 0.")


def test_demo_runs_with_its_options(run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}
    monkeypatch.setattr("streamqid.demo.demo", lambda **given: seen.update(given))
    assert run("demo", "--rows", "5", "--seed", "2", "--directory", tmp_path, "--json").code == 0
    assert seen == {"rows": 5, "seed": 2, "directory": tmp_path, "json": True, "keep": False, "look": None}
