"""The head of an HTTP request: read within bounds and parsed strictly.  Bodies are never read."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import socket
    from collections.abc import Mapping

LINE_BYTES, HEAD_BYTES = 8 * 1024, 32 * 1024
END = b"\r\n\r\n"
_LINE = re.compile(r"([A-Z]{1,32}) (/[!-~]*) HTTP/([0-9])\.[0-9]")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*)")


class RefusedError(Exception):
    """The request has no answer; ``detail`` never repeats what it says."""

    def __init__(self, status: HTTPStatus, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Head:
    """What is asked; the names of headers are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]
    query: str = ""


def read_head(connection: socket.socket, seconds: float) -> Head:
    """Read and parse the head of a request, or raise a RefusedError.

    The time is that for the whole head: a client who sends byte by byte holds on to the connection no longer.
    """
    deadline, received = time.monotonic() + seconds, b""
    while END not in received:
        _check(received)
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        try:
            more = connection.recv(HEAD_BYTES)
        except TimeoutError:
            raise RefusedError(HTTPStatus.REQUEST_TIMEOUT, "The request did not arrive in time.") from None
        if not more:
            raise _malformed()
        received += more
    head = received.partition(END)[0]
    _check(head)
    return parse(head.decode("latin-1"))


def parse(head: str) -> Head:
    """Parse a head without its end, or raise a RefusedError."""
    first, *lines = head.split("\r\n")
    asked = _LINE.fullmatch(first)
    if asked is None:
        raise _malformed()
    method, target, major = asked.groups()
    if major != "1":
        raise RefusedError(HTTPStatus.HTTP_VERSION_NOT_SUPPORTED, "Ask by HTTP/1.1.")
    headers: dict[str, str] = {}
    for line in lines:
        header = _HEADER.fullmatch(line)
        if header is None:
            raise _malformed()
        name, value = header[1].lower(), header[2].strip()
        if name in headers and name in ("authorization", "host"):
            raise _malformed()
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    path, _, query = target.partition("?")
    return Head(method, path, headers, query)


def _check(received: bytes) -> None:
    """Refuse at once what cannot become a request any more."""
    if received and not b"A" <= received[:1] <= b"Z":
        raise _malformed()
    if len(received.partition(b"\r\n")[0]) > LINE_BYTES:
        raise RefusedError(HTTPStatus.REQUEST_URI_TOO_LONG, "The request line is too long.")
    if len(received) > HEAD_BYTES:
        raise RefusedError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "The headers are too long.")


def _malformed() -> RefusedError:
    return RefusedError(HTTPStatus.BAD_REQUEST, "This is no request by HTTP/1.1.")
