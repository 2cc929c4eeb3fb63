"""Posts an alert once: where, how, and for how long an answer is waited for."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from streamqid.publish.alertmanager import as_alertmanager

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.engine.alerts import Alert


@dataclass(frozen=True, slots=True)
class Target:
    """Where alerts are posted, and how."""

    url: str = field(repr=False)
    format: Literal["alertmanager", "plain"] = "plain"
    token: str | None = field(default=None, repr=False)
    timeout: float = 10.0
    retries: int = 5


def post(target: Target, alert: Alert) -> int | None:
    """Post an alert once; return the status of the answer, or None when there was none in time."""
    body = alert.model_dump_json() if target.format == "plain" else json.dumps(as_alertmanager(alert))
    headers = {"Content-Type": "application/json"}
    if target.token is not None:
        headers["Authorization"] = f"Bearer {target.token}"
    try:
        with contextlib.closing(_connection(target)) as connection:
            connection.connect()
            parts = urlsplit(target.url)
            path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            with _hung_up_after(target.timeout, connection.sock):
                connection.request("POST", path, body.encode(), headers)
                return connection.getresponse().status
    except (OSError, http.client.HTTPException, ValueError):
        # A ValueError is an address or a token that no request can hold.
        return None


def _connection(target: Target) -> http.client.HTTPConnection:
    parts = urlsplit(target.url)
    host, port = parts.hostname or "", parts.port
    if parts.scheme == "https":
        context = ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=target.timeout, context=context)
    return http.client.HTTPConnection(host, port, timeout=target.timeout)


@contextlib.contextmanager
def _hung_up_after(seconds: float, connected: socket.socket) -> Iterator[None]:
    """End the connection if the block lasts longer.

    The timeout of a socket is that of each byte: a server that sends now one and now another would hold up all alerts.
    """

    def hang_up() -> None:
        with contextlib.suppress(OSError):
            # Not the method of a TLS socket, which first takes its session away from under whoever reads.
            socket.socket.shutdown(connected, socket.SHUT_RDWR)

    timer = threading.Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
