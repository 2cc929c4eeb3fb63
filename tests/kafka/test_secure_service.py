"""The service on a broker with TLS, passwords, certificates and rights."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from kafka import KafkaConsumer, TopicPartition
from kafka.admin import ACLOperation, ResourceType

from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.test_security_source import allow
from tests.kafka.topics import create_topic, read_all

if TYPE_CHECKING:
    from deploy.kafka.broker import SecureBroker
    from tests.kafka.conftest import ServiceFactory

ALLOWED = {
    "rows": (ACLOperation.READ, ACLOperation.DESCRIBE),
    "answers": (ACLOperation.WRITE, ACLOperation.DESCRIBE, ACLOperation.READ),
    "letters": (ACLOperation.WRITE, ACLOperation.DESCRIBE),
    "alerts": (ACLOperation.WRITE, ACLOperation.DESCRIBE),
}
"""The rights on topics that docs/operations.md names."""


def test_a_service_needs_no_more_rights_than_are_documented(
    secure_broker: SecureBroker, service: ServiceFactory
) -> None:
    inside = secure_broker.internal_bootstrap
    topics = {what: create_topic(inside, what) for what in ALLOWED}
    for what, operations in ALLOWED.items():
        for operation in operations:
            allow(secure_broker, operation, ResourceType.TOPIC, topics[what])
    allow(secure_broker, ACLOperation.READ, ResourceType.GROUP, "streamqid.people")
    produce(inside, topics["rows"], [*messages(999), b"{"])
    outputs = {"topic": topics["answers"], "dead_letters": {"topic": topics["letters"]}}
    running = service(
        [topics["rows"]],
        secure_broker.bootstrap,
        changes={"publish": {**outputs, "alerts": {"topic": topics["alerts"]}}},
        stream={
            "windows": {"by": "records", "width_records": 200},
            "published": [{"name": "released", "columns": ["age", "zip"], "limits": {"separation": 0.01}}],
        },
    )
    password = running.directory / "password"
    password.touch(mode=0o600)
    password.write_text(secure_broker.alice_password + "\n")
    running.changes = {
        **running.changes,
        "kafka": {
            "security_protocol": "SASL_SSL",
            "sasl": {"mechanism": "SCRAM-SHA-512", "username": "alice", "password_file": str(password)},
            "tls": {
                "ca_file": str(secure_broker.ca_file),
                "certificate_file": str(secure_broker.client_file),
                "key_file": str(secure_broker.client_file.with_suffix(".key")),
            },
        },
    }
    running.write()
    running.up()
    running.wait_for_records(1_000)
    for what in ("answers", "letters", "alerts"):
        wait_for(lambda: bool(read_all(inside, topics[what])), what)  # noqa: B023
    wait_for(lambda: not running.ready(), "a service that is ready")
    assert running.stop() == 0
    # Whoever compares asks for the end of the log without a password.
    running.bootstrap = inside
    assert running.snapshot() == running.reference().to_bytes()
    with closing(KafkaConsumer(bootstrap_servers=inside, group_id="streamqid.people")) as tool:
        assert tool.committed(TopicPartition(topics["rows"], 0)) == 1_000
    assert " may not " not in running.log()
    assert secure_broker.alice_password not in running.log()
