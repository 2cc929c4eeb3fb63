"""The newest recommendations of each stream, for whoever asks over HTTP."""

from __future__ import annotations

import threading
from collections import deque
from typing import TYPE_CHECKING

from streamqid.engine.documents import Recommendation

if TYPE_CHECKING:
    from pydantic import BaseModel

HISTORY = 100


class Board:
    """Holds the newest ``history`` recommendations of each stream.  A ``Publisher``; all methods from any thread.

    A recommendation with the id of the newest one takes its place.
    """

    def __init__(self, history: int = HISTORY) -> None:
        self._history = history
        self._lock = threading.Lock()
        self._streams: dict[str, deque[Recommendation]] = {}

    def publish(self, document: BaseModel) -> None:
        """Put up a recommendation; other documents have no place here."""
        if isinstance(document, Recommendation):
            self.put(document)

    def put(self, recommendation: Recommendation) -> None:
        """Make this the newest recommendation of its stream."""
        with self._lock:
            held = self._streams.setdefault(recommendation.stream, deque(maxlen=self._history))
            if held and held[0].id == recommendation.id:
                held.popleft()
            held.appendleft(recommendation)

    def latest(self, stream: str) -> Recommendation | None:
        """Return the newest recommendation of a stream; None when there is none yet."""
        return next(iter(self.history(stream)), None)

    def history(self, stream: str) -> tuple[Recommendation, ...]:
        """Return those that are held, newest first."""
        with self._lock:
            return tuple(self._streams.get(stream, ()))
