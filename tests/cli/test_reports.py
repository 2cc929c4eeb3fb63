"""The web pages of ``scan``, ``audit`` and ``detect``: whole, alone, and without a value of the table."""

from __future__ import annotations

import gzip
import html
import json
import re
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest

import streamqid
from streamqid.report.lattice_svg import Spot
from streamqid.report.sets_svg import sets_svg
from tests.pages import Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY = "zq7canary"
EVIL = '<img src=x onerror="alert(1)">&`\x1b[31m a very long name of a column'
QUASI = ["age", "sex", "race", "education"]
ADULT = {
    "scan": ["scan", "--ignore", "fnlwgt"],
    "scan, all columns": ["scan", "--rule", "paper"],
    "scan of a sample": ["scan", "--ignore", "fnlwgt", "--sample", "4000", "--epsilon", "0.01"],
    "audit": ["audit", "--quasi", ",".join(QUASI), "--sensitive", "income,occupation", "--k", "5", "--l", "2"],
    "audit without limits": ["audit", "--quasi", "native-country"],
    "detect": ["detect", "--only", "age,education,income,sex", "--method", "separation,dependencies"],
}


@pytest.fixture(scope="module")
def values(adult_path: Path) -> set[str]:
    """Every text in the table, and every weight of four digits or more."""
    with gzip.open(adult_path, "rt") as file:
        frame = pd.read_csv(file, dtype=str)
    texts = {value for name in frame for value in frame[name].unique() if re.search("[A-Za-z]{3}", value)}
    return texts | {value for value in frame["fnlwgt"].unique() if len(value) > 3}


def found_in(text: str, values: set[str]) -> set[str]:
    return set(re.findall(r"[\w?()&<>=-]+", text)) & values


@pytest.mark.parametrize("arguments", ADULT.values(), ids=ADULT)
def test_the_report_of_adult_stands_alone_and_shows_no_value(
    run: Callable[..., Any], adult_path: Path, tmp_path: Path, values: set[str], arguments: list[str]
) -> None:
    file = tmp_path / "report.html"
    command, *options = arguments
    result = run(command, adult_path, *options, "--seed", "1", "--html", file, "--json")
    assert (result.code, result.err) == (0, "")
    text = file.read_text()
    page = Page(text)
    assert page.asks_for == []
    assert "default-src 'none'" in text
    assert len(text.encode()) < 100_000
    visible = " ".join([*page.texts, *(value or "" for _, value in page.attributes)])
    assert found_in(visible, values) == set()
    verdict = re.search('</header><p class="verdict">(.+?)</p>', text)
    assert verdict is not None
    assert html.unescape(verdict[1]) in json.loads(result.out)["guarantee"]
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_a_value_would_be_noticed(values: set[str]) -> None:
    assert {"Bachelors", "Married-civ-spouse", "Holand-Netherlands", "77516"} <= values
    assert found_in("Most of them are Bachelors: 77516", values) == {"Bachelors", "77516"}
    assert Page('<p><a href="http://x.org">x</a></p>').asks_for


