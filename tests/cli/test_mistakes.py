"""Mistakes of the caller: one sentence on standard error, exit code 2, no traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from streamqid.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TABLE = "TABLE"  # stands for the path of a good table
MISTAKES = [
    (["keys", TABLE, "--ignore", "agee"], "did you mean 'age'?"),
    (["keys", TABLE, "--only", "sxe"], "did you mean 'sex'?"),
    (["check", TABLE, "--columns", "stat"], "did you mean 'state'?"),
    (["mask", TABLE, "--must-hide", "agee"], "did you mean 'age'?"),
    (["keys", TABLE, "--weights", "agee=2"], "did you mean 'age'?"),
    (["keys", TABLE, "--ignore", "age,sex,state"], "ignore fewer columns"),
    (["keys", TABLE, "--epsilon", "0"], "epsilon must lie between 0 and 1"),
    (["keys", TABLE, "--epsilon", "nan"], "epsilon must lie between 0 and 1"),
    (["keys", TABLE, "--delta", "1"], "delta must lie between 0 and 1"),
    (["keys", TABLE, "--beta", "1.5"], "beta must lie between 0 and 1"),
    (["keys", TABLE, "--beta", "0.5", "--measure", "distinct"], "separation only"),
    (["mask", TABLE, "--beta", "0"], "beta must lie between 0 and 1"),
    (["scan", TABLE, "--delta", "-1"], "delta must lie between 0 and 1"),
    (["check", TABLE, "--columns", "age", "--delta", "2"], "delta must lie between 0 and 1"),
    (["plan", "--columns", "5", "--epsilon", "1"], "epsilon must lie between 0 and 1"),
    (["plan", "--columns", "5", "--beta", "2"], "beta must lie between 0 and 1"),
    (["plan", "--columns", "0"], "at least 1"),
    (["plan", "--columns", "5", "--rows", "0"], "at least 1"),
    (["plan", "--columns", "5", "--epsilon", "1e-300", "--beta", "0.5"], "at least 1e-09"),
    (["mask", TABLE, "--sample", "0"], "at least 1, not 0"),
    (["mask", TABLE, "--must-hide", "age", "--must-publish", "age"], "in one place only"),
    (["check", TABLE], "--columns"),
    (["check", TABLE, "--columns", ","], "at least one column"),
    (["keys", TABLE, "--only", ""], "at least one column after --only"),
    (["scan", TABLE, "--ignore", "age", "--ignore", ""], "at least one column after --ignore"),
    (["mask", TABLE, "--must-hide", ""], "at least one column after --must-hide"),
    (["mask", TABLE, "--must-publish", ",", "--solver", "exact"], "at least one column after --must-publish"),
    (["check", TABLE, "--columns", "a\nb"], "double quotes"),
    (["keys", TABLE, "--weights", "age"], "NAME=NUMBER"),
    (["keys", TABLE, "--weights", "age=x"], "NAME=NUMBER"),
    (["keys", TABLE, "--weights", "=2"], "NAME=NUMBER"),
    (["keys", TABLE, "--weights", "age=-2"], "positive number"),
    (["keys", TABLE, "--weights", "age=1,age=2"], "two weights"),
    (["keys", TABLE, "--weights", "age=1e308"], "must lie between 1e-100 and 1e+100"),
    (["mask", TABLE, "--weights", "age=1e-320", "--solver", "exact"], "must lie between 1e-100 and 1e+100"),
    (["keys", TABLE, "--memory", "12 apples"], "512MB"),
    (["keys", TABLE, "--memory", "10"], "allow more memory"),
    (["keys", TABLE, "--memory", "9" * 400 + "GB"], "must be at most"),
    (["mask", TABLE, "--sample", "9" * 400], "must be at most"),
    (["plan", "--columns", "9" * 400], "must be at most"),
    (["plan", "--columns", "5", "--rows", "9" * 400], "must be at most"),
    (["keys", TABLE, "--measure", "size"], "'size'"),
    (["keys", TABLE, "--rule", "guess"], "'--rule': 'guess' is not one of"),
    (["keys", TABLE, "--missing", "gone"], "'gone'"),
    (["keys", TABLE, "--format", "xml"], "'xml'"),
    (["keys", TABLE, "--delimiter", "ab"], "one ASCII character"),
    (["keys", TABLE, "--seed", "one"], "--seed"),
    (["keys", TABLE, "--nonsense"], "--nonsense"),
    (["keys"], "TABLE"),
    (["kys", TABLE], "'keys'"),
    (["schema", "everything"], "'everything'"),
    (["generate", "--rows", "-1"], "0 or more"),
    (["generate", "--rows", "9", "--drift", "finer"], "KIND:COLUMN@ROW"),
    (["generate", "--rows", "9", "--drift", "gone:age@1"], "KIND:COLUMN@ROW"),
    (["generate", "--rows", "9", "--drift", "finer:agee@1"], "did you mean 'age'?"),
    (["generate", "--rows", "9", "--missing-share", "2"], "between 0 and 1"),
    (["generate", "--rows", "9", "--out", "/nowhere/people.csv"], "/nowhere/people.csv"),
    (["generate", "--rows", "9", "--json"], "--out FILE"),
]


@pytest.mark.parametrize(("arguments", "advice"), MISTAKES)
def test_a_mistake_is_one_sentence(run: Callable[..., Any], people: Path, arguments: list[str], advice: str) -> None:
    result = run(*(people if argument is TABLE else argument for argument in arguments))
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("streamqid: ")
    assert advice in result.err
    assert result.err.count("\n") == 1
    assert result.err.endswith("\n")


@pytest.mark.parametrize("command", [["scan"], ["keys"], ["mask"], ["check", "--columns", "a"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_tables_that_cannot_be_read(
    run: Callable[..., Any], tmp_path: Path, command: list[str], form: list[str]
) -> None:
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "header.csv").write_text("a,b\n")
    (tmp_path / "bad.csv").write_text("a,b\n1\n2\n")
    (tmp_path / "odd.xyz").write_text("a,b\n1,2\n")
    for name in ("missing.csv", "", "empty.csv", "header.csv", "bad.csv", "odd.xyz", "line\nend\x1b[31m.csv"):
        result = run(*command, tmp_path / name, *form)
        assert (result.code, result.out) == (2, "")
        assert result.err.startswith("streamqid: ")
        assert result.err.count("\n") == 1
        assert "\x1b" not in result.err


def test_an_interrupt_ends_quietly(run: Callable[..., Any], people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("streamqid.tables.minimum_key", interrupted)
    result = run("keys", people)
    assert (result.code, result.out, result.err) == (130, "", "")


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (MemoryError("Unable to allocate"), 70, "--memory"),
        (OSError(28, "No space left on device"), 74, "(No space left on device)"),
        (OSError("secret"), 74, "(unknown cause)"),
        (BrokenPipeError(), 141, ""),
    ],
)
def test_troubles_of_the_machine(
    run: Callable[..., Any],
    people: Path,
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    code: int,
    told: str,
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("streamqid.tables.minimum_key", fail)
    result = run("keys", people)
    assert result.code == code
    assert told in result.err
    assert result.err.count("\n") == bool(told)


def test_without_standard_streams(people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    assert main(["keys", str(people), "--json"]) == 0
    assert main(["keys", str(people), "--ignore", "nobody"]) == 2
