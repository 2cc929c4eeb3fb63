"""The program as a user starts it, and tables to start it on."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from streamqid.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture(autouse=True)
def calm_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns that asks for nothing special."""
    for name in ("FORCE_COLOR", "NO_COLOR", "PY_COLORS", "GITHUB_ACTIONS", "TTY_COMPATIBLE", "STREAMQID_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the entry point in this process."""

    def start(*arguments: object, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Result(code, out, err)

    return start


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """The five people of Motwani and Xu's example."""
    path = tmp_path / "people.csv"
    path.write_text("age,sex,state\n20,F,CA\n30,F,CA\n40,F,TX\n20,M,NY\n40,M,CA\n")
    return path


@pytest.fixture
def valid() -> Callable[[Any, dict[str, Any]], bool]:
    """Whether a document is what a JSON Schema describes, for the keywords that pydantic writes."""

    def judge(document: Any, schema: dict[str, Any]) -> bool:
        return _Judge(schema).holds(document, schema)

    return judge


_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
_SILENT = {"$schema", "$defs", "title", "description", "default"}


class _Judge:
    def __init__(self, root: dict[str, Any]) -> None:
        self.definitions: dict[str, Any] = root.get("$defs", {})

    def holds(self, value: Any, schema: dict[str, Any]) -> bool:
        if "type" in schema and not self._type(value, schema["type"], schema):
            return False
        return all(
            getattr(self, f"_{keyword.lstrip('$').lower()}")(value, told, schema)
            for keyword, told in schema.items()
            if keyword not in _SILENT
        )

    def _ref(self, value: Any, told: str, _: Any) -> bool:
        return self.holds(value, self.definitions[told.removeprefix("#/$defs/")])

    def _type(self, value: Any, told: str, _: Any) -> bool:
        return isinstance(value, _TYPES[told]) and (told == "boolean" or not isinstance(value, bool))

    def _const(self, value: Any, told: Any, _: Any) -> bool:
        return bool(value == told)

    def _enum(self, value: Any, told: list[Any], _: Any) -> bool:
        return value in told

    def _anyof(self, value: Any, told: list[dict[str, Any]], _: Any) -> bool:
        return any(self.holds(value, option) for option in told)

    def _items(self, value: Any, told: dict[str, Any], _: Any) -> bool:
        return all(self.holds(item, told) for item in value)

    def _required(self, value: Any, told: list[str], _: Any) -> bool:
        return set(told) <= set(value)

    def _properties(self, value: Any, told: dict[str, Any], _: Any) -> bool:
        return all(self.holds(value[name], schema) for name, schema in told.items() if name in value)

    def _additionalproperties(self, value: Any, told: Any, schema: dict[str, Any]) -> bool:
        others = [item for name, item in value.items() if name not in schema.get("properties", {})]
        return not others if told is False else all(self.holds(item, told) for item in others)
