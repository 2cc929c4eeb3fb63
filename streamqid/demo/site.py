"""The page of the service beside the demo: what the loops of the demo do is seen there as in a real service."""

from __future__ import annotations

import contextlib
import math
import time
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry

from streamqid.clock import SystemClock
from streamqid.engine.answering import Answering
from streamqid.engine.observers import Observers
from streamqid.errors import ConfigError
from streamqid.publish.access import LOOPBACK, Access
from streamqid.publish.board import Board
from streamqid.publish.chronicle import Chronicle
from streamqid.publish.explorer import Explorer
from streamqid.publish.health import Health, Limits, Pulse
from streamqid.publish.http import serve
from streamqid.publish.metrics import Metrics, StreamMetrics
from streamqid.publish.outside import Outside
from streamqid.publish.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from streamqid.engine.stream import Stream
    from streamqid.publish.http import Server

LOOK_SECONDS = 1.0


class DemoSite:
    """Serves the page of one stream on this machine while it is entered."""

    def __init__(self, stream: Stream) -> None:
        from streamqid import __version__

        clock, registry, name = SystemClock(), CollectorRegistry(), stream.name
        self.name = name
        self.board = Board()
        self._answering = Answering()
        metrics, self.pulse, self.chronicle = StreamMetrics(stream, Outside()), Pulse(clock), Chronicle()
        Metrics(registry, __version__).watch(metrics)
        explorer = Explorer(stream, self._answering)
        self.observer = Observers([metrics, self.pulse, self.chronicle, explorer])
        # The loops of the demo end, and what they found stays to be looked at.
        health = Health({name: self.pulse}, Limits(turn_seconds=math.inf), clock)
        self._site = Site(registry, health, self.board, __version__, {name: self.chronicle}, {name: explorer})
        self._server: Server | None = None

    def __enter__(self) -> DemoSite:
        try:
            self._server = serve(self._site, Access())
        except ConfigError:
            # Somebody else has the usual port.
            self._server = serve(self._site, Access(port=0))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._server is not None:
            self._server.close()
        self._answering.close()

    @property
    def address(self) -> str:
        """Where the page is."""
        return f"http://{LOOPBACK}:{0 if self._server is None else self._server.port}/"

    @staticmethod
    def stay(look: Callable[[], None] | None = None) -> None:
        """Wait until somebody presses Ctrl-C; meanwhile what ``look`` shows does not grow old."""
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                if look is not None:
                    look()
                time.sleep(LOOK_SECONDS)
