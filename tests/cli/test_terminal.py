"""How it looks: 80 columns, colours only where they are wanted, help with examples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

from streamqid.cli import progress

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

COMMANDS = ["scan", "keys", "mask", "check", "audit", "detect", "plan", "generate", "demo", "schema"]
COLOUR = re.compile(r"\x1b\[[\d;]*(?:3[0-8]|9[0-7])[\d;]*m")
SCREENS = [
    ["scan", "--sample", "12000", "--epsilon", "0.01"],
    ["scan"],
    ["keys"],
    ["keys", "--measure", "distinct", "--epsilon", "0.1"],
    ["mask", "--sample", "3000"],
    ["mask", "--measure", "distinct", "--beta", "0.2"],
    ["check", "--columns", "age,sex,race", "--sample", "3000"],
    ["check", "--columns", "age,sex,race"],
    ["audit", "--quasi", "age,sex,race", "--sensitive", "hours-per-week", "--ordered", "hours-per-week", "--t", "0.1"],
]


@pytest.mark.parametrize("command", SCREENS)
@pytest.mark.parametrize("width", [80, 200])
def test_no_line_is_wider_than_the_terminal_or_than_can_be_read(
    run: Callable[..., Any], adult_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = run(*command, adult_path, "--seed", "4294967295").out
    assert max(map(len, out.splitlines())) <= min(width, 100)
    assert "…" not in out
    assert not any(line.endswith(" ") for line in out.splitlines())
    assert "\x1b" not in out


def test_long_and_wide_names_fold(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    names = ["x" * 100, "日本語の列名" * 12, "an ordinary name"]
    path.write_text("\n".join([",".join(names), *(f"{i % 7},{i % 5},{i % 3}" for i in range(400))]))
    for command in (
        ["scan", "--sample", "90"],
        ["keys", "--epsilon", "0.1"],
        ["mask"],
        ["check", "--columns", names[0]],
    ):
        result = run(*command, path)
        assert result.code == 0
        assert max(map(cell_len, result.out.splitlines())) <= 80
        assert "…" not in result.out
    assert run("scan", path, "--ignore", names[0]).code == 0


@pytest.mark.parametrize("width", ["1", "20", "0", "wide"])
def test_odd_widths_do_no_harm(
    run: Callable[..., Any], people: Path, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    assert run("scan", people).code == 0


def test_colours_only_when_wanted(run: Callable[..., Any], people: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in run("scan", people).out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert COLOUR.search(run("scan", people).out)
    assert "\x1b" not in run("scan", people, "--json").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert not COLOUR.search(run("scan", people).out)


def test_every_command_has_help_with_an_example(run: Callable[..., Any]) -> None:
    overview = run("--help")
    assert (overview.code, overview.err) == (0, "")
    assert run().out == run("-h").out == overview.out
    for command in COMMANDS:
        assert re.search(rf"│ {command} +\w", overview.out)
        result = run(command, "--help")
        assert (result.code, result.err) == (0, "")
        assert f"  streamqid {command}" in result.out.partition("Examples:")[2]
        assert max(map(len, result.out.splitlines())) <= 80


def test_every_example_is_understood(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import shlex

    import typer

    from streamqid.cli.app import EXAMPLES, app

    group: Any = typer.main.get_command(app)
    for example in (line for lines in EXAMPLES.values() for line in lines):
        words = shlex.split(example.split(">")[0])
        _, command, *arguments = words[words.index("streamqid") :]
        arguments = arguments[: arguments.index("|")] if "|" in arguments else arguments
        assert group.commands[command].make_context(command, arguments)


def test_progress_is_silent_unless_a_person_looks(
    run: Callable[..., Any], people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("keys", people).err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    result = run("keys", people, "--json")
    assert "rows/s" in result.err
    assert "rows/s" not in result.out


def test_progress_without_a_known_size(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.reading("-") as report:
        report(1_200_000, 34_000_000)
    assert "1,200,000 rows" in capsys.readouterr().err
