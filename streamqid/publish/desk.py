"""Answers the connections of the HTTP server: one request each."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from streamqid.publish.head import RefusedError, read_head
from streamqid.publish.page import page
from streamqid.publish.routes import find
from streamqid.publish.site import Request, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamqid.publish.access import Access
    from streamqid.publish.head import Head
    from streamqid.publish.site import Response, Site

log = logging.getLogger(__name__)

DRAIN_BYTES, DRAIN_SECONDS = 256 * 1024, 0.5
SECURITY = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Connection": "close",
}


class Desk:
    """Answers one connection at a time on each thread that asks it to."""

    def __init__(self, site: Site, access: Access, seconds: float) -> None:
        self._site, self._access, self._seconds = site, access, seconds

    def attend(self, connection: socket.socket, arrived: Callable[[], bool], sending: Callable[[], None]) -> None:
        """Read one request, answer it and take leave; a client that goes away early is not worth a word.

        ``arrived`` is called once nothing more is awaited, and tells whether there is still somebody to answer;
        ``sending`` once the answer is made.
        """
        with contextlib.suppress(OSError):
            response, headers, with_body = self._respond(connection, arrived)
            sending()
            connection.settimeout(self._seconds)
            connection.sendall(_encode(response, headers, with_body=with_body))
            _take_leave(connection)

    def _respond(
        self, connection: socket.socket, arrived: Callable[[], bool]
    ) -> tuple[Response, Mapping[str, str], bool]:
        try:
            head = read_head(connection, self._seconds)
        except RefusedError as refused:
            arrived()
            return _problem(refused.status, refused.detail), {}, True
        if not arrived():
            raise ConnectionAbortedError
        with_body = head.method != "HEAD"
        try:
            return *self._answer(head), with_body
        except Exception as error:
            # The message of an unforeseen exception could quote anything, so only its type is told.
            log.error("An HTTP request failed (%s).", type(error).__name__)
            return (
                _problem(HTTPStatus.INTERNAL_SERVER_ERROR, "The answer could not be made: see the log."),
                {},
                with_body,
            )

    def _answer(self, head: Head) -> tuple[Response, Mapping[str, str]]:
        if not self._access.serves(head.headers.get("host")):
            return _problem(HTTPStatus.MISDIRECTED_REQUEST, "This server has another name."), {}
        if head.method not in ("GET", "HEAD"):
            return _problem(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are allowed."), {"Allow": "GET, HEAD"}
        if _from_elsewhere(head.headers):
            return _problem(HTTPStatus.FORBIDDEN, "Pages of other hosts may not ask: open the page of this one."), {}
        file = page(head)
        if file is not None:
            return file, {}
        found = find(head.path)
        trusted = self._access.trusts(head.headers.get("authorization"))
        if not trusted and not (found is not None and found[0].open):
            return _problem(HTTPStatus.UNAUTHORIZED, "Ask with the bearer token."), {"WWW-Authenticate": "Bearer"}
        if found is None:
            return _problem(HTTPStatus.NOT_FOUND, "There is no such path: see /."), {}
        route, stream = found
        query = parse_qs(head.query)
        stream = stream or next(iter(query.get("stream", ())), "")
        return route.answer(self._site, Request(stream, head.headers.get("accept", ""), trusted, query)), {}


def _from_elsewhere(headers: Mapping[str, str]) -> bool:
    """Whether a browser asks on behalf of a page of another site, which could not read the answer but cost the work.

    Following a link to here is no such thing.
    """
    return headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate"


def _problem(status: HTTPStatus, detail: str) -> Response:
    return problem(status, status.phrase, detail)


def _encode(response: Response, headers: Mapping[str, str], *, with_body: bool) -> bytes:
    status = HTTPStatus(response.status)
    lines = [
        f"HTTP/1.1 {status} {status.phrase}",
        f"Content-Type: {response.content_type}",
        f"Content-Length: {len(response.body)}",
        *(f"{name}: {value}" for name, value in {**SECURITY, **response.headers, **headers}.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + (response.body if with_body else b"")


def _take_leave(connection: socket.socket) -> None:
    """Let the client read the answer: closing while something unread has arrived would take it away again."""
    connection.shutdown(socket.SHUT_WR)
    deadline, left = time.monotonic() + DRAIN_SECONDS, DRAIN_BYTES
    while left > 0 and (wait := deadline - time.monotonic()) > 0:
        connection.settimeout(wait)
        received = len(connection.recv(min(left, 65536)))
        if not received:
            return
        left -= received
