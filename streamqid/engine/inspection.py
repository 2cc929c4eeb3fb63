"""What lies in a state directory, read without the secret and without disturbing whoever uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from streamqid.engine.directory import read_snapshot, snapshots_in
from streamqid.engine.documents import Position
from streamqid.engine.state import KIND, digest_of
from streamqid.errors import SnapshotCorruptError, StateError
from streamqid.problems.answer import Document
from streamqid.sampling.snapshot import unpack

if TYPE_CHECKING:
    from pathlib import Path


class SampleReport(Document):
    """One sampler of a snapshot: how many records it has seen, and how many of them it holds in A and in B."""

    records: int
    held: tuple[int, int]
    columns: list[str]


class SnapshotReport(Document):
    """One snapshot.  Everything but name, bytes and the problem is unknown when it is not intact."""

    name: str
    bytes: int
    intact: bool
    problem: str | None = None
    digest: str | None = None
    """Two snapshots with the same digest hold the same samples and positions."""
    stream: str | None = None
    key_id: str | None = None
    positions: list[Position] = Field(default_factory=list)
    landmark: SampleReport | None = None
    panes: dict[int, SampleReport] = Field(default_factory=dict)
    counted: list[list[str]] = Field(default_factory=list)
    """Column sets whose groups are counted over every record."""
    bad: dict[str, int] | None = None
    """Records that could not be read, by reason; None where only candidates are read."""


class StateReport(Document):
    """All snapshots of a state directory, the newest last."""

    kind: Literal["state"] = "state"
    directory: str
    snapshots: list[SnapshotReport]

    @property
    def usable(self) -> bool:
        """Whether a service that starts on this directory would find a snapshot to resume from."""
        return any(snapshot.intact for snapshot in self.snapshots)


def inspect(directory: Path) -> StateReport:
    """Read and verify every snapshot in a state directory.

    Checksums are verified, the outer one and those of each sampler inside.  Whether the snapshot fits a configuration
    and its secret is only known to a service that starts with them.
    """
    if not directory.is_dir():
        msg = f"There is no state directory {directory}: name the directory of one stream."
        raise StateError(msg)
    paths = snapshots_in(directory)
    if not paths:
        inside = sorted(child.name for child in directory.iterdir() if child.is_dir() and snapshots_in(child))
        hint = f"look into {directory / inside[0]}" if inside else "name the directory of one stream"
        msg = f"There is no snapshot in {directory}: {hint}."
        raise StateError(msg)
    # A service that runs meanwhile writes newer ones and removes the oldest.
    snapshots = [found for path in paths if (found := _report(path, gone=path != paths[-1])) is not None]
    return StateReport(directory=str(directory), snapshots=snapshots)


def _report(path: Path, *, gone: bool) -> SnapshotReport | None:
    """Verify a snapshot; None if it is not there any more and may be ``gone``."""
    try:
        data = read_snapshot(path)
    except OSError as error:
        if gone and isinstance(error, FileNotFoundError):
            return None
        msg = f"The snapshot {path} cannot be read ({error.strerror}): check its permissions."
        raise StateError(msg) from None
    try:
        header, arrays = unpack(data)
        if header.get("kind") != KIND:
            raise SnapshotCorruptError("It does not hold the state of a stream.")
        samplers = [_sampler(array.tobytes()) for array in arrays[: 1 + len(header["panes"])]]
        for counts in arrays[len(samplers) :]:
            unpack(counts.tobytes())
    except StateError as problem:
        return SnapshotReport(name=path.name, bytes=len(data), intact=False, problem=str(problem))
    return SnapshotReport(
        name=path.name,
        bytes=len(data),
        intact=True,
        digest=digest_of(data),
        stream=header["stream"],
        key_id=samplers[0][0],
        positions=[
            Position(origin=name, partition=partition, id=log_id, next_offset=following)
            for name, partition, log_id, _first, following, *_ in header["origins"]
        ],
        landmark=samplers[0][1],
        counted=header.get("counted", []),
        bad=header.get("bad"),
        panes=dict(zip(header["panes"], (report for _, report in samplers[1:]), strict=True)),
    )


def _sampler(data: bytes) -> tuple[str, SampleReport]:
    header, arrays = unpack(data)
    columns: dict[str, Any] = header["columns"]
    half = len(arrays) // 2
    return header["key_id"], SampleReport(
        records=header["n"],
        held=(len(arrays[0]), len(arrays[half])),
        columns=sorted({column for names in columns.values() for column in names}),
    )
