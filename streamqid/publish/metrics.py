"""The metrics of the service: one observer for each stream, and the collector that reads them at each scrape."""

from __future__ import annotations

import platform
import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol, get_args

from prometheus_client.process_collector import ProcessCollector
from prometheus_client.registry import Collector

from streamqid.engine.alerts import Alert, AlertStatus, KeyChange, SchemaChange
from streamqid.engine.events import Outcome
from streamqid.engine.observers import Silent
from streamqid.publish import definitions as d
from streamqid.publish.answers import answers
from streamqid.publish.published_sets import history_readings
from streamqid.publish.readings import Durations, Reading, families, family
from streamqid.records import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from prometheus_client import CollectorRegistry
    from prometheus_client.core import Metric

    from streamqid.engine.alerts import DriftEvent
    from streamqid.engine.events import Applied, Solved
    from streamqid.engine.history import History
    from streamqid.engine.state import State
    from streamqid.engine.stream import Stream
    from streamqid.errors import StateError
    from streamqid.publish.definitions import Definition
    from streamqid.publish.outside import Outside
    from streamqid.records import Batch, Origin, Reject

SAVED, FAILED = "saved", "failed"


class StreamMetrics(Silent):
    """Takes note of what one stream does.

    The loop's thread writes numbers and immutable values, or into mappings whose keys are all there from the
    start; so another thread may read at any time without a lock.
    """

    def __init__(self, stream: Stream, outside: Outside, *, now: Callable[[], float] = time.time) -> None:
        self._stream = stream
        self._outside = outside
        self._now = now
        counted = (d.BYTES, d.DUPLICATES, d.OUTSIDE, d.LATE, d.LOOKED_AT, d.TURNS, d.RECOMMENDATIONS)
        self._counts: Counter[Definition] = Counter(dict.fromkeys(counted, 0))
        self._bad = Counter(dict.fromkeys(map(str, Reason), 0))
        self._outcomes = Counter(dict.fromkeys(map(str, Outcome), 0))
        self._checkpoints = Counter({SAVED: 0, FAILED: 0})
        self._records: int | None = None
        self._solve_seconds = self._checkpoint_seconds = Durations()
        self._solve: tuple[Reading, ...] = ()
        self._checkpoint: tuple[Reading, ...] = ()
        self._sample: tuple[Reading, ...] = ()
        self._history: tuple[Reading, ...] = ()
        sets = [(one.name, str(status)) for one in stream.published for status in AlertStatus]
        self._alerts: Counter[tuple[str, str]] = Counter(dict.fromkeys(sets, 0))
        self._drift: Counter[str] = Counter(dict.fromkeys((*get_args(KeyChange), *get_args(SchemaChange)), 0))
        self._sample_is_old = False

    def restored(self, state: State, *, saved: bool) -> None:
        """Go on from the restored number of records."""
        self._records = state.records
        self._measure_sample(state)

    def turned(self, state: State) -> None:
        """Count the turn."""
        self._counts[d.TURNS] += 1
        self._records = state.records
        if self._sample_is_old:
            self._measure_sample(state)

    def applied(self, batch: Batch, applied: Applied) -> None:
        """Count what became of a batch."""
        counts = self._counts
        counts[d.BYTES] += batch.nbytes
        counts[d.DUPLICATES] += applied.duplicates
        counts[d.OUTSIDE] += applied.outside
        counts[d.LATE] += applied.late
        counts[d.LOOKED_AT] += applied.looked_at

    def rejected(self, origin: Origin, rejects: Sequence[Reject]) -> None:
        """Count bad records by reason."""
        for reject in rejects:
            self._bad[str(reject.reason)] += 1

    def solved(self, solved: Solved) -> None:
        """Keep the numbers of the answers."""
        self._outcomes[str(solved.outcome)] += 1
        self._solve_seconds = self._solve_seconds.plus(solved.seconds)
        if solved.recommendation is not None:
            self._counts[d.RECOMMENDATIONS] += 1
            found = answers(solved.recommendation, self._stream)
            self._solve = (Reading(d.SOLVED_AT, (self._stream.name,), self._now()), *found)
            self._sample_is_old = True

    def watched(self, history: History, news: Sequence[Alert | DriftEvent]) -> None:
        """Keep where the published sets stand, and count what was told."""
        self._history = tuple(history_readings(self._stream, history))
        for one in news:
            if isinstance(one, Alert):
                # A set that is no longer published may still have an alert to be withdrawn.
                if (one.set, str(one.status)) in self._alerts:
                    self._alerts[one.set, str(one.status)] += 1
            elif one.change in self._drift:
                self._drift[one.change] += 1

    def saved(self, nbytes: int, seconds: float) -> None:
        """Keep size and time of the snapshot."""
        labels = (self._stream.name,)
        self._checkpoints[SAVED] += 1
        self._checkpoint_seconds = self._checkpoint_seconds.plus(seconds)
        self._checkpoint = (
            Reading(d.CHECKPOINT_AT, labels, self._now()),
            Reading(d.CHECKPOINT_BYTES, labels, nbytes),
        )

    def not_saved(self, error: StateError) -> None:
        """Count the failure."""
        self._checkpoints[FAILED] += 1

    def readings(self) -> Iterator[Reading]:
        """Yield what every series of the stream is now.  Called from any thread."""
        labels = (self._stream.name,)
        if self._records is not None:
            yield Reading(d.RECORDS, labels, self._records)
        for definition, count in self._counts.items():
            yield Reading(definition, labels, count)
        for definition, counter in (
            (d.BAD, self._bad),
            (d.CHECKPOINTS, self._checkpoints),
            (d.SOLVES, self._outcomes),
        ):
            for word, count in counter.items():
                yield Reading(definition, (*labels, word), count)
        yield Reading(d.SOLVE_SECONDS, labels, self._solve_seconds)
        yield Reading(d.CHECKPOINT_SECONDS, labels, self._checkpoint_seconds)
        for change, count in self._drift.items():
            kind = d.KEY_CHANGES if change in get_args(KeyChange) else d.SCHEMA_EVENTS
            yield Reading(kind, (*labels, change), count)
        for (name, status), count in self._alerts.items():
            yield Reading(d.ALERTS, (*labels, name, status), count)
        yield from (*self._solve, *self._checkpoint, *self._sample, *self._history)
        yield from self._outside.readings(self._stream.name)

    def _measure_sample(self, state: State) -> None:
        """Count the sample's rows; as much work as a copy of the sample, so only after each solve."""
        name, k = self._stream.name, state.landmark.capacity.k(state.records)
        kept = {sample: held.retained(state.records).valid[:k] for sample, held in state.landmark.samples.items()}
        rows = (Reading(d.SAMPLE_ROWS, (name, sample), int(valid.sum())) for sample, valid in kept.items())
        self._sample = (*rows, Reading(d.SAMPLE_TARGET, (name,), k))
        self._sample_is_old = False


class Readable(Protocol):
    """What is read at each scrape, from any thread."""

    def readings(self) -> Iterator[Reading]:
        """Yield what every series is now."""
        ...


class Metrics(Collector):
    """All metrics of the process, in the registry that is given; the process's own are among them."""

    def __init__(self, registry: CollectorRegistry, version: str) -> None:
        self._build = Reading(d.BUILD_INFO, (version, platform.python_version()), 1)
        self._watched: tuple[Readable, ...] = ()
        registry.register(self)
        ProcessCollector(registry=registry)

    def watch(self, one: Readable) -> None:
        """Read one stream, or one output, more at each scrape."""
        self._watched = (*self._watched, one)

    def describe(self) -> list[Metric]:
        """Return the families without series, by which the registry knows the names that are taken."""
        return [family(definition) for definition in d.DEFINITIONS]

    def collect(self) -> list[Metric]:
        """Read everything once."""
        return [*families([self._build, *(one for watched in self._watched for one in watched.readings())])]
