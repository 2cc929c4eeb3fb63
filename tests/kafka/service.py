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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from kafka import KafkaConsumer, TopicPartition

from streamqid.app.sources import source_of
from streamqid.config import load
from streamqid.config.building import connection_of, secret_of, stream_of
from streamqid.engine.directory import snapshots_in
from streamqid.engine.state import State
from streamqid.sampling.snapshot import unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

UNTRACED = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
"""The environment without what makes coverage watch a process: that doubles the time of a start, and a process that is
killed leaves a file that cannot be read."""
PATIENCE = 90.0
"""Seconds after which a condition that has not come is a failure."""


def wait_for(
    condition: Callable[[], bool], what: str, seconds: float = PATIENCE, told: Callable[[], object] = str
) -> float:
    """Wait until a condition holds, and return how long that took; what is ``told`` is shown where it does not.

    A look that is costly is taken less often, so that waiting takes at most a third of a processor.
    """
    began = looked = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, f"waited {seconds} seconds for: {what}\n{told()}"
        time.sleep(max(0.02, 2 * (time.monotonic() - looked)))
        looked = time.monotonic()
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
                env={**UNTRACED, **environment},
            )

    def up(self) -> None:
        """Start the process and wait until its streams are restored."""
        self.start()
        wait_for(lambda: self.began_with() is not None or self._ended(), "the stream begins")
        assert not self._ended(), self.log()

    def _ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

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

    def port(self) -> int | None:
        """Return the port of the HTTP server; None while there is none."""
        found = re.search(r"HTTP on port (\d+)", self.log())
        return None if found is None else int(found[1])

    def get(self, path: str) -> tuple[int, bytes]:
        """Ask the HTTP server; status 0 while it does not answer."""
        port = self.port()
        if port is None:
            return 0, b""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
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

    def began_with(self) -> int | None:
        """Return how many records the state held that the process began with; None while it has not begun."""
        found = re.search(r"(?:restored its state|begins without saved state), (\d+) records", self.log())
        return None if found is None else int(found[1])

    def reads(self) -> bool:
        """Whether the process has counted a record."""
        began = self.began_with()
        return began is not None and self.status().get("records", 0) > began

    def metric(self, name: str, **labels: str) -> float:
        """Return a sample of the metrics, whose labels are those of the stream and these."""
        wanted = {"stream": "people", **labels}
        _, body = self.get("/metrics")
        for line in body.decode().splitlines():
            found = re.fullmatch(rf"{name}{{(.*)}} (\S+)", line)
            if found and dict(re.findall(r'(\w+)="([^"]*)"', found[1])) == wanted:
                return float(found[2])
        return 0.0

    def lag(self) -> float:
        """Return how many offsets of all partitions wait, those without a record included."""
        _, body = self.get("/metrics")
        found = re.findall(r"^streamqid_lag_offsets{.*} (\S+)$", body.decode(), re.MULTILINE)
        return sum(map(float, found)) if found else float("inf")

    def ready(self) -> str:
        """Return why the service is not ready, or nothing when it is; all the time it must be alive."""
        wait_for(lambda: "HTTP on port" in self.log(), "the HTTP server")
        assert self.get("/healthz")[0] == 200
        code, body = self.get("/readyz")
        return "" if code == 200 else " ".join(json.loads(body)["reasons"])

    def children(self) -> list[int]:
        """Return the processes that solve for this one."""
        assert self.process is not None
        return [pid for pid in _children(self.process.pid) if b"spawn_main" in _read(f"/proc/{pid}/cmdline")]

    def memory(self, what: str = "VmRSS") -> int:
        """Return the memory of the process in bytes; VmHWM is the most that it ever was."""
        assert self.process is not None
        found = re.search(rf"{what}:\s*(\d+) kB", _read(f"/proc/{self.process.pid}/status").decode())
        assert found is not None
        return 1024 * int(found[1])

    def wait_until_stoppable(self) -> None:
        """Wait until SIGTERM is handled."""
        assert self.process is not None
        status, bit = f"/proc/{self.process.pid}/status", 1 << (signal.SIGTERM - 1)

        def caught() -> bool:
            found = re.search(rb"SigCgt:\s*([0-9a-f]+)", _read(status))
            return found is not None and bool(int(found[1], 16) & bit)

        wait_for(caught, "a handler of SIGTERM")

    def wait_for_records(self, records: int) -> None:
        """Wait until so many records are counted."""
        wait_for(
            lambda: self.status().get("records", 0) >= records,
            f"{records} records counted",
            told=lambda: f"{self.status()}\n{self.log()}",
        )

    def wait_for_saved(self, offsets: int) -> None:
        """Wait until the newest snapshot reaches so far, in all partitions together."""
        wait_for(lambda: sum(self.saved().values()) == offsets, f"a snapshot of {offsets} offsets")

    def snapshot(self) -> bytes:
        """Return the newest snapshot."""
        return snapshots_in(self.state)[-1].read_bytes()

    def saved(self) -> dict[tuple[str, int], int]:
        """Return how far the newest snapshot reaches; empty when there is none."""
        if not self.state.is_dir() or not snapshots_in(self.state):
            return {}
        header, _ = unpack(self.snapshot())
        return {(name, partition): following for name, partition, _, _, following, *_ in header["origins"]}

    def reference(self) -> State:
        """Return the state of an uninterrupted run over the same log in this process, by the plain client."""
        config = load(self.config_file, {}).config
        stream = config.streams[0].model_copy(update={"path": "plain"})
        state = State(stream_of(stream, secret_of(config), state=config.state))
        source = source_of(config, stream, connection_of(config, {}))
        ends = ends_of(self.bootstrap, self.topics)
        deadline = time.monotonic() + PATIENCE
        with contextlib.closing(source):
            for batch in source.batches():
                if batch is not None:
                    state.apply(batch)
                    # A log may be long and the machine busy: only standing still is a failure.
                    deadline = time.monotonic() + PATIENCE
                reached = {(o.name, o.partition): offset for o, offset in state.next_offsets().items()}
                if all(reached.get(part, 0) >= end for part, end in ends.items()):
                    break
                assert time.monotonic() < deadline, (reached, ends, source.troubles())
        return state


def ends_of(bootstrap: str, topics: list[str]) -> dict[tuple[str, int], int]:
    """Return the end of the log of each partition."""
    with contextlib.closing(KafkaConsumer(bootstrap_servers=bootstrap.split(","))) as consumer:
        parts = [TopicPartition(topic, part) for topic in topics for part in consumer.partitions_for_topic(topic)]
        return {(part.topic, part.partition): end for part, end in consumer.end_offsets(parts).items()}


def alive(pid: int) -> bool:
    """Whether a process is there and has not ended."""
    state = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return bool(state) and state[0] not in {b"Z", b"X"}


def _read(path: str) -> bytes:
    """Return what the system says about a process; nothing when it is gone."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    return [int(child) for task in tasks.iterdir() for child in _read(f"{task}/children").split()]
