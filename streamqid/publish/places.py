"""How many connections there may be at once, and which of them has to go for another one."""

from __future__ import annotations

import contextlib
import socket
import threading


class Places:
    """So many places for connections; those whose request has not arrived yet can lose theirs.  For any thread."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._guard = threading.Lock()
        self._waiting: dict[socket.socket, None] = {}
        """Connections whose request is awaited, in the order in which they came."""
        self._answered: set[socket.socket] = set()

    def take(self, connection: socket.socket) -> bool:
        """Give a connection a place, if need be that of the one that waits longest; return whether it has one."""
        with self._guard:
            if len(self._waiting) + len(self._answered) >= self._size:
                if not self._waiting:
                    return False
                longest = next(iter(self._waiting))
                del self._waiting[longest]
                # Whoever reads from it finds its end; the socket itself is closed there.
                with contextlib.suppress(OSError):
                    longest.shutdown(socket.SHUT_RDWR)
            self._waiting[connection] = None
            return True

    def arrived(self, connection: socket.socket) -> bool:
        """Return whether the connection has its place still, which it keeps now until it is answered."""
        with self._guard:
            if connection not in self._waiting:
                return False
            del self._waiting[connection]
            self._answered.add(connection)
            return True

    def leave(self, connection: socket.socket) -> None:
        """Give the place back, if it was not lost before."""
        with self._guard:
            self._waiting.pop(connection, None)
            self._answered.discard(connection)
