"""Posts alerts to an address, again and again until it takes them, on a thread of its own."""

from __future__ import annotations

import contextlib
import http.client
import logging
import queue
import threading
from collections import Counter
from time import monotonic as clock
from typing import TYPE_CHECKING, Final

from streamqid.engine.alerts import Alert, AlertStatus, Once
from streamqid.publish import definitions as d
from streamqid.publish.posting import post
from streamqid.publish.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from streamqid.publish.dead_alerts import DeadAlerts
    from streamqid.publish.posting import Target

WAITING: Final = 1_000
"""Alerts that may wait; one more goes to the dead letters at once."""
REMEMBERED: Final = 1_000
"""Ids of alerts that are not posted again."""
FIRST_PAUSE, LONGEST_PAUSE, REPEAT_SECONDS = 0.5, 30.0, 60.0
PASSING = {408, 425, 429}
"""Refusals that a later attempt may not meet; all others below 500 are final, and so is an address that has moved."""

log = logging.getLogger(__name__)


class Webhook:
    """Posts each alert once it is published; a ``Publisher``, whose methods may be called from any thread.

    Alerts are posted in their order, each until it was taken or the retries are used up; then it goes to the dead
    letters.  Alertmanager forgets an alert that is not repeated, so in its format those that fire are posted again
    every minute, also when it did not answer before.  An id that was posted is not posted again in this run.  Only an
    answer of 2xx says that an alert was taken: a redirect is not followed, since it may lead a token elsewhere.
    """

    def __init__(
        self,
        target: Target,
        dead: DeadAlerts,
        *,
        first_pause: float = FIRST_PAUSE,
        repeat_seconds: float = REPEAT_SECONDS,
    ) -> None:
        self._target, self._dead = target, dead
        self._pause, self._repeat = first_pause, repeat_seconds
        self._queue: queue.Queue[Alert] = queue.Queue(WAITING)
        self._once, self._buried = Once(REMEMBERED), Once(REMEMBERED)
        self._current: Alert | None = None
        self._firing: dict[tuple[str, str], Alert] = {}
        self._again_at = 0.0
        self._counts: Counter[str] = Counter(dict.fromkeys(("delivered", "dead"), 0))
        self._closing = threading.Event()
        self._ends_at: float | None = None
        self._thread = threading.Thread(target=self._run, name="webhook", daemon=True)
        self._thread.start()

    def publish(self, document: BaseModel) -> None:
        """Hand over an alert; other documents have no place here."""
        if not isinstance(document, Alert) or not self._once.first(document.id):
            return
        try:
            self._queue.put_nowait(document)
        except queue.Full:
            self._bury(document)

    def readings(self) -> Iterator[Reading]:
        """Yield how many alerts arrived, and how many did not."""
        for outcome, count in self._counts.items():
            yield Reading(d.WEBHOOK, (outcome,), count)

    def end(self, timeout: float) -> None:
        """Begin to make one more attempt for each alert that waits, for so many seconds at most; does not wait."""
        if self._ends_at is None:
            self._ends_at = clock() + timeout
        self._closing.set()

    def close(self, timeout: float) -> None:
        """End the thread as ``end`` says, unless that has begun.

        What is left then goes to the dead letters, also the alert that is just being posted and may still arrive.
        """
        self.end(timeout)
        self._thread.join(max(0.0, (self._ends_at or 0.0) - clock()))
        if self._thread.is_alive():
            for alert in (self._current, *self._waiting()):
                if alert is not None:
                    self._bury(alert)

    def _waiting(self) -> Iterator[Alert]:
        with contextlib.suppress(queue.Empty):
            while True:
                yield self._queue.get_nowait()

    def _run(self) -> None:
        while not (self._closing.is_set() and self._queue.empty()):
            try:
                alert = self._queue.get(timeout=0.05 if self._closing.is_set() else min(self._repeat, 0.2))
            except queue.Empty:
                self._post_again()
                continue
            self._current = alert
            self._deliver(alert)
            self._current = None

    def _deliver(self, alert: Alert) -> None:
        pause, attempts = self._pause, self._target.retries + 1
        self._firing.pop((alert.stream, alert.set), None)
        for attempt in range(1, attempts + 1):
            status = post(self._target, alert)
            if status is not None and status < http.client.MULTIPLE_CHOICES:
                self._counts["delivered"] += 1
                self._repeat_while_firing(alert)
                return
            if status is not None and status < http.client.INTERNAL_SERVER_ERROR and status not in PASSING:
                break
            if attempt == attempts or self._closing.wait(pause):
                self._repeat_while_firing(alert)
                break
            pause = min(2 * pause, LONGEST_PAUSE)
        self._bury(alert)

    def _bury(self, alert: Alert) -> None:
        if not self._buried.first(alert.id):
            return
        self._counts["dead"] += 1
        log.error("The webhook did not take the alert %s about set %s.", alert.id, alert.set)
        self._dead.add(alert)

    def _repeat_while_firing(self, alert: Alert) -> None:
        if alert.status is AlertStatus.FIRING and self._target.format == "alertmanager":
            self._firing[alert.stream, alert.set] = alert
            self._again_at = clock() + self._repeat

    def _post_again(self) -> None:
        if self._firing and not self._closing.is_set() and clock() >= self._again_at:
            self._again_at = clock() + self._repeat
            for alert in self._firing.values():
                post(self._target, alert)
