"""All streams of a configuration in one process, with their outputs and the HTTP server."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING, Protocol

from prometheus_client import CollectorRegistry

from streamqid.app.running import RunningStream
from streamqid.broker.alerts import AlertPublisher
from streamqid.broker.publisher import KafkaPublisher
from streamqid.clock import SystemClock
from streamqid.config.building import connection_of, secret_of, webhook_of
from streamqid.config.secrets import source as secret_source
from streamqid.engine.answering import Answering
from streamqid.engine.documents import Recommendation
from streamqid.engine.signals import Stop
from streamqid.publish.access import Access
from streamqid.publish.board import Board
from streamqid.publish.dead_alerts import DeadAlerts
from streamqid.publish.fanout import Fanout, Only
from streamqid.publish.files import FilePublisher, StdoutPublisher
from streamqid.publish.health import Health, Limits
from streamqid.publish.http import serve
from streamqid.publish.metrics import Metrics
from streamqid.publish.outside import AlertMessages, Deliveries
from streamqid.publish.site import Site
from streamqid.publish.webhook import Webhook

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from streamqid.broker.connect import Connection
    from streamqid.config import Config
    from streamqid.engine.ports import Publisher
    from streamqid.publish.metrics import Readable

GRACE_SECONDS, FLUSH_SECONDS = 17.0, 5.0
"""Time that all streams together have to save and end after a stop, and then all outputs to deliver what waits.

What is then still in the hands of a broker that does not answer is given up within seconds: all in all half a minute.
"""

_LOOK_SECONDS = 0.1

log = logging.getLogger(__name__)


class Output(Protocol):
    """Has something to deliver in the end."""

    def end(self, timeout: float) -> None:
        """Begin to deliver what waits, for so many seconds at most; returns at once."""
        ...


class Service:
    """Runs until it is told to stop, or until a stream ends with an error.

    Entered and left on one thread; ``stop`` may be called from any, and from a signal handler.  What cannot be is
    refused while it is built, before anything runs: a directory in use, a key that others may read, a port in use.

    Parameters
    ----------
    stopping
        May be asked already, by a signal that came before there was a service; ``stop`` asks it as well.
    """

    def __init__(self, config: Config, stopping: Stop | None = None) -> None:
        self._config = config
        self._stopping = stopping or Stop()
        self._error: Exception | None = None
        self._closing = contextlib.ExitStack()

    def __enter__(self) -> Service:
        try:
            self._build()
        except BaseException:
            self._closing.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def stop(self) -> None:
        """Ask all streams to finish their batch, save and end."""
        self._stopping.ask()

    def run(self, look: Callable[[Sequence[RunningStream]], None] | None = None) -> None:
        """Run all streams; raise the first error that ended one.  ``look`` is shown them again and again."""
        for stream in self._streams:
            stream.start(self._publisher, self._failed)
        many = "1 stream" if len(self._streams) == 1 else f"{len(self._streams)} streams"
        log.info("Running %s; HTTP on port %d.", many, self.port)
        while not self._stopping.asked:
            time.sleep(_LOOK_SECONDS)
            if look is not None:
                look(self._streams)
        self._end()
        if self._error is not None:
            raise self._error

    def _end(self) -> None:
        for stream in self._streams:
            stream.stop()
        clock = SystemClock()
        deadline = clock.monotonic() + GRACE_SECONDS
        for stream in self._streams:
            if not stream.join(max(0.0, deadline - clock.monotonic())):
                log.warning("Stream %s did not end in time; its last checkpoint is where it resumes.", stream.name)
        # All outputs deliver what waits at the same time: closing them in turn must not add up.
        outputs: list[Output] = [*self._streams, *self._outputs]
        for output in outputs:
            output.end(FLUSH_SECONDS)
        log.info("All streams have ended.")

    def _failed(self, name: str, error: Exception) -> None:
        """Take note that a stream ended with an error: the process ends, so that whoever runs it starts it anew."""
        log.info("Stream %s has failed; all others are saved and stopped.", name)
        self._error = self._error or error
        self._stopping.ask()

    def _build(self) -> None:
        config, clock = self._config, SystemClock()
        secret, connection = secret_of(config), connection_of(config)
        self._streams: list[RunningStream] = []
        answering = Answering()
        self._closing.callback(answering.close)
        for stream in config.streams:
            running = RunningStream(config, stream, secret, connection, clock, answering)
            self._closing.callback(running.close)
            self._streams.append(running)
        board = Board()
        publishers: list[Publisher] = [board]
        self._outputs: list[Output] = []
        self._watched: list[Readable] = []
        if config.publish.topic is not None:
            kafka = KafkaPublisher(connection, config.publish.topic)
            self._closing.callback(kafka.close, FLUSH_SECONDS)
            publishers.append(Only(Recommendation, kafka))
            self._outputs.append(kafka)
            self._watched.append(Deliveries(lambda: kafka.published.delivered, lambda: kafka.published.waiting))
        if config.publish.file is not None:
            file = FilePublisher(config.publish.file)
            self._closing.callback(file.close)
            publishers.append(file)
        if config.publish.stdout:
            publishers.append(StdoutPublisher())
        publishers += self._alerts(connection)
        self._publisher = Fanout(publishers)
        self._serve(board, clock)

    def _alerts(self, connection: Connection) -> Iterator[Publisher]:
        """Yield who takes alerts only."""
        alerts = self._config.publish.alerts
        if alerts.topic is not None:
            topic = AlertPublisher(connection, alerts.topic)
            self._closing.callback(topic.close, FLUSH_SECONDS)
            self._outputs.append(topic)
            self._watched.append(AlertMessages(lambda: topic.delivered, lambda: topic.unsaid, lambda: topic.waiting))
            yield topic
        if alerts.webhook.url is not None:
            webhook = Webhook(webhook_of(self._config), DeadAlerts(alerts.webhook.dead_letter_file))
            self._closing.callback(webhook.close, FLUSH_SECONDS)
            self._outputs.append(webhook)
            self._watched.append(webhook)
            yield webhook

    def _serve(self, board: Board, clock: SystemClock) -> None:
        from streamqid import __version__

        config = self._config
        registry = CollectorRegistry()
        metrics = Metrics(registry, __version__)
        for stream in self._streams:
            metrics.watch(stream.metrics)
            for copy in stream.copies:
                metrics.watch(copy.metrics)
        for output in self._watched:
            metrics.watch(output)
        limits = Limits(lag_offsets=config.ready.max_lag, snapshot_seconds=config.ready.max_snapshot_age)
        health = Health({stream.name: stream.pulse for stream in self._streams}, limits, clock)
        token = secret_source(config, "http.token").read()
        access = Access(config.http.address, config.http.port, token, config.http.insecure)
        chronicles = {stream.name: stream.chronicle for stream in self._streams}
        explorers = {stream.name: stream.explorer for stream in self._streams}
        server = serve(Site(registry, health, board, __version__, chronicles, explorers), access)
        self._closing.callback(server.close)
        self.port = server.port
