"""Writing a safe table: what a user sees, what is left behind, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet
import pytest

from streamqid.anonymize import choosing
from streamqid.anonymize.grouping import grouping
from streamqid.anonymizing import Request, Roles, anonymize, writing
from streamqid.anonymizing.checking import checked_audit
from streamqid.errors import UsageError
from tests.unit.anonymize.papers import PATIENTS

if TYPE_CHECKING:
    from collections.abc import Callable

CANARY = "zq7canary"
COLUMNS = ["id", *"vwxyz", "ten", "one", "education", "disease"]
QUASI = ",".join(COLUMNS[1:-1])
ROWS = [[str(i), *zipcode, *age, education, disease] for i, (zipcode, age, education, disease) in enumerate(PATIENTS)]
TABLE, OUT = "TABLE", "OUT"
GOOD = ["--quasi", QUASI, "--sensitive", "disease", "--drop", "id"]


def files(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.fixture
def patients(tmp_path: Path) -> Path:
    path = tmp_path / "patients.csv"
    path.write_text("".join(",".join(row) + "\n" for row in [COLUMNS, *ROWS]))
    return path


@pytest.mark.parametrize(
    ("asked", "cost"),
    [("--k 2", 46), ("--k 3", 54), ("--l 2", 50), ("--t 0.3", 52), ("--t 0.1", 64), ("--t 0", 80 - 10), ("--t 1", 0)],
)
def test_the_papers_table(
    run: Callable[..., Any], patients: Path, valid: Callable[..., bool], asked: str, cost: int
) -> None:
    out = patients.with_name("safe.csv")
    result = run("anonymize", patients, *GOOD, *asked.split(), "--out", out, "--json")
    assert (result.code, result.err) == (0, "")
    answer = json.loads(result.out)
    assert valid(answer, json.loads(run("schema", "anonymize").out))
    assert (answer["cost"], answer["cells"], answer["lower_bound"], answer["gap"]) == (cost, 80, cost, 0.0)
    assert (answer["optimal"], answer["heuristic"]) == (True, False)
    assert sum(column["suppressed"] for column in answer["columns"]) == cost
    header, *rows = csv.reader(io.StringIO(out.read_text()))
    assert header == COLUMNS[1:]
    assert sum(row.count("*") for row in rows) == cost
    assert [row[-1] for row in rows] == [row[-1] for row in ROWS]


def test_people_read_a_page(run: Callable[..., Any], patients: Path) -> None:
    page = run("anonymize", patients, *GOOD, "--k", "3", "--out", patients.with_name("a.csv")).out
    assert "54 of 80 cells are suppressed, and no grouping of the rows needs" in " ".join(page.split())
    assert "k-anonymity hides who a row is about" in page
    assert "education" in page
    page = run("anonymize", patients, *GOOD, "--t", "0.1", "--out", patients.with_name("b.csv")).out
    assert "largest distance 0.1" in page
    page = run("anonymize", patients, *GOOD, "--l", "2", "--out", patients.with_name("c.csv")).out
    assert "an integer program, which is exact as well, but whose time no polynomial bounds" in " ".join(page.split())


def test_files_are_replaced_only_by_force(run: Callable[..., Any], patients: Path) -> None:
    out = patients.with_name("safe.csv")
    out.write_text("precious")
    asked = ["anonymize", patients, *GOOD, "--k", "2", "--out", out]
    result = run(*asked)
    assert (result.code, result.out, out.read_text()) == (2, "", "precious")
    assert "--force" in result.err
    assert run(*asked, "--force").code == 0
    assert out.read_text().startswith("v,w,")
    assert run("anonymize", patients, *GOOD, "--k", "2", "--out", patients, "--force").code == 2
    assert files(patients.parent) == ["patients.csv", "safe.csv"]


def test_a_file_that_comes_up_meanwhile_is_not_replaced(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = patients.with_name("safe.csv")

    def slow(*given: Any) -> Any:
        out.write_text("precious")
        return checked_audit(*given)

    monkeypatch.setattr("streamqid.anonymizing.checked_audit", slow)
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", out)
    assert (result.code, out.read_text()) == (2, "precious")
    assert files(patients.parent) == ["patients.csv", "safe.csv"]


def test_only_a_regular_file_is_replaced(run: Callable[..., Any], patients: Path) -> None:
    pipe = patients.with_name("pipe")
    os.mkfifo(pipe)
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", pipe, "--force")
    assert (result.code, result.out, pipe.is_fifo()) == (2, "", True)
    assert "is no regular file" in result.err
    assert files(patients.parent) == ["patients.csv", "pipe"]


@pytest.mark.parametrize("there", [True, False])
def test_a_link_such_as_that_to_standard_output_stays(run: Callable[..., Any], patients: Path, *, there: bool) -> None:
    file, link = patients.with_name("file"), patients.with_name("link")
    link.symlink_to(file)
    if there:
        file.write_text("precious")
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", link, "--force")
    assert (result.code, result.out, link.is_symlink()) == (2, "", True)
    assert "is a link" in result.err
    assert files(patients.parent) == ["file"] * there + ["link", "patients.csv"]
    assert not there or file.read_text() == "precious"


def test_a_name_that_tells_another_format_is_refused(run: Callable[..., Any], patients: Path) -> None:
    lines = patients.with_name("lines.jsonl")
    lines.write_text('{"q": 1}\n{"q": 1}\n', encoding="utf-8")
    asked = ["--quasi", "q", "--k", "2", "--out"]
    for given, out in (([patients, *GOOD, "--k", "2", "--out"], "out.JSONL"), ([lines, *asked], "out.csv")):
        result = run("anonymize", *given, patients.with_name(out))
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert "a name that says so" in result.err
    assert run("anonymize", lines, *asked, patients.with_name("out.txt")).code == 0
    assert files(patients.parent) == ["lines.jsonl", "out.txt", "patients.csv"]


def test_a_name_may_be_as_long_as_the_file_system_allows(run: Callable[..., Any], patients: Path) -> None:
    out = patients.with_name("é" * 127)
    assert run("anonymize", patients, *GOOD, "--k", "2", "--out", out).code == 0
    assert files(patients.parent) == ["patients.csv", out.name]
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", patients.with_name("x" * 256))
    assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
    assert "too long" in result.err


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
def test_the_delimiter_stays(run: Callable[..., Any], tmp_path: Path, delimiter: str) -> None:
    table, out = tmp_path / "in.csv", tmp_path / "out.csv"
    table.write_text(f"a{delimiter}b\n1{delimiter}2,5\n1{delimiter}3\n")
    assert run("anonymize", table, "--quasi", "a,b", "--k", "2", "--out", out).code == 0
    assert out.read_text() == f"a{delimiter}b\n1{delimiter}*\n1{delimiter}*\n"


def test_a_name_given_twice_counts_once(run: Callable[..., Any], patients: Path) -> None:
    asked = [*GOOD, "--quasi", "v,w", "--k", "3", "--out", patients.with_name("safe.csv"), "--json"]
    answer = json.loads(run("anonymize", patients, *asked).out)
    assert (answer["quasi"], answer["cost"]) == (COLUMNS[1:-1], 54)


def test_the_library_takes_files_and_its_own_options_only(patients: Path) -> None:
    roles, request = Roles(quasi=["v"]), Request(k=2)
    with pytest.raises(UsageError, match="takes the path of a file"):
        anonymize([{"v": 1}], patients.with_name("safe.csv"), roles, request)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="'missing' is not for anonymize"):
        anonymize(patients, patients.with_name("safe.csv"), roles, request, missing="equal")
    with pytest.raises(UsageError, match="takes a list of names"):
        Roles(quasi="v")
    with pytest.raises(UsageError, match="one of equal, ordered"):
        Request(t=0.1, distance="other")  # type: ignore[arg-type]
    assert files(patients.parent) == ["patients.csv"]


def test_json_gives_json_lines(run: Callable[..., Any], tmp_path: Path) -> None:
    rows = [
        {"who": {"zip": 1, "age": -0.0}, "pay": 10, "note": "é"},
        {"who": {"zip": 1, "age": 0.0}, "pay": 20},
        {"who": {"zip": 2}, "pay": 30, "tags": ["x"]},
        {"who": {"zip": 2}, "pay": 40},
    ]
    asked = ["--quasi", "who.zip,who.age", "--sensitive", "pay", "--keep", "note,tags", "--distance", "ordered"]
    for name, text in [("t.jsonl", "\n".join(map(json.dumps, rows))), ("t.json", json.dumps(rows))]:
        table, out = tmp_path / name, tmp_path / f"out-{name}"
        table.write_text(text)
        assert run("anonymize", table, *asked, "--t", "0.4", "--out", out).code == 0
        found = [json.loads(line) for line in out.read_text().splitlines()]
        assert [row["pay"] for row in found] == [10, 20, 30, 40]
        assert [row["who.zip"] for row in found] == [1, 1, 2, 2]
        assert [row.get("who.age") for row in found] == ["*", "*", None, None]
        assert (found[0]["note"], found[2]["tags"]) == ("é", ["x"])
        assert "who.age" not in found[2]


MISTAKES = [
    ([TABLE, *GOOD, "--out", OUT], "one of k, l and t"),
    ([TABLE, *GOOD, "--k", "2", "--t", "0.1", "--out", OUT], "one of k, l and t"),
    ([TABLE, *GOOD, "--k", "1", "--out", OUT], "at least 2"),
    ([TABLE, *GOOD, "--k", "11", "--out", OUT], "the largest k that can be reached is 10"),
    ([TABLE, *GOOD, "--l", "3", "--out", OUT], "NP-hard"),
    ([TABLE, *GOOD, "--l", "1", "--out", OUT], "1-diverse"),
    ([TABLE, *GOOD, "--t", "-0.1", "--out", OUT], "0 is the smallest that can be reached"),
    ([TABLE, *GOOD, "--t", "nan", "--out", OUT], "between 0 and 1"),
    ([TABLE, *GOOD, "--t", "1.1", "--out", OUT], "between 0 and 1"),
    ([TABLE, *GOOD, "--k", "2", "--distance", "ordered", "--out", OUT], "ask for t"),
    ([TABLE, *GOOD, "--t", "0.1", "--distance", "ordered", "--out", OUT], "needs numbers"),
    ([TABLE, *GOOD, "--t", "0.1", "--distance", "other", "--out", OUT], "'other'"),
    ([TABLE, *GOOD, "--k", "2", "--time-limit", "0", "--out", OUT], "positive number of seconds"),
    ([TABLE, *GOOD, "--k", "2", "--keep", "agee", "--out", OUT], "There is no column 'agee'"),
    ([TABLE, *GOOD, "--k", "2", "--keep", "disease", "--out", OUT], "in one place only"),
    (
        [TABLE, "--quasi", f"{QUASI},disease", "--sensitive", "disease", "--drop", "id", "--k", "2", "--out", OUT],
        "in one place only",
    ),
    ([TABLE, "--quasi", QUASI, "--sensitive", "disease", "--k", "2", "--out", OUT], "what becomes of 'id'"),
    ([TABLE, "--quasi", "", "--keep", QUASI, "--drop", "id,disease", "--k", "2", "--out", OUT], "at least one quasi"),
    ([TABLE, "--quasi", QUASI, "--drop", "id,disease", "--l", "2", "--out", OUT], "one sensitive column"),
    ([TABLE, "--quasi", QUASI, "--sensitive", "id,disease", "--t", "0.1", "--out", OUT], "one sensitive column"),
    ([TABLE, *GOOD, "--k", "2", "--suppressed", "Bachelor", "--out", OUT], "already has 6 cells with this text"),
    ([TABLE, *GOOD, "--k", "2", "--out", "/nowhere/out.csv"], "directory that exists"),
    ([TABLE, *GOOD, "--k", "2", "--out", f"{OUT}.gz"], "plain CSV"),
    ([TABLE, *GOOD, "--k", "2", "--out", "-"], "writes a file"),
    ([TABLE, *GOOD, "--k", "2", "--suppressed", "\0", "--out", OUT], "printable"),
    (["-", *GOOD, "--k", "2", "--out", OUT], "regular file"),
    (["missing.csv", *GOOD, "--k", "2", "--out", OUT], "missing.csv"),
    ([TABLE, *GOOD, "--k", "2"], "--out"),
]


@pytest.mark.parametrize(("arguments", "advice"), MISTAKES)
def test_a_mistake_is_one_sentence_and_leaves_no_file(
    run: Callable[..., Any], patients: Path, arguments: list[str], advice: str
) -> None:
    out = str(patients.with_name("out.csv"))
    given = [str(patients) if part is TABLE else part.replace(OUT, out) for part in arguments]
    result = run("anonymize", *given)
    assert (result.code, result.out) == (2, "")
    assert advice in result.err
    assert result.err.count("\n") == 1
    assert files(patients.parent) == ["patients.csv"]


@pytest.mark.parametrize(
    ("lines", "asked", "advice"),
    [
        ([f"1,{CANARY}"] * 3, "--l 2", "the largest l that can be reached is 1;"),
        ([f"1,{CANARY}", "1,x", f"2,{CANARY}"], "--l 2", "2 of 3 rows, which is more than half"),
        ([f"{CANARY},x", f"{CANARY},"], "--t 0.5", "no value in 1 row:"),
        ([f"{CANARY},x", f"{CANARY}, "], "--k 2", "no value in 1 row:"),
        ([f"{CANARY},x", CANARY], "--k 2", "wrong number of fields; the first in line 3"),
        ([f"1,{CANARY}", "2,5"], "--t 0.5 --distance ordered", "1 other value"),
        ([f"{CANARY},inf", "2,5"], "--t 0.5 --distance ordered", "1 other value"),
        # No number to the audit either.
        ([f"{CANARY},1_0", "2,5"], "--t 0.5 --distance ordered", "1 other value"),
        ([], "--k 2", "no rows"),
    ],
)
def test_tables_that_cannot_be_made_safe_are_refused_without_a_value(
    run: Callable[..., Any], tmp_path: Path, lines: list[str], asked: str, advice: str
) -> None:
    table = tmp_path / "in.csv"
    table.write_text("\n".join(["q,s", *lines]) + "\n")
    asked_for = ["--quasi", "q", "--sensitive", "s", *asked.split(), "--out", tmp_path / "out.csv"]
    result = run("anonymize", table, *asked_for)
    assert (result.code, result.out) == (2, "")
    assert advice in result.err
    assert CANARY not in result.err
    assert files(tmp_path) == ["in.csv"]


def test_equal_rows_lose_nothing(run: Callable[..., Any], tmp_path: Path) -> None:
    table = tmp_path / "in.csv"
    table.write_text("q,s\n" + "1,x\n" * 5)
    for asked in (["--k", "5"], ["--t", "0"]):
        out = tmp_path / f"out{asked[0]}.csv"
        result = run("anonymize", table, "--quasi", "q", "--sensitive", "s", *asked, "--out", out, "--json")
        assert (result.code, json.loads(result.out)["cost"], out.read_text()) == (0, 0, table.read_text())


def test_values_of_a_good_table_stay_out_of_the_answer(run: Callable[..., Any], tmp_path: Path) -> None:
    table = tmp_path / "in.csv"
    table.write_text("q,r,s\n" + "".join(f"{CANARY}{i % 3},{CANARY}{i},{CANARY}{i % 4}\n" for i in range(20)))
    for number, asked in enumerate((["--k", "3"], ["--l", "2"], ["--t", "0.2"], ["--k", "3", "--json"])):
        roles = ["--quasi", "q,r", "--sensitive", "s"]
        result = run("anonymize", table, *roles, *asked, "--out", tmp_path / f"{number}.csv")
        assert result.code == 0
        assert CANARY not in result.out + result.err


def test_parquet_is_refused(run: Callable[..., Any], tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"q": [1, 2]}), tmp_path / "in.parquet")
    result = run("anonymize", tmp_path / "in.parquet", "--quasi", "q", "--k", "2", "--out", tmp_path / "out.csv")
    assert (result.code, files(tmp_path)) == (2, ["in.parquet"])
    assert "convert it to CSV" in result.err


@pytest.mark.parametrize(
    ("place", "code", "told"),
    [
        ("streamqid.anonymizing.solve", 70, "internal error (ValueError)"),
        ("streamqid.anonymizing.checked_audit", 70, "internal error (ValueError)"),
        ("streamqid.anonymizing.writing.os.fsync", 70, "internal error (ValueError)"),
    ],
)
def test_a_defect_leaves_no_file_and_tells_no_value(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch, place: str, code: int, told: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr(place, fail)
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", patients.with_name("out.csv"))
    assert (result.code, result.out) == (code, "")
    assert told in result.err
    assert CANARY not in result.err
    assert files(patients.parent) == ["patients.csv"]


def test_a_full_disk_leaves_no_file(run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("streamqid.anonymizing.writing.os.fsync", full)
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", patients.with_name("out.csv"))
    assert (result.code, result.out) == (2, "")
    assert "No space left on device" in result.err
    assert files(patients.parent) == ["patients.csv"]


@pytest.mark.usefixtures("signals_arrive")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_leaves_no_file(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    def interrupt(*_: object) -> None:
        assert len(files(patients.parent)) == 2
        signal.raise_signal(number)

    monkeypatch.setattr("streamqid.anonymizing.checked_audit", interrupt)
    before = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)]
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", patients.with_name("out.csv"))
    assert (result.code, result.out, result.err) == (130, "", "")
    assert files(patients.parent) == ["patients.csv"]
    assert [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGHUP)] == before


def test_a_hangup_that_is_ignored_stays_ignored(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hang_up(*given: Any) -> Any:
        signal.raise_signal(signal.SIGHUP)
        return checked_audit(*given)

    monkeypatch.setattr("streamqid.anonymizing.checked_audit", hang_up)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert run("anonymize", patients, *GOOD, "--k", "2", "--out", patients.with_name("out.csv")).code == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_file_system_without_links_and_without_a_directory_on_disk(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    out = patients.with_name("out.csv")
    monkeypatch.setattr("os.link", refuse)
    opened = os.open
    monkeypatch.setattr("os.open", lambda path, *how: refuse() if Path(path).is_dir() else opened(path, *how))
    assert run("anonymize", patients, *GOOD, "--k", "2", "--out", out).code == 0
    assert files(patients.parent) == ["out.csv", "patients.csv"]
    written = out.read_text()

    def meanwhile(*given: Any) -> Any:
        out.write_text("of somebody else")
        return writing.write(*given)

    out.unlink()
    monkeypatch.setattr("streamqid.anonymizing.write", meanwhile)
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", out)
    assert (result.code, out.read_text()) == (2, "of somebody else")
    assert written.count("\n") == 11


def test_what_does_not_pass_the_audit_is_not_written(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wrong(data: Any, *_: object) -> choosing.Solution:
        return choosing.Solution(
            grouping(data, np.array([0, 0, 1, 2, 2, 2, 2, 3, 3, 3])), choosing.Method.DESCENT, None
        )

    monkeypatch.setattr("streamqid.anonymizing.solve", wrong)
    for asked in (["--k", "2"], ["--l", "2"], ["--t", "0.3"]):
        result = run("anonymize", patients, *GOOD, *asked, "--out", patients.with_name("out.csv"))
        assert (result.code, result.out) == (1, "")
        assert "nothing is written" in result.err
        assert files(patients.parent) == ["patients.csv"]


def test_cells_that_are_not_as_decided_are_noticed(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def everything(source: Any, roles: Any, mask: Any, *rest: Any) -> Any:
        return writing.write(source, roles, np.ones_like(mask), *rest)

    def one_more(source: Any, roles: Any, mask: Any, suppressed: str, path: Path) -> Any:
        delimiter = writing.write(source, roles, mask, suppressed, path)
        path.write_text(path.read_text().removesuffix("\n") + ",more\n")
        return delimiter

    for wrong, told in ((everything, "does not keep 2-anonymity"), (one_more, "other columns than were asked for")):
        monkeypatch.setattr("streamqid.anonymizing.write", wrong)
        result = run("anonymize", patients, *GOOD, "--k", "2", "--out", patients.with_name("out.csv"))
        assert (result.code, result.out) == (1, "")
        assert told in result.err
        assert files(patients.parent) == ["patients.csv"]


def test_a_column_that_slips_through_is_noticed_before_the_file_has_its_name(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in.csv").write_text("id,q,s\n1,a,x\n2,a,y\n")
    (tmp_path / "in.jsonl").write_text('{"id": 1, "q": "a", "s": "x"}\n{"id": 2, "q": "a", "s": "y"}\n')
    monkeypatch.setattr("streamqid.anonymizing.roles.Roles.published", lambda _, columns: list(columns))
    for table in ("in.csv", "in.jsonl"):
        asked = ["--quasi", "q", "--sensitive", "s", "--drop", "id", "--k", "2", "--out", tmp_path / "out"]
        result = run("anonymize", tmp_path / table, *asked)
        assert (result.code, result.out) == (1, "")
        assert "other columns than were asked for: nothing is written" in result.err
    assert files(tmp_path) == ["in.csv", "in.jsonl"]


@pytest.mark.parametrize(
    "change",
    [lambda text: text + ",".join(ROWS[0]) + "\n", lambda text: text + "bad\n", lambda text: text[: text.rindex("9,")]],
)
def test_a_table_that_changes_is_refused(
    run: Callable[..., Any], patients: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[str], str]
) -> None:
    def meanwhile(*given: Any) -> Any:
        patients.write_text(change(patients.read_text()))
        return choosing.solve(*given)

    monkeypatch.setattr("streamqid.anonymizing.solve", meanwhile)
    result = run("anonymize", patients, *GOOD, "--k", "2", "--out", patients.with_name("out.csv"))
    assert (result.code, result.out) == (2, "")
    assert "changed while it was read" in result.err
    assert files(patients.parent) == ["patients.csv"]
