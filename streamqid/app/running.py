"""One stream that runs on a thread of its own."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from typing import TYPE_CHECKING

from streamqid.app.copies import RunningCopy
from streamqid.app.sources import Watched, source_of
from streamqid.broker.dead_letters import DeadLetters
from streamqid.config.building import state_directory_of, stream_of
from streamqid.engine.bad_records import BadRecords
from streamqid.engine.directory import DirectoryStore
from streamqid.engine.history_file import HistoryFile
from streamqid.engine.loop import Loop
from streamqid.engine.observers import Observers
from streamqid.engine.process import ProcessSolver
from streamqid.errors import StreamqidError
from streamqid.publish.chronicle import Chronicle
from streamqid.publish.explorer import Explorer
from streamqid.publish.health import Pulse
from streamqid.publish.logbook import LogObserver
from streamqid.publish.metrics import StreamMetrics
from streamqid.publish.outside import Outside

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.broker.connect import Connection
    from streamqid.clock import Clock
    from streamqid.config import Config, StreamConfig
    from streamqid.engine.answering import Answering
    from streamqid.engine.ports import Observer, Publisher
    from streamqid.sampling.secret import Secret

LETTER_SECONDS = 5.0
"""Time to deliver dead letters in the end."""

log = logging.getLogger(__name__)


class RunningStream:
    """Builds everything that one stream needs, runs its loop on a thread, and closes all of it in the end.

    ``failed`` is called, on that thread, with the error that ended the loop, if one did.
    """

    def __init__(
        self,
        config: Config,
        stream: StreamConfig,
        secret: Secret,
        connection: Connection,
        clock: Clock,
        answering: Answering,
    ) -> None:
        self.name = stream.name
        self._closing = contextlib.ExitStack()
        try:
            self._build(config, stream, secret, connection, clock, answering)
        except BaseException:
            self._closing.close()
            raise

    def _build(
        self,
        config: Config,
        stream: StreamConfig,
        secret: Secret,
        connection: Connection,
        clock: Clock,
        answering: Answering,
    ) -> None:
        store = DirectoryStore(state_directory_of(config, stream), config.state.keep)
        self._closing.callback(store.close)
        settings = config.publish.dead_letters
        bad = BadRecords(share=settings.alarm_share)
        source = source_of(config, stream, connection)
        self._closing.callback(source.close)
        self.source = Watched(source, bad)
        self.pulse = Pulse(clock, self.source)
        observers: list[Observer] = [bad, self.pulse, LogObserver(stream.name, clock, self.source)]
        letters = None
        if settings.topic is not None:
            letters = DeadLetters(
                connection, settings.topic, stream.name, bad=bad, per_second=settings.per_second, clock=clock
            )
            self._closing.callback(letters.close, LETTER_SECONDS)
            observers.append(letters)
        self._letters = letters
        self._stream = stream_of(stream, secret, state=config.state)
        outside = Outside(self.source, dead_letters=None if letters is None else lambda: letters.delivered)
        self.metrics = StreamMetrics(self._stream, outside)
        self.chronicle = Chronicle()
        self.explorer = Explorer(self._stream, answering)
        observers += [self.metrics, self.chronicle, self.explorer]
        self.copies = [RunningCopy(config, stream, copy, connection, clock, self.source) for copy in stream.copies]
        for copy in self.copies:
            self._closing.callback(copy.close, LETTER_SECONDS)
            observers.append(copy.gate)
        solver = ProcessSolver(config.solver.deadline, clock)
        self._closing.callback(solver.close)
        history = HistoryFile(state_directory_of(config, stream))
        self._parts = (store, solver, Observers(observers), clock, history)

    def start(self, publisher: Publisher, failed: Callable[[str, Exception], None]) -> None:
        """Begin to read."""
        store, solver, observer, clock, history = self._parts
        self._loop = Loop(self._stream, self.source, store, publisher, clock, solver, observer, history)
        self._thread = threading.Thread(target=self._run, args=(failed,), name=f"stream-{self.name}", daemon=True)
        self._thread.start()
        for copy in self.copies:
            copy.start()

    def stop(self) -> None:
        """Ask the loop to finish its batch, save and end."""
        self._loop.stop()
        for copy in self.copies:
            copy.stop()

    def join(self, timeout: float) -> bool:
        """Wait for the end of the loop and of all copies; return whether it has come."""
        deadline = time.monotonic() + timeout
        self._thread.join(timeout)
        ended = [copy.join(max(0.0, deadline - time.monotonic())) for copy in self.copies]
        return all(ended) and not self._thread.is_alive()

    def end(self, timeout: float) -> None:
        """Begin to deliver what waits, for so many seconds at most."""
        if self._letters is not None:
            self._letters.end(timeout)
        for copy in self.copies:
            copy.end(timeout)

    def close(self) -> None:
        """Release everything."""
        self._closing.close()

    def _run(self, failed: Callable[[str, Exception], None]) -> None:
        try:
            self._loop.run()
        except Exception as error:
            if not isinstance(error, StreamqidError):
                # The message of an unforeseen exception could quote a value, so only its type is told.
                log.error("%s: the loop ended (%s).", self.name, type(error).__name__)
            failed(self.name, error)
