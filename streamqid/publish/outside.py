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

    from streamqid.engine.ports import Live


@dataclass(frozen=True, slots=True)
class Outside:
    """What is read at scrape time, from any thread; what a stream does not have is None and has no series."""

    live: Live | None = None
    delivered: Callable[[], int] | None = None
    """How many recommendations of this run were confirmed."""
    waiting: Callable[[], int] | None = None
    """How many recommendations wait to be confirmed."""
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
        for definition, read in (
            (d.DELIVERED, self.delivered),
            (d.WAITING, self.waiting),
            (d.DEAD_LETTERS, self.dead_letters),
        ):
            if read is not None:
                yield Reading(definition, (stream,), read())
