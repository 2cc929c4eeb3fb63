"""The loop of the service: restore, then apply, solve, publish and save, batch by batch.

    source -> apply (landmark sample, panes) -> solve if due -> publish -> checkpoint if due

If it stops between two steps:

- before publishing: nothing was said; the restart solves again.
- after publishing and before the checkpoint: the restart repeats records that the last checkpoint does not cover, and
  may publish a document with the same id again.
- during the checkpoint: the store still has the one before.

In no case is a record counted twice, or left out.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamqid.engine.documents import changes
from streamqid.engine.ports import Seekable
from streamqid.engine.schedule import Schedule
from streamqid.engine.solver import InlineSolver, job_of
from streamqid.engine.state import State, restore
from streamqid.errors import StateError

if TYPE_CHECKING:
    from streamqid.clock import Clock
    from streamqid.engine.documents import Recommendation
    from streamqid.engine.ports import Publisher, Solver, StateStore
    from streamqid.engine.stream import Stream
    from streamqid.records import Batch, Source

log = logging.getLogger(__name__)


@dataclass(slots=True)
class Tally:
    """What one run of the loop did; begins anew with each run."""

    restored: bool = False
    batches: int = 0
    duplicates: int = 0
    """Records that were delivered again, and dropped."""
    outside_panes: int = 0
    """Records that joined no pane, because it is no longer held or because they have no event time."""
    published: int = 0
    checkpoints: int = 0
    failed_checkpoints: int = 0


@dataclass(slots=True, eq=False)
class Loop:
    """Reads one source to its end, or until it is told to stop.  Runs once, on one thread, which owns its state.

    Whoever built the source and the store closes them afterwards.
    """

    stream: Stream
    source: Source
    store: StateStore
    publisher: Publisher
    clock: Clock
    solver: Solver = field(default_factory=InlineSolver)
    tally: Tally = field(init=False, default_factory=Tally)
    state: State = field(init=False)
    _schedule: Schedule = field(init=False)
    _previous: Recommendation | None = field(init=False, default=None)
    _stopping: bool = field(init=False, default=False)

    def stop(self) -> None:
        """Finish the batch, save and return.  May be called from any thread and from a signal handler."""
        self._stopping = True

    def run(self, until: int | None = None) -> Tally:
        """Run to the end of the source, to a stop, or to the first batch that completes ``until`` records.

        Each of these ends with a checkpoint, and the end of the source with a last solve before it.  An exception
        ends it without either: the last checkpoint is then where the next run begins.
        """
        self._restore()
        ended = self._read(until)
        if ended and self._schedule.unsolved(self.state.records):
            self._solve()
        self.store.save(self.state.to_bytes())
        self.tally.checkpoints += 1
        return self.tally

    def _restore(self) -> None:
        saved = self.store.load()
        self.state = State(self.stream) if saved is None else restore(saved, self.stream)
        self.tally.restored = saved is not None
        self._schedule = Schedule(self.stream.pace, self.clock, self.state.records)
        if saved is not None and isinstance(self.source, Seekable):
            self.source.seek(self.state.next_offsets())
        if self._schedule.solve_due(self.state.records):
            self._solve()

    def _read(self, until: int | None) -> bool:
        """Apply batches; return whether the source has ended."""
        for batch in self.source.batches():
            self._step(batch)
            if self._stopping or (until is not None and self.state.records >= until):
                return False
        return True

    def _step(self, batch: Batch) -> None:
        applied = self.state.apply(batch)
        self.tally.batches += 1
        self.tally.duplicates += applied.duplicates
        self.tally.outside_panes += applied.outside
        if applied.closed:
            self._schedule.pane_closed()
        if self._schedule.solve_due(self.state.records):
            self._solve()
        if self._schedule.checkpoint_due(self.state.records):
            self._checkpoint()

    def _solve(self) -> None:
        found = self.solver.solve(job_of(self.stream, self.state))
        if self._previous is not None:
            since = {"previous": self._previous.id, "changes": changes(self._previous, found)}
            found = found.model_copy(update=since)
        self.publisher.publish(found)
        self.tally.published += 1
        self._previous = found
        self._schedule.solved(self.state.records)

    def _checkpoint(self) -> None:
        """Save; a store that refuses costs a warning here, since the snapshot before is as good a place to resume."""
        try:
            self.store.save(self.state.to_bytes())
        except StateError as refused:
            self.tally.failed_checkpoints += 1
            log.warning("The checkpoint at %d records failed: %s", self.state.records, refused)
        else:
            self.tally.checkpoints += 1
        self._schedule.saved(self.state.records)
