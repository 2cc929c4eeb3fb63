"""At the first start a window is judged when all partitions have come to it, whichever of them comes first."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING
from uuid import uuid4

from kafka import KafkaAdminClient, TopicPartition

from streamqid.app.sources import Watched
from streamqid.clock import SystemClock
from streamqid.engine.bad_records import BadRecords
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.publish.board import Board
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from tests.kafka.produce import produce
from tests.kafka.reading import at_end, source_of
from tests.kafka.topics import create_topic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from deploy.kafka.broker import Broker
    from streamqid.broker.source import KafkaSource
    from streamqid.records import Batch
    from tests.kafka.conftest import TopicFactory

PARTITIONS, PANES, WIDTH = 3, 6, 200
STREAM = Stream(
    "s",
    Secret.from_seed(1),
    Capacity(100),
    panes=PaneRule(WIDTH, "records"),
    key=None,
    mask=None,
    published=(PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, 0.9),)),),
    pace=Pace(solve_records=1, solve_seconds=None),
)


class Stopping(Watched):
    """The source as the service has it, which ends once all partitions were read to their end."""

    def __init__(self, source: KafkaSource, partitions: int = PARTITIONS) -> None:
        super().__init__(source, BadRecords())
        self._done = at_end(source, partitions)

    def batches(self) -> Iterator[Batch | None]:
        for batch in super().batches():
            yield batch
            if batch is None and self._done():
                return


def test_a_window_has_the_records_of_every_partition(broker: Broker, topic: TopicFactory) -> None:
    name = topic(partitions=PARTITIONS)
    values = [json.dumps({"a": i % 9}).encode() for i in range(PANES * WIDTH)]
    for partition in range(PARTITIONS):
        produce(broker.bootstrap, name, values, partition=partition, batch_bytes=2_000)
    with closing(source_of(broker.bootstrap, name, records=100)) as source:
        loop = Loop(STREAM, Stopping(source), MemoryStore(), Board(), SystemClock())
        loop.run()
    judged = loop.watch.history.series("p").windows
    assert [one.window.last_pane for one in judged] == list(range(PANES - 1))
    assert [one.rows for one in judged] == [PARTITIONS * WIDTH] * (PANES - 1)


def test_a_topic_that_is_gone_holds_no_window_open(broker: Broker) -> None:
    """Of the topic that is deleted only the first pane has records; the state knows it for ever."""
    prefix, store, history = uuid4().hex, MemoryStore(), MemoryStore()
    values = [json.dumps({"a": i % 9}).encode() for i in range(PANES * WIDTH)]
    for name in (f"{prefix}-goes", f"{prefix}-stays"):
        create_topic(broker.bootstrap, name, unique=False)
        produce(broker.bootstrap, name, values[: WIDTH // 2])

    def run(topics: int) -> Loop:
        with closing(source_of(broker.bootstrap, pattern=f"{prefix}-.*")) as source:
            loop = Loop(STREAM, Stopping(source, topics), store, Board(), SystemClock(), history=history)
            loop.run()
        return loop

    assert run(2).watch.history.series("p").windows == []
    with closing(KafkaAdminClient(bootstrap_servers=[broker.bootstrap])) as admin:
        admin.delete_topics([f"{prefix}-goes"])
    produce(broker.bootstrap, f"{prefix}-stays", values)
    loop = run(1)
    assert len(loop.state.progress) == 2
    assert [one.window.last_pane for one in loop.watch.history.series("p").windows] == list(range(PANES))


def test_a_window_that_retention_has_cut_is_no_evidence(broker: Broker, topic: TopicFactory) -> None:
    """Of one partition the first window and a half are gone, in the middle of a stored batch."""
    name = topic(partitions=2)
    values = [json.dumps({"a": i % 9}).encode() for i in range(PANES * WIDTH)]
    for partition in range(2):
        produce(broker.bootstrap, name, values, partition=partition, batch_bytes=2_000)
    with closing(KafkaAdminClient(bootstrap_servers=[broker.bootstrap])) as admin:
        admin.delete_records({TopicPartition(name, 1): 3 * WIDTH // 2 + 1})
    with closing(source_of(broker.bootstrap, name, records=100)) as source:
        loop = Loop(STREAM, Stopping(source, 2), MemoryStore(), Board(), SystemClock())
        loop.run()
    judged = loop.watch.history.series("p").windows
    assert [(one.window.last_pane, one.number) for one in judged] == [(0, None), (1, None), (2, 1), (3, 2), (4, 3)]
