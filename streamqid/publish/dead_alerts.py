"""Alerts that could not be delivered: kept as lines in a file, so that somebody may find them."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

    from streamqid.engine.alerts import Alert

MOST_BYTES: Final = 16 << 20
"""A file that would grow beyond this is put aside, in place of the one that was before."""

log = logging.getLogger(__name__)


class DeadAlerts:
    """Appends alerts to a file of mode 0600; without a path they are in the log only.

    The newest are kept: the file and the one that was put aside, named ``.1``, have ``MOST_BYTES`` each at most.
    """

    def __init__(self, path: Path | None, *, most: int = MOST_BYTES) -> None:
        self._path, self._most = path, most
        self._writing = threading.Lock()

    def add(self, alert: Alert) -> None:
        """Append an alert; never raises."""
        if self._path is None:
            return
        line = alert.model_dump_json().encode() + b"\n"
        try:
            with self._writing:
                self._make_room(self._path, len(line))
                descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                with os.fdopen(descriptor, "ab") as file:
                    file.write(line)
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            log.error("The dead letters of the webhook cannot be written (%s).", error.strerror)

    def _make_room(self, path: Path, needed: int) -> None:
        """Put a full file aside; what is no file, such as a pipe, never is full."""
        if path.is_file() and 0 < path.stat().st_size > self._most - needed:
            path.replace(path.with_name(f"{path.name}.1"))
