"""docs/commands.md, made from the program itself: every command, what it takes, and examples."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

import typer

from streamqid.cli.app import EXAMPLES, EXIT_CODES, app

PAGE = Path(__file__).with_name("commands.md")
HEAD = """\
# Commands

What `streamqid --help` and `streamqid COMMAND --help` say, on one page. Made by `python docs/commands.py`; a test
holds the two together.

Shell completion: `streamqid --install-completion` sets it up for the shell that it is called from (bash, zsh or fish);
`--show-completion` prints what it would write.

NAMES is one name or a list `a,b` and may be repeated; a name with a comma goes in double quotes.
"""


def page() -> str:
    """Return the page in Markdown."""
    examples = {command.__name__: lines for command, lines in EXAMPLES.items()}
    parts = [HEAD, textwrap.fill(EXIT_CODES.strip(), 120) + "\n"]
    for name, command in _commands(typer.main.get_command(app)):
        parts.append(f"## {name}\n\n{' '.join((command.help or '').split())}\n")
        if name in examples:
            parts.append("```console\n" + "".join(f"$ {line}\n" for line in examples[name]) + "```\n")
        parts.append(_table(command))
    return "\n".join(parts)


def _commands(group: Any) -> list[tuple[str, Any]]:
    found = []
    for name, command in group.commands.items():
        below = getattr(command, "commands", None)
        found += [(name, command)] if below is None else [(f"{name} {one}", two) for one, two in below.items()]
    return found


def _table(command: Any) -> str:
    rows = [f"| {_names(one)} | {_meaning(one)} |" for one in command.params if "--help" not in one.opts]
    return "\n".join(["| option | meaning |", "| --- | --- |", *rows, ""]) if rows else "No options.\n"


def _names(one: Any) -> str:
    if one.param_type_name == "argument":
        return f"`{(one.metavar or one.name).strip('[]').upper()}`"
    word = "" if one.is_flag or not one.metavar else f" {one.metavar}"
    return ", ".join(f"`{name}{word if name.startswith('--') else ''}`" for name in [*one.opts, *one.secondary_opts])


def _meaning(one: Any) -> str:
    words = re.search(r"Literal\[(.*)\]", str(one.type_descriptor.annotation))
    choices = f" One of {words[1].replace(chr(39), '`')}." if words else ""
    text = f"{' '.join((one.help or '').split())}{choices}".replace("|", "\\|")
    if one.required:
        return f"{text} Required."
    shown = isinstance(one.default, str | int | float) and not isinstance(one.default, bool)
    return f"{text} Default: `{one.default}`." if shown else text


if __name__ == "__main__":
    PAGE.write_text(page())
