"""State that lives as long as the process: for one-off runs and for tests."""

from __future__ import annotations


class MemoryStore:
    """Keeps the newest snapshot in memory; a ``StateStore``."""

    def __init__(self, data: bytes | None = None) -> None:
        self._data = data

    def load(self) -> bytes | None:
        """Return the newest snapshot."""
        return self._data

    def save(self, data: bytes) -> None:
        """Replace it."""
        self._data = data

    def close(self) -> None:
        """Release nothing."""
