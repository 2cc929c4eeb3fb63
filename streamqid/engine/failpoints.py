"""Named places at which a test can end the process as a power failure would, or hold a thread up."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Final

VARIABLE: Final = "STREAMQID_FAILPOINT"
"""``name``, ``name:n`` or ``name:n:file``.

The process kills itself when it reaches that place for the n-th time.  With a file, the thread makes that file when it
is there, and goes on once somebody has removed it.
"""

_reached: dict[str, int] = {}


def reach(name: str) -> None:
    """Pass a named place; outside of tests this does nothing."""
    wanted, _, rest = os.environ.get(VARIABLE, "").partition(":")
    if wanted != name:
        return
    times, _, file = rest.partition(":")
    _reached[name] = _reached.get(name, 0) + 1
    if _reached[name] < int(times or 1):
        return
    if not file:
        os.kill(os.getpid(), signal.SIGKILL)
    elif _reached[name] == int(times):
        _wait_at(Path(file))


def _wait_at(file: Path) -> None:
    file.touch()
    while file.exists():
        time.sleep(0.01)
