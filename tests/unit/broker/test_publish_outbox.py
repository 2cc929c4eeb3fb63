from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

import tests.kafka.client  # noqa: F401  (before any other import of kafka)
from streamqid.broker.cloudevents import headers
from streamqid.broker.mail import Message
from streamqid.broker.outbox import KEPT, Outbox, Published
from tests.documents import recommendation

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from streamqid.engine.documents import Recommendation
    from streamqid.engine.published import Ledger


class Topic:
    """What a topic holds, and the mistakes of a broker."""

    def __init__(self, *documents: Recommendation) -> None:
        self.documents = list(documents)
        self.unreadable = False
        self.asked: list[set[str]] = []

    def read_back(self, streams: Collection[str], ledger: Ledger) -> None:
        self.asked.append(set(streams))
        if self.unreadable:
            raise TimeoutError
        for document in self.documents:
            if document.stream in streams:
                ledger.note(document)


def put(outbox: Outbox, *documents: Recommendation) -> None:
    for document in documents:
        outbox.put(document, Message(document.stream.encode(), document.id.encode()))


def ids(messages: Sequence[Message]) -> list[str]:
    return [message.value.decode() for message in messages]


def deliver(outbox: Outbox) -> list[str]:
    """Deliver all that waits."""
    arrived = []
    while messages := outbox.next():
        for message in messages:
            outbox.done(message, arrived=True)
        arrived += ids(messages)
    return arrived


def test_documents_go_in_order_one_of_each_stream_at_a_time() -> None:
    outbox = Outbox(Topic().read_back)
    put(outbox, *(recommendation(number, stream=stream) for number in (1, 2) for stream in ("b", "a")))
    assert ids(outbox.next()) == ["a-id-1-1", "b-id-1-1"]
    outbox.unsure()
    assert deliver(outbox) == ["a-id-1-1", "b-id-1-1", "a-id-1-2", "b-id-1-2"]
    assert outbox.counts() == Published(delivered=4)


def test_nothing_is_sent_before_the_topic_was_read_back() -> None:
    topic = Topic(recommendation(4))
    topic.unreadable = True
    outbox = Outbox(topic.read_back)
    put(outbox, recommendation(3), recommendation(4), recommendation(5))
    with pytest.raises(TimeoutError):
        outbox.next()
    outbox.unsure()
    assert outbox.counts() == Published(waiting=3)
    topic.unreadable = False
    assert deliver(outbox) == [recommendation(5).id]
    assert outbox.counts() == Published(delivered=1, repeated=1, behind=1)
    assert topic.asked == [{"people"}] * 2


def test_a_send_that_did_arrive_is_not_sent_again() -> None:
    topic = Topic()
    outbox = Outbox(topic.read_back)
    put(outbox, recommendation(1), recommendation(2))
    assert ids(outbox.next()) == [recommendation(1).id]
    topic.documents.append(recommendation(1))
    outbox.unsure()
    assert deliver(outbox) == [recommendation(2).id]
    assert outbox.counts() == Published(delivered=1, repeated=1)


def test_a_broker_that_is_away_costs_the_oldest_documents_and_never_the_newest() -> None:
    outbox = Outbox(Topic().read_back)
    put(outbox, recommendation(0))
    assert ids(outbox.next()) == [recommendation(0).id]
    put(outbox, *(recommendation(number) for number in range(1, 101)))
    outbox.unsure()
    assert outbox.counts() == Published(waiting=KEPT, superseded=101 - KEPT)
    assert deliver(outbox) == [recommendation(number).id for number in range(101 - KEPT, 101)]


def test_a_document_that_is_refused_is_given_up_and_the_next_one_goes() -> None:
    outbox = Outbox(Topic().read_back)
    put(outbox, recommendation(1), recommendation(2))
    (message,) = outbox.next()
    outbox.done(message, arrived=False)
    assert deliver(outbox) == [recommendation(2).id]
    assert outbox.counts() == Published(delivered=1, refused=1)


def test_being_behind_is_said_once(caplog: pytest.LogCaptureFixture) -> None:
    outbox = Outbox(Topic(recommendation(10)).read_back)
    put(outbox, recommendation(1), recommendation(2), recommendation(11))
    assert deliver(outbox) == [recommendation(11).id]
    assert [record.getMessage().split(" until")[0] for record in caplog.records] == [
        "Recommendations of stream people are held back"
    ]


def test_the_headers_are_those_of_a_cloud_event() -> None:
    now = datetime(2026, 11, 18, 12, 30, 1, 5000, tzinfo=UTC)
    assert dict(headers(recommendation(1, stream="a b/ü"), now)) == {
        "ce_specversion": b"1.0",
        "ce_id": "a b/ü-id-1-1".encode(),
        "ce_source": b"streamqid/a%20b%2F%C3%BC",
        "ce_type": b"io.streamqid.recommendation.v1",
        "ce_time": b"2026-11-18T12:30:01.005+00:00",
        "ce_dataschema": b"urn:streamqid:recommendation:1",
        "content-type": b"application/json",
    }
