"""The history of a stream in a file beside its snapshots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.directory import replace_file
from streamqid.errors import StateError

if TYPE_CHECKING:
    from pathlib import Path

NAME = "history.json"


class HistoryFile:
    """Keeps the history in the state directory, under the lock of its ``DirectoryStore``; a ``HistoryStore``."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / NAME

    def load(self) -> bytes | None:
        """Return what was saved last."""
        try:
            return self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            msg = f"The history {self._path} cannot be read ({error.strerror}): check its permissions."
            raise StateError(msg) from None

    def save(self, data: bytes) -> None:
        """Replace the file."""
        replace_file(self._path, data, "history_")
