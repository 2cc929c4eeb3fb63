"""No value of a record leaves the program: not in answers, not in messages, not when it fails."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY = "zq7canary"
COMMANDS = [["scan"], ["keys"], ["keys", "--rule", "certified"], ["mask"], ["check", "--columns", "a,b", "--exact"]]
WITHOUT_SAMPLE = [
    ["keys", "--solver", "exact"],
    ["mask", "--solver", "exact"],
    ["keys", "--measure", "k-anonymity", "--k", "2"],
]


@pytest.fixture(params=["csv", "jsonl"])
def planted(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A table with the canary in every column, and in rows that cannot be read."""
    path = tmp_path / f"planted.{request.param}"
    rows = [{"a": f"{CANARY}{i}", "b": f"{CANARY}", "c": f"{i % 7}{CANARY}"} for i in range(200)]
    if request.param == "csv":
        lines = ["a,b,c", *(",".join(row.values()) for row in rows)]
        lines[9:9] = [CANARY, f"{CANARY},1,2,3", f"\x00{CANARY},,"]
        path.write_bytes("\n".join(lines).encode() + f"\n\udcff{CANARY},1,2\n".encode(errors="surrogateescape"))
    else:
        lines = [json.dumps(row) for row in rows]
        lines[9:9] = [CANARY, f'["{CANARY}"]', f'{{"a": "{CANARY}"', f'"{CANARY}"', '{"a":' * 2000 + CANARY]
        path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("command", COMMANDS + WITHOUT_SAMPLE)
@pytest.mark.parametrize("form", [[], ["--json"]])
@pytest.mark.parametrize("missing", ["value", "distinct"])
def test_answers_hold_no_value(
    run: Callable[..., Any], planted: Path, command: list[str], form: list[str], missing: str
) -> None:
    result = run(*command, planted, *form, "--missing", missing)
    assert result.code == 0, result.err
    assert CANARY not in result.out + result.err
    assert "could not be read" in result.out or '"found"' in result.out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "place",
    ["streamqid.sampling.fingerprint.Encoder.encode", "streamqid.sampling.sampler.Sampler.update"],
)
@pytest.mark.parametrize("kind", [ValueError, KeyError, RecursionError])
def test_a_defect_tells_its_type_only(
    run: Callable[..., Any],
    planted: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    place: str,
    kind: type[Exception],
) -> None:
    def fail(*given: object, **_: object) -> None:
        raise kind(f"cannot handle {given} {CANARY}")

    monkeypatch.setattr(place, fail)
    result = run(*command, planted)
    assert (result.code, result.out) == (70, "")
    assert CANARY not in result.err
    assert result.err.startswith(f"streamqid: internal error ({kind.__name__}): please report it")
    assert result.err.count("\n") == 1


def test_a_table_that_ends_inside_a_value_is_refused_without_it(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "open.csv"
    for content in (f'a,b\n"{CANARY},1\n', f"a,b\n{CANARY}\n", f'"{CANARY}\n'):
        path.write_text(content)
        result = run("keys", path)
        assert (result.code, result.out) == (2, "")
        assert CANARY not in result.err


def test_a_developer_can_ask_for_the_traceback(
    run: Callable[..., Any], people: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError(CANARY)

    monkeypatch.setattr("streamqid.tables.minimum_key", fail)
    monkeypatch.setenv("STREAMQID_DEBUG", "1")
    result = run("keys", people)
    assert result.code == 70
    assert "Traceback" in result.err
    assert f"ValueError: {CANARY}" in result.err


def test_names_of_columns_do_not_steer_the_terminal(run: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "odd.csv"
    path.write_text("a\x1b[31m,[bold]b[/bold],:smile:\n1,2,3\n2,3,4\n")
    for command in (["scan"], ["keys"], ["mask"], ["check", "--columns", ":smile:"]):
        out = run(*command, path).out
        assert "\x1b" not in out
        assert "a\\x1b[31m" in out
        assert "[bold]b[/bold]" in out
        assert ":smile:" in out
    assert "\x1b" not in run("keys", path, "--ignore", "zzz").err
