"""What a disk may hold after a power failure: file operations are recorded, and every end of them is replayed.

The disk of the model keeps only what it was told to keep.  The content of a file is certain up to its last fsync, and
the entries of a directory up to that of the directory; of what came later any part may be there, in any combination.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pytest

Tree = dict[Path, bytes | None]
"""The files with their content, and the directories with None."""


@dataclass(frozen=True)
class Operation:
    """One call, ``said`` marks a promise that was made between two."""

    kind: str
    path: Path = Path()
    target: Path = Path()
    data: bytes = b""
    said: Any = None


class Recorder:
    """Does what ``os`` does, and takes note of it."""

    NAMES = ("open", "write", "fsync", "close", "rename", "unlink", "mkdir")

    def __init__(self) -> None:
        self.done: list[Operation] = []
        self._paths: dict[int, Path] = {}
        self._real = {name: getattr(os, name) for name in self.NAMES}

    def open(self, path: Any, flags: int, *rest: Any, **options: Any) -> int:
        new = bool(flags & os.O_CREAT) and not Path(path).exists()
        descriptor: int = self._real["open"](path, flags, *rest, **options)
        self._paths[descriptor] = Path(path)
        if new:
            self.done.append(Operation("create", Path(path)))
        return descriptor

    def write(self, descriptor: int, data: Any) -> int:
        count: int = self._real["write"](descriptor, data)
        if descriptor in self._paths:
            self.done.append(Operation("write", self._paths[descriptor], data=bytes(data[:count])))
        return count

    def fsync(self, descriptor: int) -> None:
        self._real["fsync"](descriptor)
        path = self._paths[descriptor]
        self.done.append(Operation("sync directory" if path.is_dir() else "sync file", path))

    def close(self, descriptor: int) -> None:
        self._paths.pop(descriptor, None)
        self._real["close"](descriptor)

    def rename(self, path: Any, target: Any, **options: Any) -> None:
        self._real["rename"](path, target, **options)
        self.done.append(Operation("rename", Path(path), Path(target)))

    def unlink(self, path: Any, **options: Any) -> None:
        self._real["unlink"](path, **options)
        self.done.append(Operation("unlink", Path(path)))

    def mkdir(self, path: Any, *rest: Any, **options: Any) -> None:
        self._real["mkdir"](path, *rest, **options)
        self.done.append(Operation("mkdir", Path(path)))


@contextmanager
def recording(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Operation]]:
    """Record the file operations of the block."""
    recorder = Recorder()
    with monkeypatch.context() as patch:
        for name in Recorder.NAMES:
            patch.setattr(os, name, getattr(recorder, name))
        yield recorder.done


@dataclass
class Disk:
    """What is certain, and what may be there besides."""

    certain: dict[Path, int | None] = field(default_factory=dict)
    """Each name with the number of its file; None for a directory."""
    names: dict[Path, int | None] = field(default_factory=dict)
    doubtful: list[tuple[Path, Operation, int | None]] = field(default_factory=list)
    """Changes of a directory that it was not told to keep, with the file that each is about."""
    kept: list[bytes] = field(default_factory=list)
    written: list[bytes] = field(default_factory=list)

    def take(self, operation: Operation) -> None:
        """Do one operation."""
        kind, path = operation.kind, operation.path
        if kind in {"create", "mkdir"}:
            number = None
            if kind == "create":
                number = len(self.kept)
                self.kept.append(b"")
                self.written.append(b"")
            self.names[path] = number
            self.doubtful.append((path.parent, operation, number))
        elif kind == "rename":
            number = self.names.pop(path)
            self.names[operation.target] = number
            self.doubtful.append((path.parent, operation, number))
        elif kind == "unlink":
            self.doubtful.append((path.parent, operation, self.names.pop(path)))
        elif kind == "write":
            number = self.names[path]
            assert number is not None
            self.written[number] += operation.data
        elif kind == "sync file":
            number = self.names[path]
            assert number is not None
            self.kept[number] = self.written[number]
        elif kind == "sync directory":
            for _, change, number in (one for one in self.doubtful if one[0] == path):
                _change(self.certain, change, number)
            self.doubtful = [one for one in self.doubtful if one[0] != path]

    def ends(self) -> Iterator[Tree]:
        """Yield every tree that may be found after the power failed now."""
        seen = set()
        for chosen in product((False, True), repeat=len(self.doubtful)):
            names = dict(self.certain)
            for keep, (_, change, number) in zip(chosen, self.doubtful, strict=True):
                if keep:
                    _change(names, change, number)
            for how in ("dropped", "torn", "zeros", "all"):
                tree = {p: None if n is None else self._content(n, how) for p, n in names.items() if _there(p, names)}
                frozen = frozenset(tree.items())
                if frozen not in seen:
                    seen.add(frozen)
                    yield tree

    def _content(self, number: int, how: str) -> bytes:
        kept, written = self.kept[number], self.written[number]
        if how == "torn":
            return written[: (len(kept) + len(written)) // 2]
        if how == "zeros":
            return kept + bytes(len(written) - len(kept))
        return written if how == "all" else kept


def _change(names: dict[Path, int | None], change: Operation, number: int | None) -> None:
    if change.kind in {"create", "mkdir"}:
        names[change.path] = number
    else:
        names.pop(change.path, None)
        if change.kind == "rename":
            names[change.target] = number


def _there(path: Path, names: dict[Path, int | None]) -> bool:
    """Tell whether all directories above a name are there, as far as they were made while it was recorded."""
    made = [place for place in names if names[place] is None]
    root = min((len(place.parts) for place in made), default=len(path.parts))
    return all(place in names for place in path.parents if len(place.parts) >= root)


def ends(done: Sequence[Operation]) -> Iterator[tuple[Any, Tree]]:
    """Yield what was promised last and what may be found, for a power failure after each operation."""
    disk, said = Disk(), None
    for operation in done:
        if operation.kind == "said":
            said = operation.said
        else:
            disk.take(operation)
        for tree in disk.ends():
            yield said, tree
