"""The README's way from a running broker to the first recommendation, word by word, but for names and addresses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.docs.blocks import blocks, commands
from tests.unit.publish.watching import ask

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker

TEXT = (Path(__file__).parents[2] / "README.md").read_text()
SECONDS = 90.0


def shown(beginning: str) -> list[str]:
    """Return the words of the command of the README that begins so."""
    console = [command for kind, block in blocks(TEXT) if kind == "console" for command, _ in commands(block)]
    [found] = [command for command in console if command.startswith(beginning)]
    return found.partition("#")[0].split()


def within(what: Any) -> Any:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            if found := what():
                return found
        except OSError:
            pass
        time.sleep(0.1)
    raise AssertionError(what)


def test_three_commands_lead_from_a_broker_to_a_recommendation_and_a_verdict(broker: Broker, tmp_path: Path) -> None:
    topic = f"people-{time.time_ns()}"
    program = [sys.executable, "-m"]
    feed = [topic if word == "people" else word for word in shown("streamqid feed")]
    less = ["--rows", "60000", "--bootstrap-servers", broker.bootstrap]
    subprocess.run([*program, *feed, *less], check=True, capture_output=True)

    [text] = [block for kind, block in blocks(TEXT) if kind == "yaml"]
    text = text.replace("localhost:9092", broker.bootstrap).replace("topics: [people]", f"topics: [{topic}]")
    (tmp_path / "streamqid.yaml").write_text(text + "http: {port: 0}\n")
    with subprocess.Popen(
        [*program, *shown("streamqid run")], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as service:
        assert service.stderr is not None
        try:
            port = next(int(found[1]) for line in service.stderr if (found := re.search(r"HTTP on port (\d+)", line)))
            path = "/" + shown("curl")[1].partition("/")[2]
            [newest] = within(lambda: json.loads(ask(port, path).body))
            assert newest["key"]["columns"]
            states = within(lambda: {one["settled"] for one in settled(port)} - {"unknown"})
            # 98.3 % of the pairs are told apart, and 3 in 10,000 people are alone.
            assert states == {"safe"}
        finally:
            service.terminate()
            service.stderr.close()
        assert service.wait(timeout=30) == 0


def settled(port: int) -> list[dict[str, Any]]:
    [stream] = json.loads(ask(port, "/v1/published").body)
    found: list[dict[str, Any]] = stream["verdicts"]
    return found
