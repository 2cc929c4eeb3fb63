"""Byte streams below a table: a file or standard input."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from streamqid.errors import TableError
from streamqid.sources.ahead import ahead
from streamqid.sources.compression import Counter, cause_of, decompressed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Self

T = TypeVar("T")


class ByteSource:
    """An open byte stream, uncompressed as seen from here.

    ``name`` is for messages; ``total_bytes`` is the size of the file as stored, None if not known.
    """

    def __init__(self, raw: BinaryIO, name: str, total_bytes: int | None, owned: bool = True) -> None:
        self.name = name
        self.total_bytes = total_bytes
        self._raw = raw
        self._owned = owned
        self._counter = Counter(raw, name, total_bytes)
        self._reported = 0
        self.stream = decompressed(self._counter)

    @property
    def compressed(self) -> bool:
        """Whether what is stored is not what is read."""
        return self.stream.raw is not self._counter

    @classmethod
    def open(cls, path: str) -> Self:
        """Open a file, or standard input if the path is ``-``."""
        if path == "-":
            if sys.stdin is None:
                raise TableError("There is no standard input: give a file.")
            return cls(sys.stdin.buffer, "standard input", None, owned=False)
        if not path:
            raise TableError("The path is empty: give a file, or - for standard input.")
        try:
            raw = Path(path).open("rb")  # noqa: SIM115 - closed by close()
        except FileNotFoundError:
            raise TableError(f"{path} does not exist: check the path.") from None
        except IsADirectoryError:
            raise TableError(f"{path} is a directory: give one file.") from None
        except (OSError, ValueError) as error:
            raise TableError(f"{path} cannot be opened ({cause_of(error)}): check its rights.") from None
        status = os.fstat(raw.fileno())
        try:
            return cls(raw, path, status.st_size if stat.S_ISREG(status.st_mode) else None)
        except TableError:
            raw.close()
            raise

    def peek(self) -> bytes:
        """Return some bytes from the front without consuming them: none only if there are none."""
        return self.stream.peek()

    def passed(self) -> int:
        """Count the stored bytes that were read since the last call."""
        fresh = self._counter.count - self._reported
        self._reported = self._counter.count
        return fresh

    def ahead(self, items: Iterator[T]) -> Iterator[T]:
        """Yield what is made from the stream; from a file it is made ahead, as reading that never blocks for long."""
        return items if self.total_bytes is None else ahead(items)

    def close(self) -> None:
        """Close the file, but leave standard input open."""
        if self._owned:
            self._raw.close()
