"""One broker process: started, stopped, killed, paused and started again on the same ports and data."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

from deploy.kafka.jars import java
from deploy.kafka.properties import HOST
from deploy.kafka.ready import registered_ports
from deploy.kafka.tools import BrokerError

if TYPE_CHECKING:
    from collections.abc import Mapping

START_SECONDS = 90.0
STOP_SECONDS = 30.0


class Broker:
    """A broker on this machine.  It runs until `stop` or `kill`; a ``with`` block stops it at its end.

    Parameters
    ----------
    directory
        Holds its settings, its log (``broker.log``) and its temporary files.
    properties
        Its server properties; ``log.dirs`` names a formatted storage directory.
    port
        The port for clients.
    ready_port
        The plaintext port to ask whether the broker is up; `port` unless that one speaks TLS.
    options
        Further options of the Java machine.
    """

    def __init__(
        self,
        directory: Path,
        properties: Mapping[str, str],
        *,
        port: int,
        ready_port: int | None = None,
        options: tuple[str, ...] = (),
    ) -> None:
        self.bootstrap = f"{HOST}:{port}"
        self.log_dir = Path(properties["log.dirs"])
        self.console = directory / "broker.log"
        self.ready_port = port if ready_port is None else ready_port
        self._temporary = directory / "tmp"
        self._temporary.mkdir(parents=True, exist_ok=True)
        self._settings = directory / "server.properties"
        self._settings.write_text("".join(f"{key}={value}\n" for key, value in properties.items()))
        self._options = options
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_running(self) -> bool:
        """Whether the process is there, be it paused or not ready yet."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start on the same ports and data, and wait until the broker serves clients."""
        self.launch()
        try:
            self.wait_until_ready({self.ready_port})
        except BaseException:
            self.kill()
            raise

    def launch(self) -> None:
        """Start without waiting: nodes of a cluster become ready only together."""
        if self.is_running:
            return
        command = java(
            "kafka.Kafka", str(self._settings), options=(f"-Djava.io.tmpdir={self._temporary}", *self._options)
        )
        with self.console.open("ab") as console:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=console, stderr=console)

    def wait_until_ready(self, ports: set[int]) -> None:
        """Wait until this broker answers and knows the live brokers at these ports; otherwise raise BrokerError."""
        deadline = time.monotonic() + START_SECONDS
        while not ports <= registered_ports(HOST, self.ready_port):
            if not self.is_running or time.monotonic() > deadline:
                msg = f"The broker at {self.bootstrap} did not start.  Its log ends with:\n{self.log_tail()}"
                raise BrokerError(msg)
            time.sleep(0.02)

    def log_tail(self) -> str:
        """Return the last lines that the broker logged."""
        return self.console.read_text(errors="replace")[-2000:]

    def stop(self) -> None:
        """End it in good order (SIGTERM), and wait; kill it if that takes too long."""
        if self._process is None:
            return
        self.resume()
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End it as a crash would (SIGKILL), and wait until it is gone."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def pause(self) -> None:
        """Freeze it (SIGSTOP): connections stay open and nothing answers."""
        if self._process is not None:
            self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused broker go on (SIGCONT)."""
        if self._process is not None:
            self._process.send_signal(signal.SIGCONT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
