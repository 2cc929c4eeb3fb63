"""The client library, imported without its warning: it reads its schemas in a way that Python 3.11 deprecates.

Tests fail on warnings, and the conftest of this folder imports this module first; so the others import kafka as usual.
Connections of the client get a class of their own here, by which the warning about one that was left open tells the
client's from ours: the client forgets those whose connection or TLS handshake failed.
"""

from __future__ import annotations

import socket
import ssl
import warnings
from typing import Any

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "(read|open)_text is deprecated", DeprecationWarning)
    import kafka.admin  # noqa: F401
from kafka.net.inet import KafkaNetSocket
from kafka.net.transport import KafkaSSLTransport

FORGOTTEN = rf"unclosed <{__name__.replace('.', r'[.]')}[.]"
"""How the warning about a connection of the client begins."""


class ClientSocket(socket.socket):
    """A connection that the client opened."""


class ClientTLSSocket(ssl.SSLSocket):
    """An encrypted connection that the client opened."""


_context_of = KafkaSSLTransport._build_ssl_context  # noqa: SLF001


def _socket(_client: Any, family: int, kind: int, proto: int) -> ClientSocket:
    return ClientSocket(family, kind, proto)


def _context(config: Any) -> ssl.SSLContext:
    context: ssl.SSLContext = _context_of(config)
    context.sslsocket_class = ClientTLSSocket
    return context


KafkaNetSocket.socket = _socket
KafkaSSLTransport._build_ssl_context = staticmethod(_context)  # noqa: SLF001
