"""Copies a topic in processes that can be killed.

Each line of standard input, ``LOG SECONDS BOOTSTRAP SOURCE OUTPUT NAME COLUMN ...``, makes one by a fork, which has all
imports done, and is answered by its process id.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time

import tests.kafka.client  # noqa: F401  (before any other import of kafka)
from streamqid.broker import session
from streamqid.copying.rule import Action, CopyRule
from tests.kafka.copies import copier


def copy(log: str, seconds: str, bootstrap: str, source: str, output: str, name: str, *columns: str) -> None:
    """Copy, in transactions that take so long, until somebody ends the process."""
    with open(log, "wb") as file:  # noqa: PTH123
        os.dup2(file.fileno(), sys.stderr.fileno())
    session.MOST_SECONDS = float(seconds)  # type: ignore[misc]
    logging.basicConfig(level=logging.INFO)
    copy, _ = copier(bootstrap, source, CopyRule(output, columns, when_unsure=Action.COPY), name)
    copy.start()
    while True:
        time.sleep(1)


def main() -> None:
    """Fork for each line; who ends is forgotten at once."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        pid = os.fork()
        if not pid:
            copy(*line.split())
        print(pid, flush=True)


if __name__ == "__main__":
    main()
