"""Undoing the compression of a byte stream, and counting the bytes that it takes."""

from __future__ import annotations

import functools
import importlib
import io
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from streamqid.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Callable

_BUFFER_BYTES = 1 << 16
_CHUNK_BYTES = 1 << 13  # Small, as a chunk may grow some ten thousand times when it is decompressed.
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_ZSTD_SKIPPABLE = b"\x2a\x4d\x18"  # Preceded by one byte from 0x50 to 0x5f.


class Counter(io.RawIOBase):
    """Counts what is read, and reports a failure to read as an error of the table.

    So is an end before the ``total`` bytes that a file had when it was opened.
    """

    def __init__(self, raw: BinaryIO, name: str, total: int | None = None) -> None:
        self.count = 0
        self._total = total
        self._raw = raw
        self.name = name

    def readable(self) -> bool:
        """Say that it is."""
        return True

    def seekable(self) -> bool:
        """Tell whether what was read can be read again, as from a file."""
        return self._raw.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to another place; what is read twice counts once."""
        before = self._raw.tell()
        after = self._raw.seek(offset, whence)
        self.count += after - before
        return after

    def tell(self) -> int:
        """Return the place."""
        return self._raw.tell()

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer, with less only at the end."""
        try:
            got = self._raw.readinto(buffer)  # type: ignore[attr-defined]
        except OSError as error:
            cause = cause_of(error)
            raise TableError(
                f"Reading {self.name} failed after {self.count:,} bytes ({cause}): check the disk."
            ) from None
        self.count += got
        if not got and len(buffer) and self._total is not None and self.count < self._total:
            raise TableError(f"{self.name} became shorter while it was read: try again when nobody writes to it.")
        return int(got)


class _Frame(Protocol):
    """Decompresses one frame, as an object of zlib or of zstandard does."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class _Method:
    """A way of compression: how to begin a frame, and what it raises for bad data."""

    name: str
    begin: Callable[[], _Frame]
    failure: type[Exception]


class _Decompressing(io.RawIOBase):
    """The content of a stream of compressed frames, one after the other."""

    def __init__(self, source: io.BufferedReader[Any], counter: Counter, method: _Method) -> None:
        self._source = source
        self._counter = counter
        self._method = method
        self._frame: _Frame | None = None
        self._ready = memoryview(b"")
        self._sound = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready:
            chunk = self._source.read(_CHUNK_BYTES)
            if not chunk and self._frame is not None:
                raise self._error("ends too early")
            if not chunk:
                return 0
            self._ready = memoryview(self._decompress(chunk))
            self._sound += len(chunk)
        size = min(len(buffer), len(self._ready))
        buffer[:size] = self._ready[:size]
        self._ready = self._ready[size:]
        return size

    def _decompress(self, chunk: bytes) -> bytes:
        content = []
        while chunk:
            if self._frame is None:
                # Some tools fill up the last block of a file with zeros.
                chunk = chunk.lstrip(b"\0")
                if not chunk:
                    break
                self._frame = self._method.begin()
            try:
                content.append(self._frame.decompress(chunk))
            except self._method.failure:
                raise self._error("is damaged") from None
            if not self._frame.eof:
                break
            chunk, self._frame = self._frame.unused_data, None
        return b"".join(content)

    def _error(self, trouble: str) -> TableError:
        return TableError(
            f"{self._counter.name} {trouble}: its {self._method.name} data can be read up to about byte "
            f"{self._sound:,} only; fetch or write the file again."
        )


def decompressed(counter: Counter) -> io.BufferedReader[Any]:
    """Wrap a stream, if it is compressed, by what undoes it; the first bytes tell."""
    stored: io.BufferedReader[Any] = io.BufferedReader(counter, _BUFFER_BYTES)
    start = stored.peek()[:4]
    if start.startswith(_GZIP_MAGIC):
        method = _Method("gzip", functools.partial(zlib.decompressobj, wbits=31), zlib.error)
    elif start == _ZSTD_MAGIC or (start[1:] == _ZSTD_SKIPPABLE and b"\x50" <= start[:1] <= b"\x5f"):
        method = _zstd()
    else:
        return stored
    return io.BufferedReader(_Decompressing(stored, counter, method), _BUFFER_BYTES)


def _zstd() -> _Method:
    try:
        zstandard: Any = importlib.import_module("zstandard")
    except ImportError:
        raise TableError("Reading zstd needs zstandard: pip install zstandard.") from None
    return _Method("zstd", lambda: zstandard.ZstdDecompressor().decompressobj(), zstandard.ZstdError)


def cause_of(error: Exception) -> str:
    """Say why the system refused, without a path."""
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
