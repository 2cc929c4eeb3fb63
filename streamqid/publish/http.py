"""A small HTTP server for the routes: one request a connection, everything about it bounded."""

from __future__ import annotations

import logging
import socket
import socketserver
import threading
from typing import TYPE_CHECKING, Any

from streamqid.errors import ConfigError
from streamqid.publish.desk import Desk
from streamqid.publish.places import Places

if TYPE_CHECKING:
    from streamqid.publish.access import Access
    from streamqid.publish.site import Site

log = logging.getLogger(__name__)

CONNECTIONS = 32
SECONDS = 10.0
"""Time for a request to arrive as a whole, and for its answer to be taken."""


class Server:
    """A server that runs on threads of its own until it is closed."""

    def __init__(self, listening: _Listening) -> None:
        self._listening = listening
        self.port: int = listening.server_address[1]
        """The port that it listens on."""
        self._thread = threading.Thread(target=listening.serve_forever, args=(0.1,), name="http", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening; requests under way end by themselves within their time."""
        self._listening.shutdown()
        self._listening.server_close()
        self._thread.join()


def serve(site: Site, access: Access, *, connections: int = CONNECTIONS, seconds: float = SECONDS) -> Server:
    """Listen and answer until the returned server is closed.

    Raises a ConfigError when the address cannot be listened on.
    """
    try:
        family, *_, where = socket.getaddrinfo(access.address, access.port, type=socket.SOCK_STREAM)[0]
        listening = _Listening(family, where, Desk(site, access, seconds), connections)
    except OSError as refused:
        cause = refused.strerror or type(refused).__name__
        msg = (
            f"The HTTP server cannot listen on {access.address}:{access.port} ({cause}): choose another address or "
            "port (http.address, http.port), or stop what listens there."
        )
        raise ConfigError(msg) from refused
    return Server(listening)


class _Listening(socketserver.ThreadingTCPServer):
    """Has so many connections at once at most.

    One more takes the place of the one that has waited longest for its request to arrive, or else for its answer to be
    taken, so that who says nothing and who takes nothing keep nobody out.  While all answers are being made, it is
    closed.
    """

    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, family: int, where: Any, desk: Desk, connections: int) -> None:
        self.address_family = family
        self._desk = desk
        self._places = Places(connections)
        super().__init__(where, socketserver.BaseRequestHandler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Hand a connection to a thread, if there is a place for it."""
        if not self._places.take(request):
            self.shutdown_request(request)
            return
        try:
            super().process_request(request, client_address)
        except BaseException:
            self._places.leave(request)
            raise

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer one connection, on its own thread."""
        try:
            self.finish_request(request, client_address)
        except Exception:
            self.handle_error(request, client_address)
        finally:
            # The place is left before the socket is closed: nobody may be sent away through a socket that is another's.
            self._places.leave(request)
            self.shutdown_request(request)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """Answer one connection."""
        self._desk.attend(request, lambda: self._places.arrived(request), lambda: self._places.sending(request))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing; the base class would print a traceback."""
        log.error("An HTTP connection failed.")
