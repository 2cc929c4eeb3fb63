"""Reading a byte stream in blocks that begin and end between records."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO, Protocol

from streamqid.allocator import keep_freed_memory
from streamqid.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

BLOCK_BYTES = 4 << 20
"""How much is read at a time: large enough for numpy to pay off, small enough to stay in the cache."""

RECORD_BYTES = 64 << 20
"""Longest record that is still believed to be one."""

_UTF32_MARK = b"\x00\x00\xfe\xff"


class Records(Protocol):
    """Where the records stand in ``data[:end]``; record numbers count from 0 within the block."""

    @property
    def data(self) -> bytes:
        """The block, and what was read behind it."""
        ...

    @property
    def end(self) -> int:
        """Where the last whole record ends."""
        ...

    @property
    def count(self) -> int:
        """How many records there are."""
        ...

    @property
    def newlines(self) -> int:
        """How many line ends there are, also those within records."""
        ...

    def spans(self, rows: NDArray[np.int64]) -> list[tuple[int, int]]:
        """Start and end (line end included) of these ascending records."""
        ...

    def lines(self, rows: NDArray[np.int64]) -> list[int]:
        """How many physical lines of the block come before each of these records."""
        ...


class Blocks:
    """A stream cut in blocks; ``rest`` is what was read and not yet given out, from line ``line`` on."""

    def __init__(self, stream: BinaryIO, name: str, block_bytes: int = BLOCK_BYTES) -> None:
        self.name = name
        self.rest = b""
        self.line = 1
        self.ended = False
        self._stream = stream
        self._again = stream.seekable()
        self._block_bytes = block_bytes
        keep_freed_memory()

    def begin(self) -> None:
        """Read the first bytes and take off a byte order mark."""
        while len(self.rest) < len(_UTF32_MARK) and not self.ended:
            self.grow()
        self.rest = strip_bom(self.rest, self.name)

    def grow(self) -> None:
        """Read on, so that ``rest`` becomes longer or ``ended`` becomes true.

        Doubles the rest, so that a record of many blocks is scanned a bounded number of times per byte.  What can be
        read again is, together with what follows it: that costs less than putting a block together from two parts.
        """
        if self.ended:
            return
        if len(self.rest) > RECORD_BYTES:
            raise TableError(
                f"The record that starts in line {self.line} of {self.name} is longer than "
                f"{RECORD_BYTES >> 20} MiB: look there for a quote that is never closed, "
                "or for line ends that are missing."
            )
        wanted = max(self._block_bytes, len(self.rest))
        if self._again:
            wanted += len(self.rest)
            self._stream.seek(-len(self.rest), io.SEEK_CUR)
            self.rest = b""
        fresh = self._stream.read(wanted)
        self.ended = len(fresh) < wanted
        self.rest = self.rest + fresh if self.rest else fresh

    def skip(self, end: int) -> None:
        """Drop the first ``end`` bytes of the rest."""
        self.line += self.rest.count(b"\n", 0, end)
        self.rest = self.rest[end:]

    def cut(self, index: Callable[[bytes, bool], Records]) -> Iterator[tuple[int, Records]]:
        """Yield the blocks, each with the number of its first line.

        ``index(data, ended)`` says where the records of ``data`` stand; bytes behind its ``end`` come
        again, with more data, in the next call.
        """
        while not (self.ended and not self.rest):
            self.grow()
            records = index(self.rest, self.ended)
            first_line = self.line
            self.line += records.newlines
            self.rest = self.rest[records.end :]
            if records.count:
                yield first_line, records
            if self.ended:
                return


def strip_bom(data: bytes, name: str) -> bytes:
    """Take off the byte order mark of UTF-8; refuse the marks of UTF-16 and UTF-32."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff", _UTF32_MARK)):
        raise TableError(f"{name} looks like UTF-16 or UTF-32: convert it to UTF-8, for instance with iconv.")
    return data.removeprefix(b"\xef\xbb\xbf")
