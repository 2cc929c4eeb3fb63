"""How many connections there may be at once, and which of them has to go for another one."""

from __future__ import annotations

import contextlib
import socket
import threading


class Places:
    """So many places for connections; those that wait for their client can lose theirs.  For any thread.

    First to go is who has waited longest for its request to arrive, then who has taken longest to take its answer.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._guard = threading.Lock()
        self._waiting: dict[socket.socket, None] = {}
        """Connections whose request is awaited, in the order in which they came."""
        self._answered: set[socket.socket] = set()
        self._sending: dict[socket.socket, None] = {}
        """Connections that are taking their answer, in the order in which they began to."""

    def take(self, connection: socket.socket) -> bool:
        """Give a connection a place, if need be that of the one that waits longest; return whether it has one."""
        with self._guard:
            if len(self._waiting) + len(self._answered) + len(self._sending) >= self._size:
                slow = self._waiting or self._sending
                if not slow:
                    return False
                longest = next(iter(slow))
                del slow[longest]
                # Whoever reads from it or writes to it finds its end; the socket itself is closed there.
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

    def sending(self, connection: socket.socket) -> None:
        """Know that the answer is made, and that all that is awaited is who takes it."""
        with self._guard:
            if connection in self._answered:
                self._answered.discard(connection)
                self._sending[connection] = None

    def leave(self, connection: socket.socket) -> None:
        """Give the place back, if it was not lost before."""
        with self._guard:
            self._waiting.pop(connection, None)
            self._answered.discard(connection)
            self._sending.pop(connection, None)
