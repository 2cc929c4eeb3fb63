"""The demo: a stream runs through the loop, crashes, goes on, and drifts."""

from __future__ import annotations

import contextlib
import functools
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from streamqid.clock import SystemClock
from streamqid.demo.result import DemoResult
from streamqid.demo.scenario import Scenario, SimulatedCrashError
from streamqid.demo.screen import JsonLines, Screen
from streamqid.demo.site import DemoSite
from streamqid.engine.alerts import Alert
from streamqid.engine.directory import DirectoryStore
from streamqid.engine.documents import Recommendation
from streamqid.engine.history_file import HistoryFile
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.observers import Silent
from streamqid.engine.state import restore
from streamqid.errors import StateError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pydantic import BaseModel

    from streamqid.engine.documents import Proposal
    from streamqid.engine.ports import Observer
    from streamqid.engine.stores import HistoryStore, StateStore
    from streamqid.publish.board import Board

ROWS = 2_000_000


@dataclass(slots=True)
class _Recorder:
    """Keeps what is published and passes it on."""

    onward: Screen | JsonLines
    board: Board | None = None
    look: Callable[[], None] | None = None
    seen: list[Recommendation] = field(default_factory=list)
    alerts: list[Alert] = field(default_factory=list)

    def publish(self, document: BaseModel) -> None:
        if isinstance(document, Recommendation):
            self.seen.append(document)
        if isinstance(document, Alert):
            self.alerts.append(document)
        if self.board is not None:
            self.board.publish(document)
        self.onward.publish(document)
        if self.look is not None:
            self.look()


def demo(
    *,
    rows: int = ROWS,
    seed: int = 1,
    directory: Path | None = None,
    json: bool = False,
    keep: bool = False,
    look: Callable[[Sequence[DemoSite]], None] | None = None,
) -> DemoResult:
    """Show the service's loop on a drifting made-up stream; takes some seconds and ends by itself.

    The page of the service shows it too, on this machine.

    Parameters
    ----------
    rows
        Length of the stream.
    seed
        Of the people and of the sample.
    directory
        Where the state is kept, and stays afterwards; by default a temporary directory that is removed.
    json
        Print one JSON document for each published recommendation, alert and drift event, and nothing else.
    keep
        Keep the page open after the end of the story, until Ctrl-C is pressed.
    look
        Is given the stream after each document, and every second while the page is kept open, to show it.
    """
    if json and (keep or look):
        raise UsageError("There is no page beside --json, and nothing to look at: leave out --keep, --live, or --json.")
    scenario = Scenario(rows, seed)
    show: Screen | JsonLines = JsonLines() if json else Screen(scenario)
    with contextlib.ExitStack() as stack:
        path = directory or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="streamqid-demo-")))
        site = None if json else stack.enter_context(DemoSite(scenario.stream))
        seen = None if site is None or look is None else functools.partial(look, [site])
        result = _run(scenario, path, show, site, seen)
        show.end(result, path if directory else None)
        if keep and site is not None:
            show.stay(site.address)
            site.stay(seen)
    if result.digest != result.reference_digest:
        msg = "The state after the crash differs from that of the uninterrupted run: please report this bug."
        raise StateError(msg)
    return result


def _run(
    scenario: Scenario,
    path: Path,
    show: Screen | JsonLines,
    site: DemoSite | None,
    seen: Callable[[], None] | None,
) -> DemoResult:
    recorder, history = _Recorder(show, None if site is None else site.board, seen), HistoryFile(path)
    observer: Observer = Silent() if site is None else site.observer
    show.begin("" if site is None else site.address)
    with contextlib.closing(DirectoryStore(path)) as store:
        if store.load() is not None:
            msg = f"The directory {path} already holds the state of a stream: name an empty one for the demo."
            raise UsageError(msg)
        first = Loop(
            scenario.stream,
            scenario.doomed_source(),
            store,
            recorder,
            SystemClock(),
            observer=observer,
            history=history,
        )
        with contextlib.suppress(SimulatedCrashError):
            first.run()
        crashed_at = first.state.records
    del first
    with contextlib.closing(DirectoryStore(path)) as store:
        second = Loop(
            scenario.stream, scenario.source(), store, recorder, SystemClock(), observer=observer, history=history
        )
        saved = store.load()
        show.crashed(crashed_at, 0 if saved is None else restore(saved, scenario.stream).records)
        tally, digest = second.run(), second.state.digest()
        _apply(scenario, store, recorder, history, observer, second.watch.verdicts()[0].proposal)
    show.compare()
    never = Loop(scenario.silent_stream, scenario.source(23), MemoryStore(), recorder, SystemClock())
    never.run()
    return DemoResult(scenario, recorder.seen, tally, digest, never.state.digest(), recorder.alerts)


def _apply(
    scenario: Scenario,
    store: StateStore,
    recorder: _Recorder,
    history: HistoryStore,
    observer: Observer,
    proposal: Proposal | None,
) -> None:
    """Publish what is proposed instead, and judge it in the windows that follow."""
    stream = None if proposal is None else scenario.applied_stream(proposal)
    if stream is None or proposal is None:
        return
    recorder.onward.apply(proposal, stream.published[0])
    source = scenario.later_source()
    Loop(stream, source, store, recorder, SystemClock(), observer=observer, history=history).run()
