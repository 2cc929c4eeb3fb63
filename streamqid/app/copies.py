"""One copy of a stream, with what tells of its bad records and of what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from streamqid.app.sources import copy_source_of
from streamqid.broker.copier import Copier, CopyFrom
from streamqid.broker.dead_letters import DeadLetters
from streamqid.config.building import copy_name_of, copy_rule_of, format_of
from streamqid.copying.gate import Gate
from streamqid.engine.bad_records import NOT_BAD, BadRecords
from streamqid.publish.copies import CopyMetrics

if TYPE_CHECKING:
    from streamqid.broker.connect import Connection
    from streamqid.clock import Clock
    from streamqid.config import Config, StreamConfig
    from streamqid.config.copies import CopyConfig
    from streamqid.engine.inputs import Live
    from streamqid.records import Origin, Reject

FORGIVEN_SOLVES: Final = 2
"""A verdict is too old when no solve was answered for as long as so many may take."""


class RunningCopy:
    """Builds what one copy needs.  ``gate`` observes the loop of the stream; all else runs on other threads."""

    def __init__(
        self, config: Config, stream: StreamConfig, copy: CopyConfig, connection: Connection, clock: Clock, live: Live
    ) -> None:
        rule, settings = copy_rule_of(stream, copy), config.publish.dead_letters
        self.gate = Gate(rule, live, clock, FORGIVEN_SOLVES * config.solver.deadline)
        self._bad = BadRecords(share=settings.alarm_share)
        self._letters = None
        if settings.topic is not None:
            self._letters = DeadLetters(
                connection, settings.topic, stream.name, bad=self._bad, per_second=settings.per_second, clock=clock
            )
        what = CopyFrom(
            stream=stream.name,
            name=copy_name_of(config, stream, copy),
            topics=stream.topics,
            pattern=stream.pattern,
            format=format_of(stream.format),
            source=lambda: copy_source_of(stream, connection),
        )
        self._copier = Copier(connection, what, rule, self.gate, self._rejected)
        self.metrics = CopyMetrics(stream.name, rule.to, self._copier.progress)

    def start(self) -> None:
        """Begin to copy."""
        self._copier.start()

    def stop(self) -> None:
        """Ask it to commit what it has and end."""
        self._copier.stop()

    def join(self, timeout: float) -> bool:
        """Wait for its end; return whether it has come."""
        return self._copier.join(timeout)

    def end(self, timeout: float) -> None:
        """Begin to deliver the letters that wait."""
        if self._letters is not None:
            self._letters.end(timeout)

    def close(self, timeout: float) -> None:
        """Release everything."""
        self._copier.stop()
        if self._letters is not None:
            self._letters.close(timeout)

    def _rejected(self, origin: Origin, records: int, rejects: list[Reject]) -> None:
        bad = [reject for reject in rejects if reject.reason not in NOT_BAD]
        self._bad.count(origin, records, len(bad))
        if self._letters is not None:
            self._letters.rejected(origin, rejects)
            self._letters.summarise()
