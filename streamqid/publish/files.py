"""Documents as lines of JSON: appended to a file, or written to standard output."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import stat
import sys
import threading
from typing import TYPE_CHECKING, Final

from streamqid.engine.documents import Recommendation
from streamqid.engine.published import Ledger, Standing, known
from streamqid.errors import TransportError, UsageError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import BinaryIO

    from pydantic import BaseModel

READ_BACK: Final = 16 << 20
"""How many bytes at the end of a file are searched for the last document of each stream."""
ID_WITHIN: Final = 100
_ID: Final = re.compile(r'^\{"kind":"(?:alert|drift)","id":"([0-9a-f]+)"')
BEGINNING: Final = b'{"kind":"'


class FilePublisher:
    """Appends each document as one line to a file of mode 0600, which belongs to this process alone; a ``Publisher``.

    When ``publish`` returns, the line survives a power failure.  A line that a crash left unfinished is taken away at
    the next start, and what the file already holds is not written again.  May be called from several threads.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = threading.Lock()
        self._ledger = Ledger()
        self._told: set[str | None] = set()
        try:
            self._file = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        except OSError as error:
            raise _refused(path, error) from None
        try:
            self._regular = stat.S_ISREG(os.fstat(self._file).st_mode)
            if self._regular:
                self._take_over()
        except OSError as error:
            self.close()
            raise _refused(path, error) from None
        except UsageError:
            self.close()
            raise

    def publish(self, document: BaseModel) -> None:
        """Append a document unless the file has it, or one that covers more."""
        with self._writing:
            if isinstance(document, Recommendation):
                if self._ledger.standing(document) is not Standing.NEWER:
                    return
                self._append(line(document))
                self._ledger.note(document)
            elif (name := getattr(document, "id", None)) not in self._told:
                self._append(line(document))
                self._told.add(name)

    def close(self) -> None:
        """Close the file; allowed more than once."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _append(self, data: bytes) -> None:
        """Write all of it or nothing."""
        size = os.fstat(self._file).st_size
        try:
            rest = data
            while rest:
                rest = rest[os.write(self._file, rest) :]
            if self._regular:
                os.fsync(self._file)
        except OSError as error:
            if self._regular:
                with contextlib.suppress(OSError):
                    os.ftruncate(self._file, size)
            raise _refused(self._path, error) from None

    def _take_over(self) -> None:
        """Lock the file, learn what it says last about each stream, and cut off a line that was not finished."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            msg = f"The file {self._path} is being written by another process: stop it, or name another file."
            raise UsageError(msg) from None
        size = os.fstat(self._file).st_size
        end = os.pread(self._file, READ_BACK, max(0, size - READ_BACK))
        *lines, torn = end.split(b"\n")
        if torn:
            if not (torn.startswith(BEGINNING) or BEGINNING.startswith(torn)):
                msg = f"The file {self._path} ends with a line that streamqid did not write: name another file."
                raise UsageError(msg)
            os.ftruncate(self._file, size - len(torn))
            os.fsync(self._file)
        for text in lines:
            if (document := known(text)) is not None:
                self._ledger.note(document)
            else:
                self._told.update(_ID.findall(text[:ID_WITHIN].decode(errors="replace")))


class StdoutPublisher:
    """Writes each document as one line to standard output; a ``Publisher``."""

    def __init__(self, out: BinaryIO | None = None) -> None:
        self._out = sys.stdout.buffer if out is None else out
        self._writing = threading.Lock()

    def publish(self, document: BaseModel) -> None:
        """Write a document and see to it that it leaves the process."""
        try:
            with self._writing:
                self._out.write(line(document))
                self._out.flush()
        except (OSError, ValueError) as error:
            msg = f"Standard output can no longer be written ({type(error).__name__}): check who reads it."
            raise TransportError(msg) from None


def line(document: BaseModel) -> bytes:
    """Return a document as one line of JSON."""
    return document.model_dump_json().encode() + b"\n"


def _refused(path: Path, error: OSError) -> TransportError:
    reason = error.strerror or "unknown error"
    return TransportError(f"The file {path} cannot be written ({reason}): check its place, space and permissions.")
