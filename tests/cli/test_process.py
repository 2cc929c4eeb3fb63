"""The program as a process of its own: pipes, signals, a terminal, and how it starts."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = [sys.executable, "-m", "streamqid"]
ROW = b"20,F,CA\n"


def test_a_piped_table_and_a_piped_answer(people: Path) -> None:
    def keys(*form: str) -> bytes:
        done = subprocess.run(
            [*PROGRAM, "keys", "-", "--seed", "1", *form],
            input=people.read_bytes(),
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONIOENCODING": "ascii"},
        )
        assert done.stderr == b""
        assert b"\x1b" not in done.stdout
        return done.stdout

    assert keys().startswith(b"Any two random rows differ on {age, sex}")
    assert json.loads(keys("--json"))["columns"] == ["age", "sex"]


def test_a_mistake_ends_with_code_2() -> None:
    done = subprocess.run([*PROGRAM, "keys", "missing.csv"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"streamqid: missing.csv does not exist: check the path.\n"


def test_a_reader_that_leaves_ends_it_quietly() -> None:
    with subprocess.Popen(
        [*PROGRAM, "generate", "--rows", "300000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b"person_id,")
        running.stdout.close()
        assert running.wait(60) == 141
        assert running.stderr.read() == b""


@pytest.mark.usefixtures("signals_arrive")
def test_an_interrupt_ends_it_with_code_130() -> None:
    with subprocess.Popen(
        [*PROGRAM, "keys", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        # A pipe holds 64 kB: once so much is written, the program reads, and a moment later it waits for more.
        running.stdin.write(b"age,sex,state\n" + ROW * 100_000)
        running.stdin.flush()
        # Python may lose a signal that comes just before a blocking read; a person presses the keys again.
        time.sleep(1.0)
        for _ in range(6):
            running.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.wait(10)
                break
        assert running.poll() == 130
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.read() == running.stderr.read() == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs the device that is always full")  # noqa: PTH110
def test_a_full_disk_is_told(people: Path) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        done = subprocess.run([*PROGRAM, "keys", people], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 74
    assert done.stderr == b"streamqid: the system refused (No space left on device): check disk and rights.\n"


def test_progress_on_a_terminal_and_json_beside_it(people: Path) -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [*PROGRAM, "keys", people, "--json"],
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(theirs)
    assert b"Reading" in os.read(ours, 100_000)
    os.close(ours)
    assert json.loads(done.stdout)["rows"] == 5


def test_the_shell_completes_commands_and_options() -> None:
    script = """
        eval "$(_STREAMQID_COMPLETE=source_bash streamqid)"
        for words in "che" "audit --qu" "config sch"; do
            COMP_WORDS=(streamqid $words) COMP_CWORD=$(set -- $words; echo $#)
            _streamqid_completion streamqid
            echo "${COMPREPLY[@]}"
        done
        streamqid --show-completion | head -c 1000
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["/bin/bash", "-c", script], capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}
    )
    assert done.stderr == ""
    first, second, third, rest = done.stdout.split("\n", 3)
    assert (first, second, third) == ("check", "--quasi", "schema")
    assert "_streamqid_completion" in rest


def test_help_needs_none_of_the_heavy_modules() -> None:
    code = "import sys; from streamqid.cli import main; main(['keys', '--help']); print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert not loaded & {"numpy", "scipy", "kafka", "streamqid.tables"}


def test_a_service_starts_without_what_few_ask_for() -> None:
    code = "import sys, streamqid.app; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert not set(done.stdout.split()) & {"networkx", "pandas", "matplotlib", "scipy.optimize", "scipy.stats"}
