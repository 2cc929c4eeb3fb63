"""What a copy does, as readings of metrics."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.copying.progress import CopyState
from streamqid.publish import definitions as d
from streamqid.publish.readings import Reading

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.copying.progress import Progress


@dataclass(frozen=True, slots=True)
class CopyMetrics:
    """One copy of a stream; a ``Readable``."""

    stream: str
    to: str
    progress: Progress

    def readings(self) -> Iterator[Reading]:
        """Yield what every series is now."""
        labels = (self.stream, self.to)
        yield Reading(d.COPIED, labels, self.progress.copied)
        for reason, count in self.progress.dropped.items():
            yield Reading(d.COPY_DROPPED, (*labels, reason), count)
        for state in CopyState:
            yield Reading(d.COPY_STATE, (*labels, str(state)), float(self.progress.state is state))
        # A topic that was made anew has two logs of the same name for a while; the one further behind counts.
        lags: Counter[tuple[str, int]] = Counter()
        for origin, lag in self.progress.lags.items():
            lags[origin.name, origin.partition] = max(lags[origin.name, origin.partition], lag)
        for (topic, partition), lag in lags.items():
            yield Reading(d.COPY_LAG, (*labels, topic, str(partition)), lag)
