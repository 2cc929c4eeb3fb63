"""Saved state for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from streamqid.cli.show import shown, tell
from streamqid.cli.text import nbytes, plain
from streamqid.engine.inspection import SnapshotReport, StateReport

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

__all__ = ["tell"]

POSITIONS = 20
"""How many partitions are shown one by one."""


@shown.register(StateReport)
def _(report: StateReport) -> Iterable[RenderableType]:
    for snapshot in report.snapshots:
        state = Text("intact", "green") if snapshot.intact else Text("damaged", "bold red")
        yield Text.assemble(f"{snapshot.name}  {nbytes(snapshot.bytes)}  ", state)
    newest = next((one for one in reversed(report.snapshots) if one.intact), None)
    if newest is not None:
        yield Text()
        yield from _details(newest)
    for snapshot in report.snapshots:
        if snapshot.problem:
            yield Text(f"{snapshot.name}: {snapshot.problem}")


def _details(newest: SnapshotReport) -> Iterable[RenderableType]:
    yield Text(f"A start resumes from {newest.name}.", "bold")
    yield Text(f"  stream   {plain(newest.stream or '')}, made with key {newest.key_id}")
    yield Text(f"  digest   {newest.digest}")
    if newest.landmark is not None:
        a, b = newest.landmark.held
        yield Text(f"  records  {newest.landmark.records:,}, of which {a:,} are held in A and {b:,} in B")
        yield Text(f"  columns  {plain(', '.join(newest.landmark.columns)) or 'none'}")
    for position in newest.positions[:POSITIONS]:
        yield Text(f"  next     {plain(position.origin)}/{position.partition} at offset {position.next_offset:,}")
    if len(newest.positions) > POSITIONS:
        yield Text(f"           and {len(newest.positions) - POSITIONS} partitions more")
    for number, pane in newest.panes.items():
        yield Text(f"  pane     {number}: {pane.records:,} records")
