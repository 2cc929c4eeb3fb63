"""The commands of the Dockerfile, run outside a container: what it installs runs, as a user and without a shell."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

TEXT = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")


def instructions() -> list[tuple[str, str]]:
    lines = [line for line in TEXT.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def test_it_runs_as_nobody_special_without_a_shell() -> None:
    found = dict(instructions())
    assert found["USER"] == "10001:10001"
    assert json.loads(found["ENTRYPOINT"]) == ["/opt/streamqid/bin/streamqid"]
    assert json.loads(found["CMD"])[0] == "run"
    assert '"health"' in next(rest for word, rest in instructions() if word == "HEALTHCHECK")
    bases = [rest.split()[0] for word, rest in instructions() if word == "FROM"]
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+", bases[0])


def test_the_user_may_write_to_the_volume(tmp_path: Path) -> None:
    """A named volume is owned as the directory of the image is; what is done to it after VOLUME would be lost."""
    before = [word for word, _ in instructions()].index("VOLUME") - 1
    word, command = instructions()[before]
    assert word == "RUN"
    user, _, group = dict(instructions())["USER"].partition(":")
    assert f"-o {user} -g {group} " in command
    (volume,) = json.loads(dict(instructions())["VOLUME"])
    assert command.endswith(f" {volume}")
    mine = command.replace(f"-o {user} -g {group}", f"-o {os.geteuid()} -g {os.getegid()}")
    subprocess.run(["/bin/sh", "-ec", mine.replace("/var/", f"{tmp_path}/")], check=True)
    made = tmp_path / "lib" / "streamqid"
    assert made.stat().st_mode & 0o777 == 0o700


def test_only_what_is_copied_is_sent() -> None:
    copied = {name for word, rest in instructions() if word == "COPY" for name in rest.split()[:-1]}
    sent = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert {name for name in copied if not name.startswith(("--", "/"))} == sent


def test_the_lock_of_the_build_is_a_part_of_the_whole_one() -> None:
    whole, part = ((ROOT / name).read_text() for name in ("requirements.lock", "requirements-build.lock"))
    pins = re.findall(r"^(\S+==\S+)", part, re.MULTILINE)
    assert {pin.partition("==")[0] for pin in pins} >= {"hatchling", "packaging", "pathspec", "pluggy"}
    for pin in pins:
        assert f"\n{pin}" in f"\n{whole}"


@pytest.mark.slow
def test_the_install_commands_work(tmp_path: Path) -> None:
    work, root = tmp_path / "build", tmp_path / "opt"
    work.mkdir()
    first_stage = instructions()[: [word for word, _ in instructions()].index("LABEL")]
    for word, rest in first_stage:
        if word == "COPY":
            *names, _ = rest.split()
            for name in names:
                source = ROOT / name
                if source.is_dir():
                    shutil.copytree(source, work / name, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(source, work / name)
        elif word == "RUN":
            command = re.sub(r"(?<!\w)/build/", f"{work}/", rest).replace("/opt/", f"{root}/")
            command = re.sub(r"\bpython -m", f"{sys.executable} -m", command)
            # Compiling beforehand would take half of the time.  pip wants a falsy value to switch it off.
            env = {**os.environ, "PIP_NO_COMPILE": "0"}
            shell = ("/bin/sh", "-ec", command)
            done = subprocess.run(shell, cwd=work, env=env, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout + done.stderr
    program = root / "streamqid" / "bin" / "streamqid"
    shown = subprocess.run([program, "--version"], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert re.fullmatch(r"streamqid \d+\.\d+\.\d+\n", shown.stdout)
    health = subprocess.run([program, "health", "--help"], capture_output=True, check=False, cwd=tmp_path)
    assert health.returncode == 0
    assert not list((root / "streamqid").rglob("pip/__init__.py"))
