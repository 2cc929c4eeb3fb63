"""The tutorial is true: its commands run in a shell in their order, and answer what the page says."""

from __future__ import annotations

import doctest
import re
import shlex
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from streamqid.cli import main
from tests.docs.blocks import blocks, commands

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial.md"
LEFT_OUT = "…"


def same(shown: str, out: str) -> bool:
    """Return whether the page shows what came out, up to whole lines that it leaves out."""
    pieces = [re.escape(piece) for piece in re.split(rf"^{LEFT_OUT}\n", shown, flags=re.MULTILINE)]
    return re.fullmatch(r"(?:.*\n)*?".join(pieces), out) is not None


def ran_as(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """Return what a command writes to standard output, and demand that it writes nothing to standard error.

    What needs a shell gets one; the program itself runs in this process, which is much quicker.
    """
    if command.startswith("streamqid ") and not set("|;>&$") & set(command):
        assert main(shlex.split(command)[1:]) == 0, command
        out, err = capsys.readouterr()
    else:
        result = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
        out, err = result.stdout, result.stderr
    assert err == "", command
    return out


def test_every_block_answers_what_the_page_says(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One test, because each step uses the files of the steps before."""
    ran = 0
    for kind, block in blocks(PAGE.read_text()):
        if kind == "console":
            for command, shown in commands(block):
                out = ran_as(command, capsys)
                assert same(shown, out), f"{command}\n{out}"
                ran += 1
        else:
            assert kind == "pycon"
            session = doctest.DocTestParser().get_doctest(block, {}, PAGE.name, str(PAGE), 0)
            told: list[str] = []
            results = doctest.DocTestRunner(verbose=False).run(session, out=told.append)
            assert results.failed == 0, "".join(told)
            ran += results.attempted
    assert ran >= 20
    for name in ("overview.html", "audit.html"):
        assert (desk / name).stat().st_size < 30_000


def test_the_links_lead_somewhere() -> None:
    targets = re.findall(r"\]\(([^)#]+)", PAGE.read_text())
    assert targets
    assert [target for target in targets if not (PAGE.parent / target).exists()] == []


def test_what_the_page_left_out_is_lines_only() -> None:
    """A wrong line, a missing line and a line too much are noticed."""
    shown = f"one\n{LEFT_OUT}\nfour\n"
    assert same(shown, "one\ntwo\nthree\nfour\n")
    assert same(shown, "one\nfour\n")
    for out in ("one\ntwo\n", "zero\none\nfour\n", "one\nfour\nfive\n", "one\ntwo four\n", ""):
        assert not same(shown, out)
    assert same("", "")
    assert not same("", "more\n")
