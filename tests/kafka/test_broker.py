"""The brokers of the other tests do what those rely on."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ConfigResource, ResourcePattern, ResourceType
from kafka.errors import KafkaTimeoutError

from tests.kafka.produce import produce
from tests.kafka.topics import create_topic, read_all

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker, SecureBroker
    from tests.kafka.conftest import TopicFactory

VALUES = [b"value %d" % number for number in range(500)]


def values(bootstrap: str, topic: str, **client: Any) -> list[bytes]:
    return [record.value for record in read_all(bootstrap, topic, **client)]


@pytest.mark.parametrize("compression", [None, "gzip", "lz4", "snappy", "zstd"])
def test_what_is_written_is_read(broker: Broker, topic: TopicFactory, compression: str | None) -> None:
    name = topic(partitions=2)
    keys, times = [b"%d" % (number % 7) for number in range(500)], list(range(1, 501))
    produce(broker.bootstrap, name, VALUES, keys=keys, timestamps_ms=times, compression=compression, batch_bytes=1000)
    records = read_all(broker.bootstrap, name)
    found = sorted((record.timestamp, record.key, record.value) for record in records)
    assert found == list(zip(times, keys, VALUES, strict=True))
    assert {record.partition for record in records} == {0, 1}


def test_an_aborted_transaction_is_not_read(broker: Broker, topic: TopicFactory) -> None:
    name = topic()
    produce(broker.bootstrap, name, [b"a"], partition=0, transactional_id=name)
    produce(broker.bootstrap, name, [b"b"], partition=0, transactional_id=name, abort=True)
    produce(broker.bootstrap, name, [b"c", None], keys=[b"k", b"k"], partition=0)
    assert values(broker.bootstrap, name) == [b"a", b"c", None]


def test_topics_take_settings(broker: Broker, topic: TopicFactory) -> None:
    name = topic(segment_ms=1500, cleanup_policy="compact")
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        found = admin.describe_configs([ConfigResource("TOPIC", name)])["topic"][name]
    wanted = {"segment.ms": "1500", "cleanup.policy": "compact", "retention.ms": "-1"}
    assert {key: found[key]["value"] for key in found} == wanted


def test_a_stopped_broker_comes_back_with_its_data(own_broker: Broker) -> None:
    name = create_topic(own_broker.bootstrap, "kept")
    produce(own_broker.bootstrap, name, VALUES)
    own_broker.stop()
    assert not own_broker.is_running
    assert list((own_broker.log_dir / f"{name}-0").glob("*.log"))
    own_broker.start()
    assert values(own_broker.bootstrap, name) == VALUES


def test_a_killed_broker_comes_back_with_its_data(own_broker: Broker) -> None:
    name = create_topic(own_broker.bootstrap, "kept")
    produce(own_broker.bootstrap, name, VALUES)
    own_broker.kill()
    own_broker.start()
    produce(own_broker.bootstrap, name, [b"after"])
    assert values(own_broker.bootstrap, name) == [*VALUES, b"after"]


def test_a_paused_broker_answers_when_it_goes_on(own_broker: Broker) -> None:
    name = create_topic(own_broker.bootstrap, "paused")
    produce(own_broker.bootstrap, name, VALUES)
    part = TopicPartition(name, 0)
    with closing(KafkaConsumer(bootstrap_servers=own_broker.bootstrap, auto_offset_reset="earliest")) as consumer:
        consumer.assign([part])
        own_broker.pause()
        assert own_broker.is_running
        assert consumer.poll(timeout_ms=500) == {}
        own_broker.resume()
        assert len(consumer.poll(timeout_ms=30_000)[part]) > 0


def credentials(broker: SecureBroker, user: str, password: str, mechanism: str) -> dict[str, Any]:
    return {
        "security_protocol": "SASL_SSL",
        "sasl_mechanism": mechanism,
        "sasl_plain_username": user,
        "sasl_plain_password": password,
        "ssl_cafile": str(broker.ca_file),
    }


def allow_reading(broker: SecureBroker, user: str, topic: str) -> None:
    resource = ResourcePattern(ResourceType.TOPIC, topic)
    right = ACL(
        principal=f"User:{user}",
        host="*",
        operation=ACLOperation.READ,
        permission_type=ACLPermissionType.ALLOW,
        resource_pattern=resource,
    )
    with closing(KafkaAdminClient(bootstrap_servers=broker.internal_bootstrap)) as admin:
        admin.create_acls([right])


@pytest.mark.parametrize("mechanism", ["SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"])
def test_alice_reads_after_an_acl_and_bob_does_not(secure_broker: SecureBroker, mechanism: str) -> None:
    name = create_topic(secure_broker.internal_bootstrap, "guarded")
    produce(secure_broker.internal_bootstrap, name, VALUES)
    allow_reading(secure_broker, "alice", name)
    alice = credentials(secure_broker, "alice", secure_broker.alice_password, mechanism)
    assert values(secure_broker.bootstrap, name, **alice) == VALUES
    bob = credentials(secure_broker, "bob", secure_broker.bob_password, mechanism)
    with closing(KafkaConsumer(bootstrap_servers=secure_broker.bootstrap, **bob)) as consumer:
        assert name not in consumer.topics()


@pytest.mark.parametrize("mistake", ["password", "authority", "plaintext"])
def test_the_secure_broker_refuses(secure_broker: SecureBroker, mistake: str) -> None:
    settings = credentials(secure_broker, "alice", secure_broker.alice_password, "SCRAM-SHA-512")
    settings |= {
        "password": {"sasl_plain_password": "a guess"},
        "authority": {"ssl_cafile": str(secure_broker.wrong_ca_file)},
        "plaintext": {"security_protocol": "PLAINTEXT"},
    }[mistake]
    with pytest.raises(KafkaTimeoutError):
        KafkaConsumer(bootstrap_servers=secure_broker.bootstrap, bootstrap_timeout_ms=1500, **settings)
