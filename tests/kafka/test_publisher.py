from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ResourcePattern, ResourceType
from kafka.errors import KafkaTimeoutError

from streamqid.broker import producing
from streamqid.broker.connect import Connection
from streamqid.broker.failures import open_client
from streamqid.broker.outbox import Published
from streamqid.broker.publisher import KafkaPublisher
from streamqid.engine.documents import Recommendation
from streamqid.engine.events import TroubleKind
from tests.documents import recommendation
from tests.kafka.produce import produce
from tests.kafka.topics import create_topic, read_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deploy.kafka.broker import Broker, SecureBroker
    from tests.kafka.conftest import TopicFactory


SOON = 20.0
"""Seconds that nothing takes, and that are over long before the client gives a broker up."""


@contextmanager
def closing_soon(publisher: KafkaPublisher) -> Iterator[KafkaPublisher]:
    try:
        yield publisher
    finally:
        publisher.close(20)


@contextmanager
def publishing(bootstrap: str, topic: str, *, delivery_seconds: float = 60.0) -> Iterator[KafkaPublisher]:
    connection = Connection((bootstrap,), bootstrap_timeout_seconds=2)
    with closing_soon(KafkaPublisher(connection, topic, delivery_seconds=delivery_seconds)) as publisher:
        yield publisher


def publish(bootstrap: str, topic: str, *documents: Recommendation) -> Published:
    with publishing(bootstrap, topic) as publisher:
        for document in documents:
            publisher.publish(document)
    return publisher.published


def ids(bootstrap: str, topic: str) -> list[str]:
    return [json.loads(record.value)["id"] for record in read_all(bootstrap, topic)]


