"""Documents on their way to a topic: which of them are sent, and in which order."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from streamqid.engine.published import Ledger, Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from streamqid.broker.mail import Message
    from streamqid.engine.documents import Recommendation

KEPT: Final = 16
"""Documents of a stream that may wait for a broker; one more supersedes the oldest."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Published:
    """What became of the documents so far; each counts in one place."""

    delivered: int = 0
    waiting: int = 0
    superseded: int = 0
    """Not sent, because newer ones of the stream came before a broker took them."""
    repeated: int = 0
    """Not sent, because the topic has them."""
    behind: int = 0
    """Not sent, because the topic has one of the stream that covers more."""
    refused: int = 0
    """Too large for the topic, or not allowed by it."""


class Outbox:
    """Documents that wait for a broker, and the ledger that decides which of them are sent; a ``Mail``.

    Of each stream one document is under way at a time, the oldest first.  Filled and counted from any thread.

    Parameters
    ----------
    read_back
        Notes in the ledger what the topic has of these streams; called before the first document of a stream is sent
        and whenever it is not known whether one has arrived.  What it raises is a failed attempt.
    """

    def __init__(self, read_back: Callable[[Collection[str], Ledger], None]) -> None:
        self._read_back = read_back
        self._ledger = Ledger()
        self._settled: set[str] = set()
        self._behind: set[str] = set()
        self._lock = threading.Lock()
        self._waiting: dict[str, deque[tuple[Recommendation, Message]]] = {}
        self._under_way: dict[bytes, tuple[Recommendation, Message]] = {}
        self._counts: Counter[str] = Counter()

    def put(self, document: Recommendation, message: Message) -> None:
        """Add the newest document of a stream, whose name is the key of the message."""
        with self._lock:
            self._waiting.setdefault(document.stream, deque()).append((document, message))
            self._supersede(document.stream)

    def counts(self) -> Published:
        """Return what became of the documents so far."""
        with self._lock:
            waiting = sum(map(len, self._waiting.values())) + len(self._under_way)
            return Published(waiting=waiting, **self._counts)

    def next(self) -> Sequence[Message]:
        """Return the oldest document of each stream that the topic does not have."""
        with self._lock:
            streams = {stream for stream, documents in self._waiting.items() if documents}
        if unsettled := streams - self._settled:
            self._read_back(unsettled, self._ledger)
            self._settled |= unsettled
        with self._lock:
            for stream in sorted(streams):
                self._send_oldest(stream)
            return [message for _, message in self._under_way.values()]

    def done(self, message: Message, *, arrived: bool) -> None:
        """Let go of a document."""
        with self._lock:
            document, _ = self._under_way.pop(message.key)
            self._counts["delivered" if arrived else "refused"] += 1
        if arrived:
            self._ledger.note(document)
            self._behind.discard(document.stream)

    def unsure(self) -> None:
        """Let what is under way wait again, and ask the topic before anything else is sent."""
        with self._lock:
            for document, message in self._under_way.values():
                self._waiting[document.stream].appendleft((document, message))
                self._supersede(document.stream)
            self._under_way.clear()
        self._settled.clear()

    def _supersede(self, stream: str) -> None:
        if len(self._waiting[stream]) > KEPT:
            self._waiting[stream].popleft()
            self._counts["superseded"] += 1

    def _send_oldest(self, stream: str) -> None:
        documents = self._waiting[stream]
        while documents:
            document, message = documents.popleft()
            standing = self._ledger.standing(document)
            if standing is Standing.NEWER:
                self._under_way[message.key] = (document, message)
                return
            self._counts[standing.value] += 1
            if standing is Standing.BEHIND and stream not in self._behind:
                self._behind.add(stream)
                log.warning(
                    "Recommendations of stream %s are held back until they cover all that was published before: "
                    "wait, or publish them on another topic if the stream was started anew on purpose.",
                    stream,
                )
