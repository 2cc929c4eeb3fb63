"""Named places at which a test can end the process as a power failure would: at once and without a word."""

from __future__ import annotations

import os
import signal
from typing import Final

VARIABLE: Final = "STREAMQID_FAILPOINT"
"""``name`` or ``name:n``: the process kills itself when it reaches that place for the n-th time."""

_reached: dict[str, int] = {}


def reach(name: str) -> None:
    """Pass a named place; outside of tests this does nothing."""
    wanted, _, times = os.environ.get(VARIABLE, "").partition(":")
    if wanted != name:
        return
    _reached[name] = _reached.get(name, 0) + 1
    if _reached[name] >= int(times or 1):
        os.kill(os.getpid(), signal.SIGKILL)
