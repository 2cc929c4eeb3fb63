"""What the documentation names exists, and what exists is documented: commands, options, metrics, exit codes."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest
import typer

from streamqid import cli, errors
from streamqid.cli.app import EXIT_CODES, app
from streamqid.config.documentation import options
from streamqid.publish.definitions import DEFINITIONS

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("tests/**/*.md")])
FOREIGN = {"--dist", "--foreground", "--from-file", "--from-literal"}
"""Options of other programs."""
SERIES = ("", "_bucket", "_sum", "_count", "_total")


def taken() -> dict[str, set[str]]:
    """Return the options of each command; those of the program itself under an empty name."""
    group: Any = typer.main.get_command(app)
    found = {"": {"--help", *(name for one in group.params for name in one.opts)}}
    for name, command in group.commands.items():
        for path, one in getattr(command, "commands", {"": command}).items():
            found[f"{name} {path}".strip()] = {
                "--help",
                *(name for each in one.params for name in [*each.opts, *each.secondary_opts]),
            }
    return found


def wrong_calls(text: str) -> list[str]:
    """Return what a text calls that no command is, and options that the command does not take, or no command."""
    known, wrong = taken(), []
    for call in re.findall(r"(?:^\$ |`|\| )streamqid ((?:[^`\n#|\\])*)", text, re.MULTILINE):
        words = call.split()
        name = next((one for one in (" ".join(words[:2]), words[0] if words else "") if one in known), None)
        group = len(words) == 1 and any(one.startswith(f"{words[0]} ") for one in known)
        if name is None and words and words[0].isalpha() and words[0].islower() and not group:
            wrong.append(f"streamqid {' '.join(words[:2])}")
        given = [word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z][a-z-]+(=.*)?", word)]
        wrong += [f"{name} {option}" for option in given if option not in known.get(name or "", set())]
    every = set().union(*known.values(), FOREIGN)
    return wrong + [one for one in re.findall(r"(?<![\w-])--[a-z][a-z-]+", text) if one not in every]


def wrong_metrics(text: str) -> list[str]:
    families = {definition.name for definition in DEFINITIONS}
    known = {family + end for family in families for end in SERIES}
    named = re.findall(r"(?<![\w.])streamqid_[a-z_]+[a-z](?![\w.*{]*/)", text)
    return [one for one in named if one not in known and not any(each.startswith(f"{one}_") for each in known)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_names_only_what_exists(page: Path) -> None:
    text = page.read_text()
    assert wrong_calls(text) == []
    assert wrong_metrics(text) == []


def test_what_does_not_exist_is_found() -> None:
    text = (
        "$ streamqid scna a.csv\n$ streamqid scan a.csv --betta 1\n`streamqid config chekc` `--jsom` streamqid_recordz"
    )
    assert wrong_calls(text) == [
        *("streamqid scna a.csv", "scan --betta", "streamqid config chekc", "--betta", "--jsom"),
    ]
    assert wrong_metrics(text) == ["streamqid_recordz"]


def test_every_command_and_option_is_on_the_page_of_commands() -> None:
    page = runpy.run_path(str(ROOT / "docs" / "commands.py"))["page"]()
    assert (ROOT / "docs" / "commands.md").read_text() == page, "run: .venv/bin/python docs/commands.py"
    sections = {part.split("\n", 1)[0]: part for part in page.split("\n## ")[1:]}
    known = taken()
    known.pop("")
    assert sections.keys() == known.keys()
    for name, opts in known.items():
        for option in opts - {"--help", "-h"}:
            assert re.search(rf"`{option}[` ]", sections[name]) or not option.startswith("-"), (name, option)


def test_every_option_of_the_configuration_is_documented() -> None:
    page = (ROOT / "docs" / "configuration.md").read_text()
    assert [path for path, _ in options() if f"`{path.split('.')[-1].strip('[]')}`" not in page] == []


def test_every_exit_code_is_documented() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]
    codes = {kind.exit_code for kind in kinds if hasattr(kind, "exit_code")}
    codes |= {0, cli.DEFECT, cli.REFUSED, cli.INTERRUPTED, cli.NO_READER}
    assert {int(code) for code in re.findall(r"(?:: |; )(\d+) ", EXIT_CODES)} == codes
