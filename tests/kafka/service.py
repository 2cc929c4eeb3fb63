"""The service as its users start it: a process with a configuration file."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import yaml

from streamqid.app.sources import source_of
from streamqid.config import load
from streamqid.config.building import connection_of, secret_of, stream_of
from streamqid.engine.directory import snapshots_in
from streamqid.engine.state import State

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

PATIENCE = 90.0
"""Seconds after which a condition that has not come is a failure."""


def wait_for(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> float:
    """Wait until a condition holds, and return how long that took."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, f"waited {seconds} seconds for: {what}"
        time.sleep(0.02)
    return time.monotonic() - began


@dataclass
class Service:
    """A directory with a configuration, a key, state and logs, and the process that runs on it."""

    directory: Path
    bootstrap: str
    topics: list[str]
    changes: Mapping[str, Any] = field(default_factory=dict)
    stream: Mapping[str, Any] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        self.write()

    def write(self) -> None:
        """Write the configuration."""
        config: dict[str, Any] = {
            "kafka": {"bootstrap_servers": self.bootstrap},
            "key": {"file": str(self.directory / "key")},
            "state": {
                "directory": str(self.directory / "state"),
                "checkpoint_records": 500,
                "checkpoint_interval": "200ms",
            },
            "http": {"port": 0},
            "ready": {"max_snapshot_age": "60s"},
            "streams": [
                {
                    "name": "people",
                    "topics": self.topics,
                    "schedule": {"solve_interval": "500ms", "solve_records": None},
                    **self.stream,
                }
            ],
        }
        for section, values in self.changes.items():
            config[section] = {**config.get(section, {}), **values}
        self.config_file.write_text(yaml.safe_dump(config))

    @property
    def config_file(self) -> Path:
        return self.directory / "streamqid.yaml"

    @property
    def state(self) -> Path:
        return self.directory / "state" / "people"

    def log(self) -> str:
        """Return all that the process wrote to standard error since it was started last."""
        with contextlib.suppress(FileNotFoundError):
            return (self.directory / "log").read_text()
        return ""

    def start(self, **environment: str) -> None:
        """Start the process; returns before it is up."""
        assert self.process is None or self.process.poll() is not None
        with (self.directory / "log").open("wb") as log, (self.directory / "out").open("ab") as out:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "streamqid", "run", "--config", str(self.config_file)],
                stdout=out,
                stderr=log,
                env={**os.environ, **environment},
            )

    def up(self) -> None:
        """Start the process and wait until its streams are restored."""
        self.start()
        wait_for(lambda: "restored its state" in self.log() or "begins without" in self.log(), "the stream begins")

    def stop(self, grace: float = 25.0) -> int:
        """Send SIGTERM and return the exit code."""
        assert self.process is not None
        self.process.terminate()
        return self.process.wait(grace)

    def kill(self) -> None:
        """Send SIGKILL."""
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def wait(self) -> int:
        """Wait for an end that comes by itself."""
        assert self.process is not None
        return self.process.wait(PATIENCE)

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask the HTTP server; status 0 while it does not answer."""
        port = re.search(r"HTTP on port (\d+)", self.log())
        if port is None:
            return 0, b""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port[1]}{path}", timeout=10) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read()
        except OSError:
            return 0, b""

    def status(self) -> dict[str, Any]:
        """Return where the stream stands; empty while it cannot be asked."""
        code, body = self.get("/v1/streams")
        return dict(json.loads(body)[0]) if code == 200 else {}

    def wait_for_records(self, records: int) -> None:
        """Wait until so many records are counted."""
        wait_for(lambda: self.status().get("records", 0) >= records, f"{records} records counted")

    def snapshot(self) -> bytes:
        """Return the newest snapshot."""
        return snapshots_in(self.state)[-1].read_bytes()

    def reference(self) -> State:
        """Return the state of an uninterrupted run over the same log in this process, by the plain client."""
        config = load(self.config_file, {}).config
        stream = config.streams[0].model_copy(update={"path": "plain"})
        state = State(stream_of(stream, secret_of(config), state=config.state))
        source = source_of(config, stream, connection_of(config, {}))
        with contextlib.closing(source):
            idle = 0
            for batch in source.batches():
                if batch is not None:
                    state.apply(batch)
                    idle = 0
                elif not source.troubles() and source.lags() and not any(source.lags().values()):
                    # Once more, since a lag is what was last heard of the end.
                    idle += 1
                    if idle > 2:
                        break
        return state
