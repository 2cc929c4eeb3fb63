"""The loop of the service: restore, then apply, solve, publish and save, batch by batch.

    source -> apply (landmark sample, panes) -> publish what was solved -> submit if due -> checkpoint if due -> commit

If it stops between two steps:

- before publishing: nothing was said; the restart solves again.
- after the history was saved and before publishing: the windows are not judged again; the last alerts are told again.
- after publishing and before the checkpoint: the restart repeats records that the last checkpoint does not cover, and
  may publish a document with the same id again.
- during the checkpoint: the store still has the one before.
- after the checkpoint and before the commit: lag tools see the commit before; nothing else reads it.

In no case is a record counted twice, or left out.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from streamqid.engine.differences import changes
from streamqid.engine.failpoints import reach
from streamqid.engine.inputs import Announcing, Live, Seekable
from streamqid.engine.memory import MemoryStore
from streamqid.engine.observers import Silent
from streamqid.engine.quiet import Quiet
from streamqid.engine.schedule import Schedule
from streamqid.engine.solver import InlineSolver, job_of
from streamqid.engine.state import State, restore
from streamqid.engine.watch import Watch
from streamqid.errors import StateError

if TYPE_CHECKING:
    from streamqid.clock import Clock
    from streamqid.engine.documents import Recommendation
    from streamqid.engine.events import Solved
    from streamqid.engine.inputs import Input
    from streamqid.engine.ports import Observer, Publisher, Solver
    from streamqid.engine.recording import News
    from streamqid.engine.stores import HistoryStore, StateStore
    from streamqid.engine.stream import Stream
    from streamqid.records import Batch

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

    Whoever built the source, the store and the solver closes them afterwards.
    """

    stream: Stream
    source: Input
    store: StateStore
    publisher: Publisher
    clock: Clock
    solver: Solver = field(default_factory=InlineSolver)
    observer: Observer = field(default_factory=Silent)
    history: HistoryStore = field(default_factory=MemoryStore)
    tally: Tally = field(init=False, default_factory=Tally)
    state: State = field(init=False)
    watch: Watch = field(init=False)
    _schedule: Schedule = field(init=False)
    _quiet: Quiet = field(init=False)
    _previous: Recommendation | None = field(init=False, default=None)
    _stopping: bool = field(init=False, default=False)

    def stop(self) -> None:
        """Finish the batch, save and return.  May be called from any thread and from a signal handler."""
        self._stopping = True

    def run(self, until: int | None = None) -> Tally:
        """Run to the end of the source, to a stop, or to the first batch that completes ``until`` records.

        Each of these ends with a checkpoint, and the end of the source with a last solve before it; a solve that a
        stop finds under way is given up.  An exception ends it without either: the last checkpoint is then where
        the next run begins.
        """
        self._restore()
        if self._read(until):
            self._solve_the_rest()
        reach("shutdown")
        self._save()
        return self.tally

    def _restore(self) -> None:
        saved = self.store.load()
        reach("restore")
        self.state = State(self.stream) if saved is None else restore(saved, self.stream)
        self.tally.restored = saved is not None
        self._schedule = Schedule(self.stream.pace, self.clock, self.state.records)
        self._quiet = Quiet(self.clock)
        if saved is not None and isinstance(self.source, Seekable):
            reach("seek")
            self.source.seek(self.state.next_offsets())
        self.observer.restored(self.state, saved=saved is not None)
        self.watch = Watch(self.stream, self.history)
        self._tell(self.watch.begin(self.state))
        self._turn()

    def _read(self, until: int | None) -> bool:
        """Apply batches; return whether the source has ended."""
        for batch in self.source.batches():
            if batch is not None:
                self._apply(batch)
            self._turn()
            if self._stopping or (until is not None and self.state.records >= until):
                return False
        return True

    def _apply(self, batch: Batch) -> None:
        self._quiet.delivered(batch.origin)
        applied = self.state.apply(batch)
        self.tally.batches += 1
        self.tally.duplicates += applied.duplicates
        self.tally.outside_panes += applied.outside
        if applied.closed:
            self._schedule.pane_closed()
        self.observer.applied(batch, applied)
        if applied.rejects:
            self.observer.rejected(batch.origin, applied.rejects)

    def _turn(self) -> None:
        """Do what is due, none of which waits for a solve."""
        self._look_ahead()
        self.watch.turned(self.state)
        self._publish(self.solver.result())
        if self._schedule.solve_due(self.state.records) and not self.solver.busy:
            self._submit()
            self._publish(self.solver.result())
        if self._schedule.checkpoint_due(self.state.records):
            self._checkpoint()
        self.observer.turned(self.state)

    def _look_ahead(self) -> None:
        """Learn which origins wait for nothing, so that they hold no pane open, and which are still to come."""
        source, state = self.source, self.state
        caught_up, unread = state.caught_up, state.unread
        if isinstance(source, Live):
            caught_up = self._quiet.caught_up(source.lags())
        if isinstance(source, Announcing):
            unread, caught_up = source.unread(), caught_up | source.gone()
        if (caught_up, unread) != (state.caught_up, state.unread):
            before = state.closed_before()
            state.caught_up, state.unread = caught_up, unread
            now = state.closed_before()
            if now is not None and (before is None or now > before):
                self._schedule.pane_closed()

    def _solve_the_rest(self) -> None:
        """Wait for the solve under way, and for one more if that does not cover all records."""
        self._wait()
        if self._schedule.unsolved(self.state.records):
            self._submit()
            self._wait()

    def _wait(self) -> None:
        while self.solver.busy and not self._stopping:
            self._publish(self.solver.result(timeout=0.1))

    def _submit(self) -> None:
        self._schedule.solved(self.state.records)
        job = job_of(self.stream, self.state, self.watch)
        self.observer.asked(job)
        self.solver.submit(job)
        reach("submit")

    def _publish(self, solved: Solved | None) -> None:
        if solved is None:
            return
        found, news = solved.recommendation, self.watch.take(solved.judged, self.state)
        if found is not None:
            found = found.model_copy(update={"verdicts": self.watch.verdicts()})
            if self._previous is not None:
                since = {"previous": self._previous.id, "changes": changes(self._previous, found)}
                found = found.model_copy(update=since)
            reach("publish")
            self.publisher.publish(found)
            self.tally.published += 1
            self._previous = found
        self._tell(news)
        self.observer.solved(replace(solved, recommendation=found))

    def _tell(self, news: News) -> None:
        """Publish what happened; the history has it already, and tells the last alerts again after a crash."""
        reach("tell")
        for document in news:
            self.publisher.publish(document)
        self.observer.watched(self.watch.history, news)

    def _checkpoint(self) -> None:
        """Save; a store that refuses costs a warning here, since the snapshot before is as good a place to resume."""
        try:
            self._save()
        except StateError as refused:
            self.tally.failed_checkpoints += 1
            if not self._schedule.refused:
                log.warning("The checkpoint at %d records failed: %s", self.state.records, refused)
            self._schedule.not_saved()
            self.observer.not_saved(refused)
        else:
            self._schedule.saved(self.state.records)

    def _save(self) -> None:
        """Save the history and the state, then tell lag tools how far it reaches."""
        self.watch.save()
        began, data = time.monotonic(), self.state.to_bytes()
        self.store.save(data)
        self.tally.checkpoints += 1
        self.observer.saved(len(data), time.monotonic() - began)
        reach("commit")
        if isinstance(self.source, Live):
            self.source.commit(self.state.next_offsets())