def wait_until(condition: Callable[[], object], seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_a_document_arrives_as_a_cloud_event(broker: Broker, topic: TopicFactory) -> None:
    name, document = topic(3), recommendation(4, 5, stream="people")
    assert publish(broker.bootstrap, name, document) == Published(delivered=1)
    (record,) = read_all(broker.bootstrap, name)
    assert record.key == b"people"
    assert Recommendation.model_validate_json(record.value) == document
    headers = dict(record.headers)
    assert abs(datetime.fromisoformat(headers.pop("ce_time").decode()).timestamp() - time.time()) < 60
    assert headers == {
        "ce_specversion": b"1.0",
        "ce_id": document.id.encode(),
        "ce_source": b"streamqid/people",
        "ce_type": b"io.streamqid.recommendation.v1",
        "ce_dataschema": b"urn:streamqid:recommendation:1",
        "content-type": b"application/json",
    }


def test_a_restart_publishes_nothing_twice_and_nothing_older(broker: Broker, topic: TopicFactory) -> None:
    name = topic(3)
    streams = [f"stream-{number}" for number in range(5)]
    first = [recommendation(step, step, stream=stream) for step in (1, 2, 3) for stream in streams]
    again = [recommendation(step, 4, stream=stream) for step in (2, 4) for stream in streams]
    assert publish(broker.bootstrap, name, *first) == Published(delivered=15)
    assert publish(broker.bootstrap, name, *first, *again) == Published(delivered=5, repeated=5, behind=15)
    found = ids(broker.bootstrap, name)
    assert sorted(found) == sorted({document.id for document in first + again[5:]})


def test_the_last_document_is_found_behind_what_others_wrote(broker: Broker, topic: TopicFactory) -> None:
    name = topic(2)
    publish(broker.bootstrap, name, recommendation(7))
    for partition in (0, 1):
        produce(broker.bootstrap, name, [b"noise", b"{}", b'{"id": 3}'] * 400, partition=partition)
    impostor = recommendation(99).model_dump_json().encode()
    produce(broker.bootstrap, name, [impostor], keys=[b"other"])
    produce(broker.bootstrap, name, [impostor], keys=[b"people"], transactional_id=name, abort=True)
    counted = publish(broker.bootstrap, name, recommendation(6), recommendation(7), recommendation(8))
    assert counted == Published(delivered=1, repeated=1, behind=1)


def test_kills_leave_each_document_once_and_in_order(broker: Broker, topic: TopicFactory) -> None:
    name, draw, first = topic(), random.Random(1), 0
    for _ in range(6):
        command = [sys.executable, "-m", "tests.kafka.publishing", broker.bootstrap, name, str(max(0, first - 10))]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for _ in range(draw.randrange(15, 40)):
                first = int(process.stdout.readline())
            process.kill()
    publish(broker.bootstrap, name, *(recommendation(number) for number in range(first, first + 5)))
    published = [json.loads(record.value) for record in read_all(broker.bootstrap, name)]
    reached = [document["positions"][0]["next_offset"] for document in published]
    print(f"6 kills, {len(published)} documents")
    assert reached == list(range(first + 5))


def test_the_newest_document_arrives_after_an_outage(own_broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", "streamqid")
    name = create_topic(own_broker.bootstrap, "out")
    with publishing(own_broker.bootstrap, name, delivery_seconds=2) as publisher:
        publisher.publish(recommendation(0))
        wait_until(lambda: publisher.published.delivered)
        own_broker.kill()
        began = time.monotonic()
        for number in range(1, 101):
            publisher.publish(recommendation(number))
        assert time.monotonic() - began < SOON
        wait_until(publisher.troubles)
        assert [trouble.kind for trouble in publisher.troubles()] == [TroubleKind.UNREACHABLE]
        wait_until(lambda: publisher.failed > 1)
        own_broker.start()
        wait_until(lambda: not publisher.published.waiting)
        assert publisher.troubles() == ()
        counted = publisher.published
    assert counted.delivered + counted.superseded == 101
    found = ids(own_broker.bootstrap, name)
    assert found[0] == recommendation(0).id
    assert found[1:] == [recommendation(number).id for number in range(102 - len(found), 101)]
    said = [record.getMessage() for record in caplog.records if record.name.startswith("streamqid")]
    assert [sentence.split(" (")[0] for sentence in said] == [
        f"Messages do not arrive in the topic {name}",
        f"Messages arrive in the topic {name} again.",
    ]


def test_a_broker_that_does_not_answer_holds_up_neither_publishing_nor_closing(
    own_broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = create_topic(own_broker.bootstrap, "out")
    publisher = KafkaPublisher(Connection((own_broker.bootstrap,)), name)
    publisher.publish(recommendation(0))
    wait_until(lambda: publisher.published.delivered)
    own_broker.pause()
    began = time.monotonic()
    publisher.publish(recommendation(1))
    publisher.close(0.5)
    assert time.monotonic() - began < SOON
    assert publisher.published == Published(delivered=1, waiting=1)
    own_broker.resume()

    def opened(*kind: Any, **settings: Any) -> Any:
        producer = open_client(*kind, **settings)
        own_broker.pause()
        return producer

    # It says nothing about the topic, so nobody is sent to look for one that is there.
    with monkeypatch.context() as patch:
        patch.setattr(producing, "open_client", opened)
        with pytest.raises(KafkaTimeoutError):
            producing.new_producer(Connection((own_broker.bootstrap,)), name, 60.0)
    own_broker.resume()
    counted = publish(own_broker.bootstrap, name, recommendation(1))
    assert counted in (Published(delivered=1), Published(repeated=1))
    assert ids(own_broker.bootstrap, name) == [recommendation(0).id, recommendation(1).id]


def test_a_wedged_producer_is_replaced(broker: Broker, topic: TopicFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    name = topic()
    with publishing(broker.bootstrap, name, delivery_seconds=1) as publisher:
        publisher.publish(recommendation(0))
        wait_until(lambda: publisher.published.delivered)
        # The sender's turn does nothing, as when it raises before it polls.
        sender = publisher._courier._producer._sender  # noqa: SLF001
        monkeypatch.setattr(sender, "run_once", lambda: time.sleep(0.05))
        publisher.publish(recommendation(1))
        wait_until(lambda: publisher.published.delivered == 2)
        assert publisher.failed == 1
        assert not sender.is_alive()
    assert ids(broker.bootstrap, name) == [recommendation(0).id, recommendation(1).id]


def test_a_topic_that_is_not_there_yet_is_told_and_waited_for(broker: Broker, caplog: pytest.LogCaptureFixture) -> None:
    with publishing(broker.bootstrap, "not-there-yet") as publisher:
        publisher.publish(recommendation(1))
        wait_until(lambda: [trouble.kind for trouble in publisher.troubles()] == [TroubleKind.MISSING])
        wait_until(lambda: publisher.failed > 1)
        said = [record.getMessage() for record in caplog.records if record.name.startswith("streamqid")]
        assert said[-1] == (
            "The topic not-there-yet does not exist or may not be seen: create it, or grant DESCRIBE on it."
        )
        with closing(KafkaAdminClient(bootstrap_servers=[broker.bootstrap])) as admin:
            admin.create_topics({"not-there-yet": {"num_partitions": 1}}, wait_for_metadata=True)
        wait_until(lambda: publisher.published.delivered)
        assert publisher.troubles() == ()


def test_a_document_that_the_topic_refuses_does_not_hold_up_others(
    broker: Broker, topic: TopicFactory, caplog: pytest.LogCaptureFixture
) -> None:
    name, draw = topic(max_message_bytes=2000), random.Random(1)
    large = recommendation(1, stream="b", name="".join(draw.choices("0123456789abcdef", k=10_000)))
    others = [recommendation(number, stream=stream) for number in (2, 3) for stream in ("a", "b", "c")]
    assert publish(broker.bootstrap, name, large, *others) == Published(delivered=6, refused=1)
    assert sorted(ids(broker.bootstrap, name)) == sorted(document.id for document in others)
    (said,) = [record.getMessage() for record in caplog.records if record.name.startswith("streamqid")]
    assert said == (
        f"The topic {name} takes no message of {len(large.model_dump_json()):,} bytes: "
        "raise its max.message.bytes, or look at fewer columns."
    )


def allow(broker: SecureBroker, topic: str, operation: ACLOperation) -> None:
    rule = ACL(
        principal="User:alice",
        host="*",
        operation=operation,
        permission_type=ACLPermissionType.ALLOW,
        resource_pattern=ResourcePattern(ResourceType.TOPIC, topic),
    )
    with closing(KafkaAdminClient(bootstrap_servers=[broker.internal_bootstrap])) as admin:
        admin.create_acls([rule])


def test_a_topic_that_may_not_be_read_back_is_told_and_nothing_is_published_blindly(
    secure_broker: SecureBroker,
) -> None:
    name = create_topic(secure_broker.internal_bootstrap, "guarded")
    allow(secure_broker, name, ACLOperation.WRITE)
    alice = Connection(
        (secure_broker.bootstrap,),
        security_protocol="SASL_SSL",
        sasl_mechanism="SCRAM-SHA-512",
        username="alice",
        password=secure_broker.alice_password,
        ca_file=str(secure_broker.ca_file),
    )
    publish(secure_broker.internal_bootstrap, name, recommendation(1))
    with closing_soon(KafkaPublisher(alice, name)) as publisher:
        publisher.publish(recommendation(1))
        publisher.publish(recommendation(2))
        wait_until(publisher.troubles)
        assert [trouble.kind for trouble in publisher.troubles()] == [TroubleKind.UNAUTHORISED]
        allow(secure_broker, name, ACLOperation.READ)
        wait_until(lambda: not publisher.published.waiting)
        assert publisher.published == Published(delivered=1, repeated=1)
    assert ids(secure_broker.internal_bootstrap, name) == [recommendation(1).id, recommendation(2).id]
