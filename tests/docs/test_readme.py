"""What the README shows is so: its commands run, both columns of its table do, and its targets exist."""

from __future__ import annotations

import doctest
import gzip
import re
import shlex
from pathlib import Path

import streamqid
from streamqid.cli import main
from tests.docs.blocks import blocks, commands

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text()
SERVICE = ("streamqid feed", "streamqid run", "curl")
"""These run against a broker, in tests/kafka/test_readme.py."""
ORDER = (
    *("60 seconds", "Attach it to your topic", "On the command line and as a library", "How it works"),
    *("Guarantees, and what is not guaranteed", "Beside other tools", "Operations", "Development"),
)


def run(command: str) -> None:
    """Run a command line without any sign that only a shell understands; in this process, since it is quicker."""
    program, *arguments = shlex.split(command, comments=True)
    assert (program, main(arguments)) == ("streamqid", 0), command


def test_the_parts_come_in_their_order() -> None:
    assert tuple(re.findall(r"^## (.*)", TEXT, re.MULTILINE)) == ORDER
    assert TEXT.index("docs/images/overview.png") < TEXT.index("## 60 seconds")


def test_both_columns_of_the_table_and_all_commands_run(desk: Path) -> None:
    shown = [command for kind, block in blocks(TEXT) if kind == "console" for command, _ in commands(block)]
    plain = [command for command in shown if not command.startswith((*SERVICE, "make"))]
    assert len(shown) - len(plain) == 4
    for command in plain:
        run(command)
    rows = re.findall(r"^\| [^|`]+ \| `(streamqid [^`]+)` \| `(streamqid\.[^`]+)` \|$", TEXT, re.MULTILINE)
    assert len(rows) == 9
    for command, call in rows:
        run(command)
        assert command.split()[1] in call or "--" in command
        assert eval(call, {"streamqid": streamqid, "table": str(desk / "people.csv")}), call  # noqa: S307


def test_the_library_answers_what_the_page_says(desk: Path) -> None:
    (desk / "adult.csv").write_bytes(gzip.decompress((ROOT / "tests/data/adult.csv.gz").read_bytes()))
    [block] = [block for kind, block in blocks(TEXT) if kind == "pycon"]
    session = doctest.DocTestParser().get_doctest(block, {}, "README.md", "README.md", 0)
    told: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(session, out=told.append) == (0, 5), "".join(told)


def test_the_configuration_is_one(desk: Path) -> None:
    [block] = [block for kind, block in blocks(TEXT) if kind == "yaml"]
    (desk / "streamqid.yaml").write_text(block)
    run("streamqid config check streamqid.yaml")


def test_every_target_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^\$ |`)make ([a-z-]+)", TEXT, re.MULTILINE))
    assert named >= {"demo", "demo-kafka", "kafka", "lint", "test", "bench", "help"}
    assert named <= targets
