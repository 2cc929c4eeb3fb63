"""Snapshots in a local directory: the last three, each complete or not there at all.

    <directory>/lock                          held with flock as long as the store is open
    <directory>/snapshot-0000000042.state     the higher the number, the newer
    <directory>/snapshot-0000000041.state.corrupt   found damaged, and put aside

A snapshot is written to a temporary file, synchronised and renamed, then the directory is synchronised; its checksum
is inside it.  Order is by number and never by the time of a file.  The directory must be on a local disk: locks of
network file systems are not to be relied on.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import logging
import os
import re
import stat
from typing import TYPE_CHECKING

from streamqid.engine.failpoints import reach
from streamqid.errors import SnapshotCorruptError, StateError
from streamqid.sampling.snapshot import unpack

if TYPE_CHECKING:
    from pathlib import Path

KEPT = 3
_SNAPSHOT = re.compile(r"snapshot-(\d{10,})\.state(\.corrupt)?")

log = logging.getLogger(__name__)


class DirectoryStore:
    """Keeps snapshots in a directory that belongs to this process alone; a ``StateStore``.

    The directory is created with mode 0700 and its files with 0600.
    """

    def __init__(self, path: Path, keep: int = KEPT) -> None:
        self._path, self._keep = path, keep
        try:
            _make(path)
            self._lock = _locked(path)
        except OSError as error:
            raise _refused(f"The state directory {path} cannot be used", error) from None
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            log.warning("Other users may enter the state directory %s: its mode should be 0700.", path)
        for left_over in path.glob("*.tmp"):
            with contextlib.suppress(OSError):
                left_over.unlink()

    def load(self) -> bytes | None:
        """Return the newest intact snapshot; damaged ones on the way there are put aside."""
        for path in reversed(snapshots_in(self._path)):
            try:
                data = _intact(path)
            except OSError as error:
                raise _refused(f"The snapshot {path} cannot be read", error) from None
            if data is not None:
                return data
        if self._numbers():
            msg = (
                f"No snapshot in {self._path} is intact: restore one from a backup, or move the directory away "
                "to start anew."
            )
            raise StateError(msg)
        return None

    def save(self, data: bytes) -> None:
        """Write a snapshot beside the others, then forget all but the last ones."""
        try:
            self._keep_lock()
            number = max(self._numbers(), default=0) + 1
        except OSError as error:
            raise _refused(f"The state could not be saved in {self._path}", error) from None
        replace_file(self._path / f"snapshot-{number:010d}.state", data)
        with contextlib.suppress(OSError):
            for old in snapshots_in(self._path)[: -self._keep]:
                old.unlink()

    def close(self) -> None:
        """Release the lock."""
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1

    def _keep_lock(self) -> None:
        """Lock anew a directory whose lock was removed or replaced; raises if another process came first."""
        lock = self._path / "lock"
        if not lock.exists() or not os.path.samestat(os.fstat(self._lock), lock.stat()):
            anew = _locked(self._path)
            os.close(self._lock)
            self._lock = anew

    def _numbers(self) -> list[int]:
        return [number for number, _, _ in _files(self._path)]


def replace_file(final: Path, data: bytes, what: str = "") -> None:
    """Write a file so that a power failure leaves it as it was, or complete; raises a StateError when it cannot.

    ``what`` comes before the names of the failpoints on the way.
    """
    temporary = final.parent / f"{what}snapshot.tmp"
    try:
        temporary.unlink(missing_ok=True)
        _write(temporary, data, what)
        reach(f"{what}rename")
        temporary.rename(final)
        reach(f"{what}directory")
        _sync_directory(final.parent)
        reach(f"{what}saved")
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise _refused(f"The state could not be saved in {final.parent}", error) from None


def snapshots_in(directory: Path) -> list[Path]:
    """Return the snapshots that were not put aside, oldest first."""
    return [directory / name for _, name, aside in sorted(_files(directory)) if not aside]


def read_snapshot(path: Path) -> bytes:
    """Return the bytes of a file; raises an OSError for a pipe or a device, which may never end."""
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "not a regular file")
    return path.read_bytes()


def _files(directory: Path) -> list[tuple[int, str, bool]]:
    matches = (_SNAPSHOT.fullmatch(path.name) for path in directory.iterdir())
    return [(int(match[1]), match[0], match[2] is not None) for match in matches if match]


def _locked(path: Path) -> int:
    descriptor = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        msg = f"The state directory {path} is in use by another process: stop it, or name another directory."
        raise StateError(msg) from None
    return descriptor


def _intact(path: Path) -> bytes | None:
    """Return the bytes of a snapshot; if they are damaged, put it aside and return None.

    A snapshot of a version that this program does not read is not damaged: the error says so, and it stays.
    """
    data = read_snapshot(path)
    try:
        unpack(data)
    except SnapshotCorruptError:
        path.rename(path.with_name(path.name + ".corrupt"))
        log.warning("The snapshot %s is damaged and was put aside; the one before it is tried.", path)
        return None
    return data


def _write(path: Path, data: bytes, what: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        half = len(data) // 2
        _write_all(descriptor, memoryview(data)[:half])
        reach(f"{what}write")
        _write_all(descriptor, memoryview(data)[half:])
        reach(f"{what}fsync")
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_all(descriptor: int, rest: memoryview) -> None:
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _make(path: Path) -> None:
    """Create the directory and those above it, so that a power failure does not take them with the state."""
    absent = [place for place in (path, *path.parents) if not place.exists()]
    for place in reversed(absent):
        place.mkdir(mode=0o700, exist_ok=True)
        _sync_directory(place.parent)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _sync_directory(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(what: str, error: OSError) -> StateError:
    return StateError(f"{what} ({error.strerror or 'unknown error'}): check its place, space and permissions.")
