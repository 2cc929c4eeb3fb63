"""What metrics read from outside the loop at scrape time: the source and the publishers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.engine.events import TroubleKind
from streamqid.publish import definitions as d
from streamqid.publish.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamqid.engine.inputs import Live


@dataclass(frozen=True, slots=True)
class Outside:
    """What is read at scrape time, from any thread; what a stream does not have is None and has no series."""

    live: Live | None = None
    dead_letters: Callable[[], int] | None = None
    """How many dead letters of this run were sent."""

    def readings(self, stream: str) -> Iterator[Reading]:
        """Yield what every series is now."""
        if self.live is not None:
            kinds = {trouble.kind for trouble in self.live.troubles()}
            for kind in TroubleKind:
                yield Reading(d.TROUBLE, (stream, str(kind)), float(kind in kinds))
            # A topic that was made anew has two logs of the same name for a while; the one further behind counts.
            lags: Counter[tuple[str, int]] = Counter()
            for origin, lag in self.live.lags().items():
                lags[origin.name, origin.partition] = max(lags[origin.name, origin.partition], lag)
            for (topic, partition), lag in lags.items():
                yield Reading(d.LAG, (stream, topic, str(partition)), lag)
        if self.dead_letters is not None:
            yield Reading(d.DEAD_LETTERS, (stream,), self.dead_letters())


@dataclass(frozen=True, slots=True)
class Deliveries:
    """What became of the recommendations of all streams, which share one topic; read from any thread."""

    delivered: Callable[[], int]
    """How many of this run were confirmed."""
    waiting: Callable[[], int]
    """How many wait to be confirmed."""

    def readings(self) -> Iterator[Reading]:
        """Yield what both series are now."""
        yield Reading(d.DELIVERED, (), self.delivered())
        yield Reading(d.WAITING, (), self.waiting())


@dataclass(frozen=True, slots=True)
class AlertMessages:
    """What became of the alerts and drift events of all streams, which share one topic; read from any thread."""

    delivered: Callable[[], int]
    """How many of this run were confirmed."""
    unsaid: Callable[[], int]
    """How many of this run found no place to wait."""
    waiting: Callable[[], int]
    """How many wait to be confirmed."""

    def readings(self) -> Iterator[Reading]:
        """Yield what every series is now."""
        yield Reading(d.ALERTS_SENT, ("delivered",), self.delivered())
        yield Reading(d.ALERTS_SENT, ("unsaid",), self.unsaid())
        yield Reading(d.ALERTS_WAITING, (), self.waiting())