def test_the_overview_says_what_the_answer_says(run: Callable[..., Any], adult_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "overview.html"
    options = ["--ignore", "fnlwgt", "--sample", "4000", "--epsilon", "0.003", "--seed", "1"]
    answer = json.loads(run("scan", adult_path, *options, "--html", file, "--json").out)
    assert not answer["exact"]
    page = Page(file.read_text())
    text = " ".join(page.texts)
    for sentence in (answer["key"]["guarantee"], answer["mask"]["guarantee"]):
        assert sentence in page.texts
    for risk in answer["columns"]:
        assert page.texts.count(risk["column"]) >= 2
    assert f"a random sample of {answer['sample']:,} rows" in text
    assert "both together hold with probability 98 %" in text
    # Of three columns: each alone, all but one, and all of them.
    assert len(answer["key"]["columns"]) == 3
    assert sum(words.startswith("without ") for words in page.texts) >= 3
    assert page.tags.count("path") == 9
    most = -(-(1 - answer["key"]["separation"]["lower"]) * (answer["rows"] - 1) // 1)
    assert f"≤ {most:,.0f}" in page.texts


def test_the_audit_counts_groups_as_pandas_does(run: Callable[..., Any], adult_path: Path, tmp_path: Path) -> None:
    file = tmp_path / "audit.html"
    result = run("audit", adult_path, "--quasi", ",".join(QUASI), "--k", "5", "--html", file, "--json")
    answer, frame = json.loads(result.out), pd.read_csv(adult_path)
    sizes = frame.groupby(QUASI).size()
    assert [(band["least"], band["most"]) for band in answer["sizes"]][:4] == [(1, 1), (2, 2), (3, 4), (5, 9)]
    for band in answer["sizes"]:
        here = sizes[(sizes >= band["least"]) & (sizes <= (band["most"] or sizes.max()))]
        assert (band["groups"], band["rows"]) == (len(here), here.sum())
    assert sum(band["rows"] for band in answer["sizes"]) == answer["rows"] == 32_561
    for found in answer["columns"]:
        without = frame.groupby([name for name in QUASI if name != found["column"]]).size()
        alone = frame.groupby(found["column"]).size()
        assert (found["without"]["groups"], found["without"]["unique_rows"]) == (len(without), (without == 1).sum())
        assert (found["alone"]["groups"], found["alone"]["smallest"]) == (len(alone), alone.min())
    page = Page(file.read_text())
    assert {"limits NOT met", "NOT met", "1 (alone)", f"{(sizes == 1).sum():,}"} <= set(page.texts)
    assert page.tags.count("path") == 16


def test_the_page_of_detect_shows_columns_sets_and_groups(
    run: Callable[..., Any], adult_path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "detect.html"
    options = ["--only", "age,education,income,sex", "--method", "separation,dependencies,minimal", "--seed", "1"]
    answer = json.loads(run("detect", adult_path, *options, "--html", file, "--json").out)
    page = Page(file.read_text())
    first = [found["sets"][0] for found in answer["findings"] if found["sets"]]
    assert page.tags.count("path") == sum(len(item["columns"]) for item in first) > 0
    assert {f"{item['unique_rows']:,} rows alone" for item in first} <= set(page.texts)
    sets = [item for found in answer["findings"] for item in found["sets"]]
    assert page.texts[page.texts.index(f"Of {len(sets)} listed sets") + 1] == "age"
    holding = sum("age" in item["columns"] for item in sets)
    times = sum(
        verdict["verdict"] == "quasi-identifier"
        for found in answer["findings"]
        for verdict in found["columns"]
        if verdict["column"] == "age"
    )
    assert page.texts[page.texts.index("age") + 1 :][:2] == [f"{times} of 3", str(holding)]
    headings = ["What to do", "Risk by column", "What the sets are made of", "Size of groups"]
    places = [page.texts.index(one) for one in [*headings, "What is promised, and what is not"]]
    assert places == sorted(places)


def test_the_advice_of_detect_names_each_smallest_set_once(run: Callable[..., Any], tmp_path: Path) -> None:
    """By separation {a, b}, by minimal sets {b, a}; both hold {a}, which k-anonymity finds."""
    table, file = tmp_path / "table.csv", tmp_path / "detect.html"
    table.write_text("b,a\n" + "".join(f"{i % 3},{i // 3}\n" for i in range(30)))
    options = ["--epsilon", "0.001", "--k", "4", "--method"]
    assert run("detect", table, *options, "separation,minimal", "--html", file).code == 0
    assert "Do not publish these columns together as they are: {a, b}." in Page(file.read_text()).texts
    assert run("detect", table, *options, "separation,minimal,k-anonymity", "--html", file).code == 0
    assert "Do not publish these columns together as they are: {a}." in Page(file.read_text()).texts


def test_the_page_of_detect_without_any_set(run: Callable[..., Any], tmp_path: Path) -> None:
    table, file = tmp_path / "equal.csv", tmp_path / "detect.html"
    table.write_text("a,b\n" + "1,2\n" * 30)
    assert run("detect", table, "--method", "k-anonymity", "--html", file).code == 0
    page = Page(file.read_text())
    assert "What the sets are made of" not in page.texts
    assert any(text.startswith("Nothing by these methods") for text in page.texts)


def test_a_set_of_too_many_columns_is_not_drawn() -> None:
    columns = [f"c{i}" for i in range(30)]
    spot = Spot("distinct", "3 rows alone")
    assert sets_svg(columns, [(spot, columns)]) == sets_svg(columns, []) == ""
    assert sets_svg(columns, [(spot, columns[:3])]).count("<path") == 3


def test_the_pages_of_odd_tables(run: Callable[..., Any], tmp_path: Path) -> None:
    """One row, equal rows, rows that cannot be read, cells without a value: a page each, with the sentence on it."""
    tables = {
        "one": "a,b\n1,2\n",
        "equal": "a,b\n" + "1,2\n" * 30,
        "broken": "a,b\n" + "".join(f"{i},{i % 3}\n" for i in range(30)) + "broken\n",
        "hidden": "a,b\n*,1\n*,2\n,1\n3,\n3,1\n3,1\n",
    }
    for name, content in tables.items():
        table, file = tmp_path / f"{name}.csv", tmp_path / f"{name}.html"
        table.write_text(content)
        any_value = ["--suppressed-as", "any"] if name == "hidden" else []
        for arguments in (["scan"], ["audit", "--quasi", "a", "--k", "1", *any_value], ["audit", "--quasi", "a,b"]):
            command, *options = arguments
            result = run(command, table, *options, "--html", file, "--json")
            assert (result.code, result.err) == (0, "")
            answer, text = json.loads(result.out), " ".join(Page(file.read_text()).texts)
            assert (answer["key"] if command == "scan" else answer)["guarantee"] in text
            assert ("could not be read" in text) is (name == "broken")
            assert "not certain" not in text, "every row was counted"
    text = " ".join(Page((tmp_path / "hidden.html").read_text()).texts)
    assert "2 suppressed cells" in text
    assert "missing cell" in text


def test_an_answer_that_the_sample_cannot_support_is_marked(
    run: Callable[..., Any], adult_path: Path, tmp_path: Path
) -> None:
    file = tmp_path / "overview.html"
    options = ["--only", "age,occupation,sex,race", "--epsilon", "0.00001", "--memory", "1MB", "--seed", "1"]
    answer = json.loads(run("scan", adult_path, *options, "--html", file, "--json").out)
    assert (answer["exact"], answer["key"]["met"]) == (False, False)
    assert {answer["key"]["guarantee"], "not certain"} <= set(Page(file.read_text()).texts)


@pytest.mark.parametrize("command", [["scan"], ["audit", "--k", "2"], ["detect", "--method", "minimal"]])
def test_names_are_escaped_and_values_never_shown(run: Callable[..., Any], tmp_path: Path, command: list[str]) -> None:
    table, file = tmp_path / "evil<b>.csv", tmp_path / "report.html"
    quoted = EVIL.replace('"', '""')
    rows = [f"{CANARY}{i},{CANARY}{i % 3},{CANARY}" for i in range(30)]
    table.write_text("\n".join([f'id,"{quoted}",c', *rows, CANARY]) + "\n")
    header = json.dumps(EVIL, ensure_ascii=False).replace('\\"', '""').replace("\\u001b", "\x1b")
    quasi = ["--quasi", f"id,{header}", "--sensitive", "c"] if command[0] == "audit" else []
    result = run(command[0], table, *command[1:], *quasi, "--html", file)
    assert result.code == 0, result.err
    text = file.read_text()
    assert CANARY not in result.out + result.err + text
    assert "\x1b" not in text
    page = Page(text)
    assert not {"img", "b"} & set(page.tags)
    assert any('onerror="alert(1)"' in words for words in page.texts)


@pytest.mark.parametrize("command", [["scan"], ["audit", "--quasi", "age"], ["detect", "--method", "minimal"]])
def test_a_page_that_cannot_be_written_is_one_sentence(
    run: Callable[..., Any], people: Path, tmp_path: Path, command: list[str]
) -> None:
    before = people.read_text()
    for bad in (tmp_path / "nowhere" / "report.html", tmp_path, "/dev/null", tmp_path / ("x" * 300), people):
        result = run(command[0], people, *command[1:], "--html", bad)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert "name a file that can be written" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]
    assert people.read_text() == before


def test_a_failure_leaves_the_page_from_before(run: Callable[..., Any], people: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    assert run("scan", people, "--html", file).code == 0
    before = file.read_text()
    assert run("scan", tmp_path / "absent.csv", "--html", file).code == 2
    assert file.read_text() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["people.csv", "report.html"]


def test_the_disk_fills_while_a_page_is_written(
    run: Callable[..., Any], people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("streamqid.cli.pages.os.fsync", full)
    result = run("scan", people, "--html", tmp_path / "report.html")
    assert (result.code, result.out) == (2, "")
    assert "(No space left on device)" in result.err
    assert [path.name for path in tmp_path.iterdir()] == ["people.csv"]


def test_the_library_has_the_same_figures(adult_path: Path) -> None:
    answer = streamqid.audit(adult_path, quasi=["sex", "race"])
    assert [found.column for found in answer.columns] == ["sex", "race"]
    assert answer.columns[0].without == answer.columns[1].alone
