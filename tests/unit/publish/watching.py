"""Streams, answers and requests for the tests of metrics, health and HTTP."""

from __future__ import annotations

import http.client
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from streamqid.clock import ManualClock
from streamqid.engine.answering import Answering
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.observers import Observers
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import AskMask, Limit, PublishedSet, Quantity
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.publish.board import Board
from streamqid.publish.chronicle import Chronicle
from streamqid.publish.explorer import Explorer
from streamqid.publish.health import Health, Limits, Pulse
from streamqid.publish.metrics import Metrics, StreamMetrics
from streamqid.publish.outside import AlertMessages, Deliveries, Outside
from streamqid.publish.site import Site
from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.synthetic import Drift, DriftKind, GeneratorSource, Population

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamqid.engine.events import Trouble
    from streamqid.engine.ports import Observer

ROWS = 6_000
PEOPLE = Population(5, identifier=False, drifts=(Drift(DriftKind.FINER, "region", 3_000),))
STREAM = Stream(
    "people",
    Secret.from_seed(5),
    Capacity(1_000),
    panes=PaneRule(1.0, "seconds"),
    panes_kept=4,
    window_panes=2,
    mask=AskMask(beta=0.9),
    published=(
        PublishedSet("demographics", ("age", "sex", "region"), (Limit(Quantity.SEPARATION, 0.9925),), delta=0.2),
    ),
    pace=Pace(solve_records=None, solve_seconds=None, checkpoint_records=2_500),
)


@dataclass
class Tap:
    """A source whose lags and troubles are what a test says."""

    behind: dict[Origin, int] = field(default_factory=lambda: {Origin("people", 0, "id"): 7, Origin("people", 1): 3})
    wrong: list[Trouble] = field(default_factory=list)

    def lags(self) -> Mapping[Origin, int]:
        return dict(self.behind)

    def troubles(self) -> Sequence[Trouble]:
        return list(self.wrong)

    def commit(self, positions: Mapping[Origin, int]) -> None: ...


@dataclass
class Service:
    """One stream that is watched, with a clock that stands still."""

    stream: Stream = STREAM
    tap: Tap = field(default_factory=Tap)
    clock: ManualClock = field(default_factory=ManualClock)
    store: MemoryStore = field(default_factory=MemoryStore)
    history: MemoryStore = field(default_factory=MemoryStore)
    board: Board = field(default_factory=Board)
    limits: Limits = field(default_factory=Limits)
    answering: Answering = field(default_factory=Answering)
    registry: CollectorRegistry = field(default_factory=lambda: CollectorRegistry(auto_describe=True))

    def __post_init__(self) -> None:
        outside = Outside(self.tap, dead_letters=lambda: 2)
        self.metrics = StreamMetrics(self.stream, outside, now=lambda: 1_000_000.5)
        all_metrics = Metrics(self.registry, "1.2.3")
        all_metrics.watch(self.metrics)
        all_metrics.watch(Deliveries(delivered=lambda: 4, waiting=lambda: 1))
        all_metrics.watch(AlertMessages(delivered=lambda: 3, unsaid=lambda: 0, waiting=lambda: 2))
        self.pulse = Pulse(self.clock, self.tap)
        self.health = Health({self.stream.name: self.pulse}, self.limits, self.clock)
        self.chronicle = Chronicle()
        self.explorer = Explorer(self.stream, self.answering)
        name = self.stream.name
        chronicles, explorers = {name: self.chronicle}, {name: self.explorer}
        self.site = Site(self.registry, self.health, self.board, "1.2.3", chronicles, explorers)

    def run(self, until: int | None = None, others: Sequence[Observer] = ()) -> Loop:
        """Run to the end of the rows, or until so many are counted; what was saved before is not counted again."""
        source = GeneratorSource(PEOPLE, ROWS, 500)
        observers = Observers([self.metrics, self.pulse, self.chronicle, self.explorer, *others])
        loop = Loop(self.stream, source, self.store, self.board, self.clock, observer=observers, history=self.history)
        loop.run(until)
        return loop


@dataclass
class Answer:
    """What a server sent back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def ask(port: int, path: str, method: str = "GET", **headers: str) -> Answer:
    """Send one request, underscores in the names of headers for dashes."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, response.read())
    finally:
        connection.close()


def send(port: int, data: bytes) -> bytes:
    """Send bytes and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        received = b""
        try:
            connection.sendall(data)
            while more := connection.recv(65536):
                received += more
        except ConnectionError:
            pass
        return received


def status_of(answer: bytes) -> int:
    """Return the status of an answer as bytes; 0 for none."""
    return int(answer.split()[1]) if answer else 0


def openmetrics_names(text: str) -> set[str]:
    """Return the names of the families in a text by OpenMetrics, or fail."""
    return {family.name for family in text_string_to_metric_families(text)}  # type: ignore[no-untyped-call]
