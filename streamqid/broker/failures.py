"""What went wrong, in one sentence: the client reports most failures of a connection alike, and only logs the cause."""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
from typing import TYPE_CHECKING, Any

from kafka.errors import KafkaError
from kafka.net.compat import KafkaNetClient

from streamqid.broker.hangups import hear_out
from streamqid.broker.quiet import NAME, quieten
from streamqid.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.broker.connect import Connection

_PROBE_SECONDS = 2.0


class _Heard(logging.Handler):
    """Remembers what the client complains of while it connects; these lines hold no payload."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if len(self.lines) < 1000:
            self.lines.append(record.getMessage())
            if record.exc_info and record.exc_info[1]:
                self.lines.append(repr(record.exc_info[1]))


def open_client(kind: Callable[..., Any], connection: Connection, **settings: Any) -> Any:
    """Return a consumer, producer or admin client that has found its brokers.

    Blocks for at most about the connection's bootstrap timeout.  Raises a TransportError that names the cause.
    """
    quieten()
    made: list[Any] = []

    def remember(**configs: Any) -> Any:
        made.append(KafkaNetClient(**configs))
        hear_out(made[-1])
        # The client drops its setting of this name: it would make topics that are absent, and those that were deleted.
        made[-1].cluster.config["allow_auto_create_topics"] = False
        return made[-1]

    heard = _Heard()
    logger = logging.getLogger(NAME)
    logger.addHandler(heard)
    try:
        return kind(**connection.settings(), kafka_client=remember, **settings)
    except (KafkaError, OSError, ValueError) as error:
        # The client's own thread would live on after a failed start.
        for client in made:
            with contextlib.suppress(Exception):
                client.close()
        raise TransportError(sentence(connection, [*heard.lines, repr(error)])) from None
    finally:
        logger.removeHandler(heard)


def sentence(connection: Connection, lines: list[str]) -> str:
    """Say why no broker could be used, from what the client logged and one look at the port."""
    text = "\n".join(lines)
    servers = ", ".join(connection.bootstrap_servers)
    who = f"user {connection.username!r}" if connection.username is not None else "the token"
    causes = (
        ("UnsupportedSaslMechanism", f"do not accept {connection.sasl_mechanism}: choose a mechanism they enable."),
        ("SaslAuthenticationFailed", f"refuse {who}: check the name and the password, or the token."),
        ("IllegalSaslState", "do not ask for a user on this port: choose another port, or a protocol without SASL."),
        ("Hostname mismatch", "present a certificate for another host name: connect by a name that it holds."),
        ("IP address mismatch", "present a certificate for another address: connect by a name that it holds."),
        ("certificate has expired", "present a certificate that has expired: renew it, or correct the clock here."),
        ("CERTIFICATE_VERIFY_FAILED", "present a certificate that is not trusted: name the right CA file."),
        ("certificate required", "ask for a client certificate: name a certificate file and its key file."),
        ("ALERT_UNKNOWN_CA", _REFUSED_CERTIFICATE),
        ("ALERT_BAD_CERTIFICATE", _REFUSED_CERTIFICATE),
        ("ALERT_CERTIFICATE_UNKNOWN", _REFUSED_CERTIFICATE),
        ("KEY_VALUES_MISMATCH", "cannot be asked: the private key is not that of the certificate, so name the other."),
        ("NO_CERTIFICATE_OR_CRL_FOUND", _NO_PEM),
        ("PEM lib", _NO_PEM),
        ("No such file or directory", _NO_FILE),
        ("Permission denied", _NO_FILE),
        ("Is a directory", _NO_FILE),
        ("WRONG_VERSION_NUMBER", _PLAIN_PORT),
        ("record layer failure", _PLAIN_PORT),
        ("DNS Resolution failure", "have a name that is not known here: check its spelling, or the name server."),
    )
    for mark, cause in causes:
        if mark in text:
            return f"The brokers at {servers} {cause}"
    return f"The brokers at {servers} {_look(connection)}"


_REFUSED_CERTIFICATE = "refuse the client certificate: name one that a CA of theirs has signed."
_NO_FILE = "cannot be reached with these files: check the paths and rights of the CA, certificate and key."
_NO_PEM = "cannot be reached with these files: CA, certificate and key must be PEM, and the password that of the key."
_PLAIN_PORT = "do not speak TLS on this port: choose the port for TLS, or a security protocol without SSL."
_TLS_PORT = "expect TLS on this port: choose the port without it, or a security protocol with SSL."


def _look(connection: Connection) -> str:
    """Try the first address without the client."""
    host, _, port = connection.bootstrap_servers[0].rpartition(":")
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _PROBE_SECONDS) as plain:
            speaks_tls = _handshake(context, plain)
    except (OSError, ValueError):
        return "do not answer: check the addresses, and whether the brokers run."
    if speaks_tls != connection.uses_tls:
        return _TLS_PORT if speaks_tls else _PLAIN_PORT
    return "answer, but not as Kafka brokers with these settings do: check the ports and the security protocol."


def _handshake(context: ssl.SSLContext, plain: socket.socket) -> bool:
    """Tell whether the other side speaks TLS."""
    try:
        with context.wrap_socket(plain):
            return True
    except ssl.SSLError as error:
        # An alert is TLS as well, for instance one that asks for a certificate.
        return "ALERT" in str(error.reason or "")
    except OSError:
        return False
