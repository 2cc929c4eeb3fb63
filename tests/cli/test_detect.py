"""``streamqid detect``: the methods side by side, for people, for programs and as a page."""

from __future__ import annotations

import gzip
import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest

from streamqid import UsageError, detect
from tests.pages import Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY = "zq7canary"
MISTAKES = [
    (["--method", "guess"], "not 'guess'"),
    (["--identifier", "agee"], "did you mean 'age'?"),
    (["--sensitive", "agee"], "did you mean 'age'?"),
    (["--dependency", "agee->sex"], "did you mean 'age'?"),
    (["--edge", "agee-sex"], "did you mean 'age'?"),
    (["--view", "agee"], "did you mean 'age'?"),
    (["--identifier", "age", "--sensitive", "age"], "in one place only"),
    (["--dependency", "age"], "A,B->C"),
    (["--dependency", "age->"], "A,B->C"),
    (["--edge", "age"], "A-B"),
    (["--edge", "age-sex-state"], "A-B"),
    (["--edge", "age-age"], "A-B"),
    (["--k", "0"], "at least 1"),
    (["--most", "0"], "most must be at least 1, not 0"),
    (["--epsilon", "2"], "epsilon must lie between"),
    (["--beta", "2"], "beta must lie between"),
    (["--threshold", "2"], "threshold must lie between"),
    (["--html", "/dev/null/report.html"], "/dev/null/report.html"),
]


@pytest.mark.parametrize(("arguments", "advice"), MISTAKES)
def test_a_mistake_is_one_sentence(run: Callable[..., Any], people: Path, arguments: list[str], advice: str) -> None:
    result = run("detect", people, *arguments)
    assert (result.code, result.out) == (2, "")
    assert advice in result.err
    assert result.err.count("\n") == 1


def test_columns_that_are_names_by_themselves_are_told_in_the_headline(run: Callable[..., Any], tmp_path: Path) -> None:
    table = tmp_path / "names.csv"
    table.write_text("id,code\n1,a\n2,b\n3,c\n")
    page = tmp_path / "names.html"
    out = " ".join(run("detect", table, "--html", page).out.split())
    assert "Do not publish what names a person by itself: {id, code}." in Page(page.read_text()).texts
    assert "Nearly unique by themselves, and so taken for identifiers: {id, code}." in out
    assert "Nearly unique" not in " ".join(run("detect", table, "--identifier", "id,code").out.split())


def test_a_set_of_no_column_is_written_out(run: Callable[..., Any], tmp_path: Path) -> None:
    table, page = tmp_path / "equal.csv", tmp_path / "equal.html"
    table.write_text("a,b\n1,2\n1,2\n1,2\n")
    shown = run("detect", table, "--method", "k-anonymity", "--html", page).out.splitlines()
    assert any(line.split()[:2] == ["no", "column"] for line in shown)
    texts = Page(page.read_text()).texts
    assert "no column" in texts
    assert not {"{}", "Size of groups"} & set(texts)


def test_mistakes_in_the_library() -> None:
    with pytest.raises(UsageError, match="Name a method"):
        detect([{"a": 1}], methods=[])
    with pytest.raises(UsageError, match="takes a list of names"):
        detect([{"a": 1}], methods="all")
    for edges in ([("a", "a")], [("a", "b", "a", "c")], ["ab"]):
        with pytest.raises(UsageError, match=r"a pair of two names|takes a list of names"):
            detect([{"a": 1, "b": 2}], identifiers=["a"], sensitive=["b"], edges=edges)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="There is no option 'sed'"):
        detect([{"a": 1}], sed=1)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match=r"k must be a whole number\."):
        detect([{"a": 1}], k=2.5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"most must be a whole number\."):
        detect([{"a": 1}], most="2")  # type: ignore[arg-type]


PAPERS = ["separation", "distinct", "minimal", "k-anonymity", "dependencies", "articulation"]
COMPARED = ["sqia", "dpi", "f2cic", "qia", "fpcv"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ([], PAPERS),
        (["--method", "all,baselines"], [*PAPERS, *COMPARED]),
        (["--method", "dependencies", "--method", "dpi"], ["dependencies", "dpi"]),
    ],
)
def test_json_is_what_the_schema_says(
    run: Callable[..., Any], valid: Callable[..., bool], people: Path, method: list[str], expected: list[str]
) -> None:
    result = run("detect", people, "--identifier", "age", "--sensitive", "state", *method, "--json")
    assert (result.code, result.err) == (0, "")
    answer = json.loads(result.out)
    for schema in (run("schema", "detect").out, run("schema").out):
        assert valid(answer, json.loads(schema))
    assert answer["exact"]
    assert [found["method"] for found in answer["findings"]] == expected
    for found in answer["findings"]:
        assert [judged["column"] for judged in found["columns"]] == ["age", "sex", "state"]
        assert all(judged["reason"] for judged in found["columns"])


