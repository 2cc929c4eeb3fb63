"""Sends pointers to bad records to a topic, without holding up the loop and without flooding the topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamqid.broker.delivery import Courier
from streamqid.broker.letters import Letters
from streamqid.broker.mail import Queue
from streamqid.clock import SystemClock
from streamqid.engine.observers import Silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.broker.connect import Connection
    from streamqid.clock import Clock
    from streamqid.engine.bad_records import BadRecords
    from streamqid.engine.events import Trouble
    from streamqid.engine.state import State
    from streamqid.records import Origin, Reject

WAITING: Final = 1_000
"""Messages that may wait for a broker; more are left unsaid."""


class DeadLetters(Silent):
    """Tells a topic of each record that could not be read: where it stands and why; an ``Observer``.

    Each pointer arrives at least once, under a key that names the record.  Beyond ``per_second``, while too many
    records of an origin are bad, and while the brokers do not take what waits, there are counts instead.

    Parameters
    ----------
    bad
        Knows which origins have too many bad records; is told of each batch by the loop, not from here.
    """

    def __init__(
        self,
        connection: Connection,
        topic: str,
        stream: str,
        *,
        bad: BadRecords,
        per_second: float = 10.0,
        clock: Clock | None = None,
    ) -> None:
        self._bad = bad
        self._letters = Letters(stream, clock or SystemClock(), per_second=per_second)
        self._queue = Queue(WAITING)
        self._courier = Courier(connection, topic, self._queue, look=True)
        self.unsaid = 0
        """Bad records for which there is no pointer."""

    @property
    def delivered(self) -> int:
        """Messages that have arrived."""
        return self._courier.delivered

    @property
    def waiting(self) -> int:
        """Messages that have not arrived yet."""
        return len(self._queue)

    def troubles(self) -> Sequence[Trouble]:
        """Return what keeps messages from arriving.  May be called from any thread."""
        return self._courier.troubles()

    def rejected(self, origin: Origin, rejects: Sequence[Reject]) -> None:
        """Send a pointer for each record, or count it."""
        for reject in rejects:
            allowed = not self._bad.too_many(origin) and not self._queue.full
            message = self._letters.pointer(origin, reject) if allowed else None
            if message is None:
                self.unsaid += 1
                self._letters.leave_unsaid(origin, reject)
            else:
                self._queue.put(message)
        self._courier.wake()

    def turned(self, state: State) -> None:
        """Send the summaries that are due."""
        self.summarise()

    def summarise(self) -> None:
        """Send the summaries that are due."""
        self._summarise(at_once=False)

    def end(self, timeout: float) -> None:
        """Begin to send what there is, for so many seconds at most; nothing is told from here on."""
        self._summarise(at_once=True)
        self._courier.end(timeout)

    def close(self, timeout: float) -> None:
        """Send what there is, for so many seconds at most."""
        self._summarise(at_once=True)
        self._courier.close(timeout)

    def _summarise(self, *, at_once: bool) -> None:
        if not self._queue.full and (messages := self._letters.summaries(at_once=at_once)):
            for message in messages:
                self._queue.put(message)
            self._courier.wake()
