"""The enforcing copy when it does not see all of its topics at first, or may not use them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from kafka import KafkaProducer
from kafka.admin import ACLOperation, ResourceType

from streamqid.broker.connect import Connection
from streamqid.copying.rule import CopyRule
from tests.kafka.copies import copied, copier_of, row, send
from tests.kafka.service import wait_for
from tests.kafka.test_security_source import alice, allow
from tests.kafka.topics import create_topic

if TYPE_CHECKING:
    import pytest

    from deploy.kafka.broker import SecureBroker


def test_a_topic_that_comes_into_sight_is_not_copied_again(secure_broker: SecureBroker) -> None:
    inside = secure_broker.internal_bootstrap
    seen, unseen, output = (create_topic(inside, name) for name in ("seen", "unseen", "copy"))
    rule = CopyRule(output, ("number",))
    for topic in (seen, output):
        allow(secure_broker, ACLOperation.READ, ResourceType.TOPIC, topic)
    allow(secure_broker, ACLOperation.WRITE, ResourceType.TOPIC, output)
    allow(secure_broker, ACLOperation.READ, ResourceType.GROUP, output)
    allow(secure_broker, ACLOperation.WRITE, ResourceType.TRANSACTIONAL_ID, output)
    with closing(KafkaProducer(bootstrap_servers=inside)) as producer:

        def numbers(topic: str, first: int, last: int) -> None:
            send(producer, topic, 0, map(row, range(first, last)))
            producer.flush()

        numbers(seen, 0, 50)
        numbers(unseen, 50, 100)
        before, _ = copier_of(Connection((inside,)), [seen, unseen], rule, output)
        before.start()
        wait_for(lambda: before.progress.copied == 100, "all records")
        before.stop()
        assert before.join(10)
        # Now another user copies, who does not see one of the topics until the rights are given.
        after, _ = copier_of(alice(secure_broker), [seen, unseen], rule, output)
        after.start()
        numbers(seen, 100, 110)
        wait_for(lambda: after.progress.copied == 10, "records of the topic that is seen")
        allow(secure_broker, ACLOperation.READ, ResourceType.TOPIC, unseen)
        numbers(unseen, 110, 120)
        wait_for(lambda: {*range(110, 120)} <= {*copied(inside, output)}, "records of the topic that came into sight")
        numbers(seen, 120, 130)
        wait_for(lambda: {*range(120, 130)} <= {*copied(inside, output)}, "both topics")
    after.stop()
    assert after.join(10)
    assert sorted(copied(inside, output)) == [*range(130)]
    assert after.progress.copied == 30


def test_each_right_that_is_missing_is_named(secure_broker: SecureBroker, caplog: pytest.LogCaptureFixture) -> None:
    inside = secure_broker.internal_bootstrap
    source, output = (create_topic(inside, name) for name in ("source", "copy"))
    with closing(KafkaProducer(bootstrap_servers=inside)) as producer:
        send(producer, source, 0, map(row, range(10)))
        producer.flush()
    allow(secure_broker, ACLOperation.READ, ResourceType.TOPIC, source)
    copy, _ = copier_of(alice(secure_broker), [source], CopyRule(output, ("number",)), output)
    copy.start()
    missing = [
        (f"grant WRITE and DESCRIBE on {output}", ACLOperation.DESCRIBE, ResourceType.TOPIC),
        (f"transactional id {output} may not be used", ACLOperation.WRITE, ResourceType.TRANSACTIONAL_ID),
        (f"the group {output} may not be used; grant READ", ACLOperation.READ, ResourceType.GROUP),
        (f"grant WRITE and DESCRIBE on {output}", ACLOperation.WRITE, ResourceType.TOPIC),
    ]
    for sentence, operation, kind in missing:
        wait_for(lambda: sentence in caplog.text, sentence)  # noqa: B023
        assert copy.progress.copied == 0
        caplog.clear()
        allow(secure_broker, operation, kind, output)
    wait_for(lambda: copy.progress.copied == 10, "all records")
    copy.stop()
    assert copy.join(10)
    assert copied(inside, output) == [*range(10)]
