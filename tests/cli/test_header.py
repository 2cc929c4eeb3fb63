"""The first line of a table: names of columns, or a row whose values must not be shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import streamqid
from streamqid.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = "39,Bachelors,CANARYPERSON\n40,HS,x\n41,HS,y\n"
COMMANDS = [
    ["scan"],
    ["keys"],
    ["keys", "--solver", "exact"],
    ["keys", "--all"],
    ["keys", "--measure", "k-anonymity", "--k", "2"],
    ["mask"],
    ["check", "--columns", "c1"],
    ["audit", "--quasi", "c1", "--k", "2"],
    ["detect", "--identifier", "c1"],
]


@pytest.fixture
def headless(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    path.write_text(ROWS)
    return path


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_first_line_that_looks_like_data_is_refused_and_read_when_told(
    run: Callable[..., Any], headless: Path, command: list[str]
) -> None:
    refused = run(*command, headless)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "looks like data: give --no-header" in refused.err
    assert not [value for value in ("39", "Bachelors", "CANARY") if value in refused.err.replace(str(headless), "")]
    read = run(*command, headless, "--no-header", "--json")
    assert (read.code, read.err) == (0, "")
    assert "CANARY" not in read.out
    assert json.loads(read.out)["rows"] == 3


def test_anonymize_reads_a_table_without_a_header(run: Callable[..., Any], headless: Path) -> None:
    headless.write_text("39,HS\n39,HS\n40,BA\n40,BA\n")
    out = headless.with_name("safe.csv")
    asked = ["anonymize", headless, "--quasi", "c1,c2", "--k", "2", "--out", out]
    assert run(*asked).code == 2
    assert run(*asked, "--no-header").code == 0
    assert out.read_text() == "c1,c2\n39,HS\n39,HS\n40,BA\n40,BA\n"


def test_names_that_are_numbers_can_be_forced(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "years.csv"
    path.write_text("person,2019,2020\n1,5,6\n2,7,8\n")
    assert run("keys", path).code == 2
    answer = run("check", path, "--columns", "2019", "--header", "--json")
    assert json.loads(answer.out)["columns"] == ["2019"]
    assert streamqid.check(path, ["2019"], header=True).rows == 2
    assert streamqid.check(path, ["c2"], header=False).rows == 3


@pytest.mark.parametrize(
    "first",
    [
        *("a,1", "-1.5,b", "1e9,b", '" 7 ",b', "a,.5", "a;1,5"),
        *("a,1990-01-31", "31.1.1990,b", "a,1/31/90", "a,1990-01-31T12:00:00Z", "078-05-1120,b", "a,ann@example.org"),
    ],
)
def test_values_look_like_data(tmp_path: Path, first: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{first}\nx{';' if ';' in first else ','}y\n")
    with pytest.raises(streamqid.TableError, match="looks like data"):
        streamqid.keys(path)


@pytest.mark.parametrize(
    "first", ["c1,c2", "1st,2nd", "zip5,2020-01", "e5,.", "inf,x", "a@b,2019-2020", "1-2.3,v1.2.3"]
)
def test_other_names_do_not(tmp_path: Path, first: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{first}\nx,y\nz,y\n")
    assert streamqid.keys(path).rows == 2


@pytest.mark.parametrize("content", ['{"name": "Ann"}\n{"name": "Bob"}\n', '[\n{"name": "Ann"},\n{"name": "Bob"}]'])
def test_json_is_not_taken_for_names(run: Callable[..., Any], tmp_path: Path, content: str) -> None:
    """Neither on standard input, where the content tells the format, nor in a file of another name."""
    assert json.loads(run("keys", "-", "--json", stdin=content).out)["columns"] == ["name"]
    path = tmp_path / "t.csv"
    for text in (content.replace("[\n", "["), content):
        path.write_text(text)
        result = run("keys", path)
        assert (result.code, result.out) == (2, "")
        assert "looks like JSON" in result.err
        assert "Ann" not in result.err
    assert json.loads(run("keys", path, "--json", "--format", "jsonl").out)["columns"] == ["name"]


def test_brackets_may_be_quotes_around_names(run: Callable[..., Any]) -> None:
    assert json.loads(run("keys", "-", "--json", stdin="[a],[b]\nx,y\nz,y\n").out)["columns"] == ["[a]"]


def test_without_a_header_the_first_line_is_counted_wherever_blocks_end(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"\xef\xbb\xbf" + b"".join(b'%d,"a\nb"\n' % i for i in range(500)) + b"1,2,3\n")
    answer = streamqid.check(path, ["c1"], exact=True, header=False)
    assert (answer.rows, answer.distinct.estimate) == (500, 1.0)
    assert answer.unreadable is not None
    assert answer.unreadable.lines == [1001]


@pytest.mark.parametrize("name", ["t.jsonl", "t.parquet"])
def test_a_header_is_for_delimited_text(run: Callable[..., Any], tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('{"a": 1}\n')
    result = run("keys", tmp_path / name, "--no-header")
    assert result.code == 2
    assert "header is for csv only" in result.err


def test_the_option_is_in_every_help(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("scan", "keys", "mask", "check", "audit", "detect", "anonymize"):
        assert main([command, "--help"]) == 0
        assert "--no-header" in capsys.readouterr().out
