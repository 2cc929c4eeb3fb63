"""Alerts that could not be delivered: kept as lines in a file, so that somebody may find them."""

from __future__ import annotations

import logging
import os
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from streamqid.engine.alerts import Alert

log = logging.getLogger(__name__)


class DeadAlerts:
    """Appends alerts to a file of mode 0600; without a path they are in the log only."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._writing = threading.Lock()

    def add(self, alert: Alert) -> None:
        """Append an alert; never raises."""
        if self._path is None:
            return
        try:
            with self._writing:
                descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
                with os.fdopen(descriptor, "ab") as file:
                    file.write(alert.model_dump_json().encode() + b"\n")
                    file.flush()
                    os.fsync(file.fileno())
        except OSError as error:
            log.error("The dead letters of the webhook cannot be written (%s).", error.strerror)
