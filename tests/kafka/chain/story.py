"""Producers that drift, and what the service on their topic says of its published sets."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.kafka.service import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.kafka.service import Service

ROWS_PER_SECOND = 1_500
ROWS = 1_000_000
"""More than a producer ever writes here."""
AS_EVER = ("--drift", f"new:device@{ROWS - 1}")
"""Without the column device, which comes with the last row."""
DRIFTED = ("--drift", "finer:region@0", "--drift", "new:device@0")
"""With finer regions, by which research is no longer safe, and with that column."""


class Producer:
    """A process that writes made-up people all the time, of one kind until it is told another; ``with`` ends it."""

    def __init__(self, bootstrap: str, topic: str) -> None:
        self._where = ("--bootstrap-servers", bootstrap, "--topic", topic, "--rate", str(ROWS_PER_SECOND))
        self._seed = 0
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Producer:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(20)

    def write(self, *drift: str) -> float:
        """Go on with other rows, and return the time before which none of them was written."""
        self.__exit__()
        self._seed += 1
        began = time.time()
        command = [sys.executable, "-m", "streamqid", "feed", "--rows", str(ROWS), "--seed", str(self._seed)]
        self._process = subprocess.Popen([*command, *self._where, *drift])
        return began


def verdict(service: Service, name: str) -> dict[str, Any]:
    """Return the verdict on a set; empty while there is none."""
    code, body = service.get("/v1/published?stream=people")
    found = json.loads(body) if code == 200 else []
    return next((one for streams in found for one in streams["verdicts"] if one["name"] == name), {})


@dataclass
class Log:
    """The times of what happened; they are shown at the end of the run, also of one that passes."""

    tell: Callable[[str, object], None]
    began: float = field(default_factory=time.time)

    def note(self, what: str, at: float | None = None) -> float:
        """Note that something happened now, or at a time."""
        moment = time.time() if at is None else at
        line = f"{time.strftime('%H:%M:%S', time.gmtime(moment))}  {moment - self.began:6.1f} s  {what}"
        self.tell("noted", line)
        print(line)
        return moment

    def wait(self, condition: Callable[[], bool], what: str) -> float:
        """Wait until a condition holds, and note when."""
        wait_for(condition, what)
        return self.note(what)
