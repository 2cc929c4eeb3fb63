"""Takes messages to a topic on a thread of its own, again and again until they have arrived.

Whoever has something to say puts it into the mail and wakes the courier; nobody waits for a broker.  A message leaves
its mail only when all replicas in sync have it.  After any failure the courier begins with a new producer: an old one
may be wedged, or may have lost count of what it sent.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from kafka.errors import KafkaError, KafkaTimeoutError

from streamqid.broker.producing import PATIENCE_SECONDS, discard, new_producer
from streamqid.broker.refusals import HOPELESS, refusal, trouble
from streamqid.engine.events import TroubleKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.broker.connect import Connection
    from streamqid.broker.mail import Mail, Message
    from streamqid.engine.events import Trouble

DELIVERY_SECONDS: Final = 60.0
"""The producer itself tries so long; half as long again and it is given up as wedged."""
FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 5.0

log = logging.getLogger(__name__)


class Courier:
    """Delivers one mail to one topic.  ``wake``, ``troubles`` and the counters may be used from any thread.

    Mail that is rare makes it ``look`` at the start whether the topic is there: when it matters is too late.
    """

    def __init__(
        self,
        connection: Connection,
        topic: str,
        mail: Mail,
        *,
        delivery_seconds: float = DELIVERY_SECONDS,
        look: bool = False,
    ) -> None:
        self._connection, self._topic, self._mail = connection, topic, mail
        self._look = look
        self._delivery_seconds = delivery_seconds
        self._producer: Any = None
        self._singly = False
        self._woken = threading.Event()
        self._ends_at: float | None = None
        self._trouble: Trouble | None = None
        self.delivered = 0
        """Messages that have arrived."""
        self.failed = 0
        """Attempts that failed; what they were to deliver is tried again unless no broker will ever accept it."""
        self._thread = threading.Thread(target=self._run, name=f"courier-{topic}", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Say that there is mail."""
        self._woken.set()

    def troubles(self) -> Sequence[Trouble]:
        """Return what keeps mail from arriving; empty when all is well."""
        trouble = self._trouble
        return () if trouble is None else (trouble,)

    def end(self, timeout: float) -> None:
        """Deliver what waits, for so many seconds at most, and then end; does not wait for it."""
        if self._ends_at is None:
            self._ends_at = time.monotonic() + timeout
        self._woken.set()

    def close(self, timeout: float) -> None:
        """Deliver what waits, for so many seconds at most, and end the thread; what is left is lost."""
        self.end(timeout)
        self._thread.join(max(0.0, self._seconds_left()) + 1.0)

    def _run(self) -> None:
        pause = FIRST_PAUSE
        if self._look:
            self._look_at_the_topic()
        while True:
            self._woken.clear()
            # Read before the mail: whoever puts something in and then closes finds it delivered.
            closing = self._ends_at is not None
            try:
                messages = self._mail.next()
                self._deliver(messages)
            except Exception as error:
                self._give_up(error)
                if self._seconds_left() <= 0:
                    break
                self._rest(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                continue
            pause = FIRST_PAUSE
            if not messages:
                if closing:
                    break
                self._woken.wait()
        self._let_go()

    def _look_at_the_topic(self) -> None:
        """Say if messages could not be sent; brokers that do not answer are told by whoever reads from them."""
        try:
            self._producer = new_producer(self._connection, self._topic, self._delivery_seconds)
        except Exception as error:
            found = trouble(self._topic, error)
            if found.kind is not TroubleKind.UNREACHABLE:
                self._report(found)
        self._let_go()

    def _deliver(self, messages: Sequence[Message]) -> None:
        """Send messages together; if one of them is refused, all that have not arrived are sent one by one."""
        groups = [[message] for message in messages] if self._singly else [messages]
        for group in groups:
            try:
                self._send_together(group)
            except HOPELESS as error:
                # A refusal ends the producer, and with it what else it was to send.
                self._let_go()
                if len(group) > 1:
                    self._singly = True
                    self._mail.unsure()
                    return
                self._refused(group[0], error)
        self._singly = False
        if messages:
            self._report(None)

    def _send_together(self, messages: Sequence[Message]) -> None:
        if not messages:
            return
        if self._producer is None:
            self._producer = new_producer(self._connection, self._topic, self._delivery_seconds)
        deadline = time.monotonic() + 1.5 * self._delivery_seconds
        for message, sent in [(message, self._send(message)) for message in messages]:
            self._wait(sent, deadline)
            self.delivered += 1
            self._mail.done(message, arrived=True)

    def _refused(self, message: Message, error: Exception) -> None:
        self.failed += 1
        log.error("%s", refusal(self._topic, error, len(message.value)))
        self._mail.done(message, arrived=False)

    def _send(self, message: Message) -> Any:
        return self._producer.send(self._topic, message.value, message.key, list(message.headers))

    def _wait(self, sent: Any, deadline: float) -> None:
        """Wait until a send has ended, in short steps, so that closing need not wait for it."""
        silent_at = time.monotonic() + PATIENCE_SECONDS
        while not sent.is_done:
            now = time.monotonic()
            if now >= deadline or self._seconds_left() <= 0:
                raise KafkaTimeoutError("a send did not end")
            if now >= silent_at:
                self._report(trouble(self._topic, KafkaTimeoutError()))
            try:
                sent.get(timeout=0.1)
            except KafkaError:
                continue
        if sent.failed():
            raise sent.exception

    def _give_up(self, error: Exception) -> None:
        self.failed += 1
        self._let_go()
        self._mail.unsure()
        self._report(trouble(self._topic, error))

    def _let_go(self) -> None:
        if self._producer is not None:
            discard(self._producer)
            self._producer = None

    def _report(self, now: Trouble | None) -> None:
        """Remember a trouble, and log it if it is of another kind than before."""
        before, self._trouble = self._trouble, now
        if now is not None and (before is None or now.kind is not before.kind):
            log.warning("%s", now.sentence)
        elif now is None and before is not None:
            log.info("Messages arrive in the topic %s again.", self._topic)

    def _rest(self, seconds: float) -> None:
        """Wait before the next attempt; closing ends it."""
        until = time.monotonic() + seconds
        while (left := min(until - time.monotonic(), self._seconds_left())) > 0:
            time.sleep(min(left, 0.1))

    def _seconds_left(self) -> float:
        return float("inf") if self._ends_at is None else self._ends_at - time.monotonic()
