"""Encrypted, authenticated and guarded topics, and the sentence for each thing that can be wrong with that."""

from __future__ import annotations

import base64
import json
import logging
import time
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer
from kafka.admin import ACL, ACLOperation, ACLPermissionType, ResourcePattern, ResourceType

from deploy.kafka.properties import free_ports
from streamqid.broker.connect import Connection
from streamqid.broker.failures import open_client
from streamqid.broker.formats import Format
from streamqid.broker.source import KafkaSource
from streamqid.broker.times import TimeRule
from streamqid.engine.events import TroubleKind
from streamqid.errors import TransportError
from tests.kafka.produce import produce
from tests.kafka.reading import drive, records_of, trouble_of, troubled
from tests.kafka.topics import create_topic

if TYPE_CHECKING:
    from deploy.kafka.broker import SecureBroker

ROWS: list[bytes | None] = [json.dumps({"id": n}).encode() for n in range(100)]


def alice(broker: SecureBroker, **changes: Any) -> Connection:
    connection = Connection(
        (broker.bootstrap,),
        security_protocol="SASL_SSL",
        sasl_mechanism="SCRAM-SHA-512",
        username="alice",
        password=broker.alice_password,
        ca_file=str(broker.ca_file),
        bootstrap_timeout_seconds=3,
    )
    return replace(connection, **changes)


def allow(broker: SecureBroker, operation: ACLOperation, kind: ResourceType, name: str, *, user: str = "alice") -> None:
    right = ACL(
        principal=f"User:{user}",
        host="*",
        operation=operation,
        permission_type=ACLPermissionType.ALLOW,
        resource_pattern=ResourcePattern(kind, name),
    )
    with closing(KafkaAdminClient(bootstrap_servers=[broker.internal_bootstrap])) as admin:
        admin.create_acls([right])


def source_of(connection: Connection, topic: str, **options: Any) -> KafkaSource:
    return KafkaSource(
        connection,
        topics=[topic],
        format=Format(),
        time=TimeRule(),
        poll_seconds=0.05,
        metadata_seconds=0.3,
        **options,
    )


@pytest.fixture
def guarded(secure_broker: SecureBroker) -> str:
    name = create_topic(secure_broker.internal_bootstrap, "guarded")
    produce(secure_broker.internal_bootstrap, name, ROWS)
    return name


def test_a_guarded_topic_is_read_as_soon_as_its_rights_are_given(secure_broker: SecureBroker, guarded: str) -> None:
    source = source_of(alice(secure_broker), guarded)
    found: list[Any] = []
    with closing(source):
        drive(source, lambda: any(guarded in trouble.sentence for trouble in source.troubles()), found.append)
        allow(secure_broker, ACLOperation.DESCRIBE, ResourceType.TOPIC, guarded)
        drive(source, troubled(source, TroubleKind.UNAUTHORISED), found.append)
        assert records_of(found) == []
        allow(secure_broker, ACLOperation.READ, ResourceType.TOPIC, guarded)
        drive(source, lambda: len(records_of(found)) == 100 and not source.troubles(), found.append)


def test_a_group_that_may_not_be_used_costs_only_the_committed_offsets(
    secure_broker: SecureBroker, guarded: str
) -> None:
    allow(secure_broker, ACLOperation.READ, ResourceType.TOPIC, guarded)
    source = source_of(alice(secure_broker), guarded, group_id="forbidden")
    found: list[Any] = []
    with closing(source):
        drive(source, lambda: len(records_of(found)) == 100, found.append)
        source.commit({found[-1].origin: 100})
        drive(source, troubled(source, TroubleKind.UNAUTHORISED), found.append)
        assert ["forbidden" in trouble.sentence for trouble in source.troubles()] == [True]
        produce(secure_broker.internal_bootstrap, guarded, ROWS)
        drive(source, lambda: len(records_of(found)) == 200, found.append)


def test_a_token_is_asked_for_once_for_many_connections(secure_broker: SecureBroker, guarded: str) -> None:
    allow(secure_broker, ACLOperation.READ, ResourceType.TOPIC, guarded)
    asked = []

    def token() -> str:
        asked.append(time.time())
        claims = {"sub": "alice", "iat": asked[-1], "exp": asked[-1] + 600}
        parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in ({"alg": "none"}, claims)]
        return b".".join([*parts, b""]).decode()

    connection = alice(secure_broker, sasl_mechanism="OAUTHBEARER", username=None, password=None, token=token)
    source = source_of(connection, guarded)
    found: list[Any] = []
    with closing(source):
        drive(source, lambda: len(records_of(found)) == 100, found.append)
    assert len(asked) == 1


@pytest.mark.parametrize(
    ("mistake", "cause"),
    [
        ("dead address", "do not answer"),
        ("wrong password", "refuse user 'alice'"),
        ("unknown user", "refuse user 'mallory'"),
        ("mechanism not enabled", "do not accept GSSAPI"),
        ("wrong authority", "certificate that is not trusted"),
        ("absent authority file", "check the paths"),
        ("foreign certificate", "refuse the client certificate"),
        ("key of another certificate", "the private key is not that of the certificate"),
        ("TLS on a plaintext port", "do not speak TLS"),
        ("plaintext on a TLS port", "expect TLS"),
        ("password on a port without", "do not ask for a user"),
    ],
)
def test_each_mistake_has_a_sentence_of_its_own(
    secure_broker: SecureBroker, mistake: str, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    plain = {"security_protocol": "PLAINTEXT", "sasl_mechanism": None}
    changes: dict[str, dict[str, Any]] = {
        "dead address": {"bootstrap_servers": (f"127.0.0.1:{free_ports(1)[0]}",)},
        "wrong password": {"password": "guess"},
        "unknown user": {"username": "mallory"},
        "mechanism not enabled": {"sasl_mechanism": "GSSAPI"},
        "wrong authority": {"ca_file": str(secure_broker.wrong_ca_file)},
        "absent authority file": {"ca_file": "/nowhere/ca.pem"},
        "TLS on a plaintext port": {"bootstrap_servers": (secure_broker.internal_bootstrap,)},
        "plaintext on a TLS port": plain,
        "password on a port without": {
            "bootstrap_servers": (secure_broker.internal_bootstrap,),
            "security_protocol": "SASL_PLAINTEXT",
        },
    }
    right, wrong = secure_broker.client_file, secure_broker.wrong_client_file
    for name, shown, key in (("foreign", wrong, wrong), ("key of another", right, wrong)):
        files = {"certificate_file": str(shown), "key_file": str(key.with_suffix(".key"))}
        changes[f"{name} certificate"] = files
    caplog.set_level(logging.DEBUG)
    told = ""
    # How long a broker takes to refuse a login depends on what else the machine does.
    for seconds in (1.0, 3.0, 20.0):
        if cause not in told:
            with pytest.raises(TransportError) as caught:
                open_client(KafkaConsumer, alice(secure_broker, bootstrap_timeout_seconds=seconds, **changes[mistake]))
            told = str(caught.value)
    assert cause in told
    assert told.endswith(".")
    assert secure_broker.alice_password not in told + caplog.text
    assert "guess" not in told + caplog.text


def test_the_source_reports_why_no_broker_can_be_used(secure_broker: SecureBroker) -> None:
    wrong = {"password": "guess"}
    source = source_of(alice(secure_broker, **wrong), "any")
    with closing(source):
        # An attempt that is too short for a busy broker tells less; the source goes on trying.
        drive(source, lambda: any("refuse user 'alice'" in trouble.sentence for trouble in source.troubles()))
        assert trouble_of(source, TroubleKind.UNREACHABLE) is not None