def test_the_comparison_for_people(run: Callable[..., Any], adult_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ["--sensitive", "income", "--identifier", "fnlwgt", "--seed", "1"]
    monkeypatch.setenv("COLUMNS", "200")
    with gzip.open(adult_path, "rt", encoding="utf-8") as file:
        head = "".join(islice(file, 500))
    wide = run("detect", "-", *asked, stdin=head).out.splitlines()
    assert 80 < max(map(len, wide)) <= 100
    monkeypatch.setenv("COLUMNS", "80")
    result = run("detect", adult_path, *asked)
    assert (result.code, result.err) == (0, "")
    assert max(map(len, result.out.splitlines())) <= 80
    heading = r"\nColumn +separat\. +distinct +minimal +k-anony\. +depende\. +articul\.\n"
    assert re.search(heading, result.out)
    assert re.search(r"\nage +quasi +quasi +quasi +quasi +quasi +harml\.\n", result.out)
    assert re.search(r"\nfnlwgt( +ident\.){6}\n", result.out)
    assert "quasi: part of a quasi-identifier   ·: not judged   ident.: identifier" in result.out
    assert "harml.: harmless" in result.out
    assert "more (the first 100 in --json)" in result.out
    assert "Directly related to an identifier" in result.out
    assert "32,561 rows · exact: every row counted" in result.out


def test_many_methods_leave_the_names_of_the_columns_whole(
    run: Callable[..., Any], people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    out = run("detect", people, "--method", "all,baselines", "--view", "age,sex", "--seed", "1").out
    assert "…" not in out
    assert re.search(r"\nColumn +sqia +dpi +f2cic +qia +fpcv\n", out)
    for name in ("age", "sex", "state"):
        assert len(re.findall(rf"\n{name} +(quasi|harml\.|·)", out)) == 2


def test_a_method_that_cannot_judge_says_what_it_needs(run: Callable[..., Any], people: Path) -> None:
    out = run("detect", people, "--method", "articulation").out
    assert "name them with --identifier and" in out
    assert out.startswith("No method could judge the table")


def test_declared_relations(run: Callable[..., Any], people: Path) -> None:
    known = ["--identifier", "age", "--sensitive", "state", "--edge", "age-sex", "--edge", "sex,state"]
    out = run("detect", people, "--method", "dependencies,articulation", *known, "--dependency", "sex->age").out
    assert re.search(r"\nsex +quasi +quasi\n", out)
    assert "Declared: sex->age is broken by 60 % of the rows (g3)." in out
    assert "declared: declared relations" in out


def test_the_page_stands_alone_and_says_the_same(run: Callable[..., Any], people: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    known = ["--identifier", "age", "--sensitive", "state", "--edge", "age-sex", "--edge", "sex-state"]
    result = run("detect", people, *known, "--html", file, "--json")
    answer, page = json.loads(result.out), Page(file.read_text())
    assert page.asks_for == []
    [graph] = [
        value for name, value in page.attributes if name == "aria-label" and (value or "").startswith("Graph of")
    ]
    assert graph == "Graph of 3 columns and 2 relations"
    text = " ".join(page.texts)
    assert answer["guarantee"] in page.texts
    for found in answer["findings"]:
        assert found["guarantee"] in text
        for judged in found["columns"]:
            assert ("title", judged["reason"]) in page.attributes
            assert judged["reason"] in text
    assert {name for name in ("age", "sex", "state") if name in page.texts} == {"age", "sex", "state"}


def test_a_page_of_every_kind_of_finding(run: Callable[..., Any], tmp_path: Path) -> None:
    """Rows that cannot be read, a method without what it needs, many sets, a derived graph with a column apart."""
    table, file = tmp_path / "made.csv", tmp_path / "report.html"
    names = [f"c{j}" for j in range(12)]
    rows = [[int(j in (a, b)) for j in range(12)] for a in range(12) for b in range(a)]
    lines = [",".join(map(str, [i // 2, 0, *row])) for i, row in enumerate(rows)]
    table.write_text("\n".join([",".join(["id", "same", *names]), *lines, "broken"]) + "\n")
    known = ["--identifier", "id", "--sensitive", "c0", "--threshold", "0.001", "--method", "all,qia"]
    result = run("detect", table, *known, "--html", file)
    assert (result.code, result.err) == (0, "")
    page = Page(file.read_text())
    text = " ".join(page.texts)
    assert "1 of 67 rows could not be read" in text
    for shown in (text, result.out):
        assert re.search(r"and \d+ more \(all in --json\)", shown)
    assert "Tell what an attacker may know" in text
    assert "strength" in text


def test_names_are_escaped_and_values_never_shown(run: Callable[..., Any], tmp_path: Path) -> None:
    evil = '<img src=x onerror="alert(1)">&\x1b[31m a very long name of a column'
    table, file = tmp_path / "evil<b>.csv", tmp_path / "report.html"
    rows = [f"{CANARY}{i},{CANARY}{i % 3},{CANARY}" for i in range(30)]
    quoted = evil.replace('"', '""')
    table.write_text("\n".join([f'id,"{quoted}",c', *rows, CANARY]) + "\n")
    for form in ([], ["--json"]):
        result = run("detect", table, "--identifier", "id", "--sensitive", "c", "--html", file, *form)
        assert result.code == 0, result.err
        assert CANARY not in result.out + result.err + file.read_text()
    page = Page(file.read_text())
    assert "img" not in page.tags
    assert "b" not in page.tags
    assert "\x1b" not in file.read_text()
    assert any('onerror="alert(1)"' in text for text in page.texts)
