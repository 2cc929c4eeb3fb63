"""What waits to be sent to a topic."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

AT_ONCE: Final = 100
"""Messages of a queue that are under way at a time."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent."""

    key: bytes
    value: bytes
    headers: tuple[tuple[str, bytes], ...] = ()


class Mail(Protocol):
    """What waits to be sent.  Its methods are called on the courier's thread."""

    def next(self) -> Sequence[Message]:
        """Return what to send now, a bounded number, without letting go of it; empty when nothing waits.

        May ask the brokers something first; what the client raises then is a failed attempt.
        """
        ...

    def done(self, message: Message, *, arrived: bool) -> None:
        """Let go of a message, which arrived or will never be accepted."""
        ...

    def unsure(self) -> None:
        """Take note that what was returned last and is not done may have arrived or not."""
        ...


class Queue:
    """Messages in the order in which they came; a ``Mail``.  Filled by one thread, emptied by another."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._messages: deque[Message] = deque()
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def full(self) -> bool:
        """Whether nothing more should be put in."""
        return len(self._messages) >= self._size

    def put(self, message: Message) -> None:
        """Add a message."""
        with self._lock:
            self._messages.append(message)

    def next(self) -> Sequence[Message]:
        """Return the messages that wait longest."""
        with self._lock:
            return list(islice(self._messages, AT_ONCE))

    def done(self, message: Message, *, arrived: bool) -> None:
        """Let go of a message."""
        with self._lock:
            self._messages.remove(message)

    def unsure(self) -> None:
        """Keep all: a message that arrives twice has the same key."""
