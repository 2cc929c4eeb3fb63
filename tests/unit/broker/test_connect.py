from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer

from streamqid.broker import quiet
from streamqid.broker.connect import Connection
from streamqid.broker.failures import sentence
from streamqid.broker.formats import Format
from streamqid.broker.source import KafkaSource
from streamqid.broker.times import TimeRule
from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRAM: dict[str, Any] = {"security_protocol": "SASL_SSL", "sasl_mechanism": "SCRAM-SHA-512", "username": "alice"}
HIDDEN = "very-secret"


def test_settings_fit_all_clients_and_no_secret_shows() -> None:
    connections = [
        Connection(("a:1",)),
        Connection(("a:1", "b:2"), password=HIDDEN, key_password=HIDDEN, ca_file="ca.pem", **SCRAM),
        Connection(("a:1",), security_protocol="SASL_PLAINTEXT", sasl_mechanism="OAUTHBEARER", token=lambda: HIDDEN),
    ]
    for connection in connections:
        assert HIDDEN not in repr(connection)
        for client in (KafkaConsumer, KafkaProducer, KafkaAdminClient):
            assert set(connection.settings()) <= set(client.DEFAULT_CONFIG)
    assert connections[1].settings()["ssl_check_hostname"] is True


@pytest.mark.parametrize(
    "wrong",
    [
        {"bootstrap_servers": ()},
        {"security_protocol": "SASL_SSL"},
        {"sasl_mechanism": "PLAIN"},
        SCRAM,
        {"security_protocol": "SASL_SSL", "sasl_mechanism": "OAUTHBEARER"},
    ],
)
def test_contradictions_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        Connection(**{"bootstrap_servers": ("a:1",)} | wrong)


@pytest.mark.parametrize("wrong", [{}, {"topics": []}, {"topics": ["a"], "pattern": "b"}])
def test_a_source_has_topics_or_a_pattern(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        KafkaSource(Connection(("a:1",)), format=Format(), time=TimeRule(), **wrong)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("x UnsupportedSaslMechanismError y", "do not accept SCRAM-SHA-512"),
        ("SaslAuthenticationFailedError: no", "refuse user 'alice'"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] Hostname mismatch", "another host name"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed", "not trusted"),
        ("[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired", "has expired"),
        ("tlsv13 alert certificate required", "client certificate"),
        ("[SSL: TLSV1_ALERT_UNKNOWN_CA] tlsv1 alert unknown ca", "refuse the client certificate"),
        ("[X509: KEY_VALUES_MISMATCH] key values mismatch", "not that of the certificate"),
        ("[X509: NO_CERTIFICATE_OR_CRL_FOUND] no certificate or crl found", "must be PEM"),
        ("[SSL] PEM lib (_ssl.c:3926)", "the password that of the key"),
        ("PermissionError(13, 'Permission denied')", "paths and rights"),
        ("KafkaConnectionError: DNS Resolution failure", "a name that is not known"),
    ],
)
def test_what_the_client_logs_becomes_a_sentence(line: str, words: str) -> None:
    found = sentence(Connection(("a:1", "b:2"), password=HIDDEN, **SCRAM), ["noise", line])
    assert words in found
    assert "a:1, b:2" in found
    assert HIDDEN not in found


@pytest.fixture
def client_log() -> Iterator[logging.Logger]:
    logger = logging.getLogger(quiet.NAME)
    before = logger.level, logger.propagate, list(logger.handlers)
    yield logger
    logger.setLevel(before[0])
    logger.propagate, logger.handlers[:] = before[1], before[2]


def test_the_client_never_speaks_below_info_nor_in_floods(
    client_log: logging.Logger, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    # pytest listens to loggers that do not propagate; here only what reaches the root counts.
    client_log.handlers.clear()
    client_log.setLevel(logging.DEBUG)
    quiet.quieten()
    quiet.quieten()
    part = logging.getLogger("kafka.net")
    part.setLevel(logging.DEBUG)
    try:
        part.debug(HIDDEN)
        for number in range(625):
            part.warning("Marking the coordinator dead %d", number)
        part.error("Once", exc_info=ValueError(HIDDEN))
    finally:
        part.setLevel(logging.NOTSET)
    assert [record.getMessage() for record in caplog.records] == ["Marking the coordinator dead 0", "Once"]
    assert HIDDEN not in caplog.text
