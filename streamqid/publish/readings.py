"""Readings of metrics, and the form in which prometheus-client takes them.

The client's own Counter and Histogram add a series ``_created`` to each, which a process-wide switch alone can turn
off; and they cannot go on from a restored number.  Families that are built at each scrape do neither.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from streamqid.publish.definitions import DEFINITIONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from streamqid.measures.estimate import Estimate
    from streamqid.publish.definitions import Definition

Family = CounterMetricFamily | GaugeMetricFamily | HistogramMetricFamily

BUCKETS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 60.0, 120.0, 300.0)


@dataclass(frozen=True, slots=True)
class Durations:
    """How many durations fell between two bounds of ``BUCKETS``, and their sum; the last count is beyond all."""

    counts: tuple[int, ...] = (0,) * (len(BUCKETS) + 1)
    seconds: float = 0.0

    def plus(self, seconds: float) -> Durations:
        """Return these and one more."""
        place = bisect_left(BUCKETS, seconds)
        counts = tuple(count + (i == place) for i, count in enumerate(self.counts))
        return Durations(counts, self.seconds + seconds)


@dataclass(frozen=True, slots=True)
class Reading:
    """What one series of a metric is at the moment; ``labels`` are values in the order of the definition."""

    definition: Definition
    labels: tuple[str, ...]
    value: float | Durations


def bounds(definition: Definition, labels: tuple[str, ...], estimate: Estimate | None) -> Iterator[Reading]:
    """Yield the estimate and the bounds that the sample supports."""
    if estimate is None:
        return
    for bound, value in (("estimate", estimate.estimate), ("lower", estimate.lower), ("upper", estimate.upper)):
        if value is not None:
            yield Reading(definition, (*labels, bound), value)


def families(readings: Iterable[Reading]) -> list[Family]:
    """Return the readings as one family for each metric, in the order of the definitions."""
    found = {definition.name: family(definition) for definition in DEFINITIONS}
    for reading in readings:
        _add(found[reading.definition.name], reading)
    return [one for one in found.values() if one.samples]


def family(definition: Definition) -> Family:
    """Return a family without series."""
    name, sentence, labels = definition.name, definition.sentence, definition.labels
    if definition.kind == "counter":
        return CounterMetricFamily(name, sentence, labels=labels)
    if definition.kind == "histogram":
        return HistogramMetricFamily(name, sentence, labels=labels)
    return GaugeMetricFamily(name, sentence, labels=labels)


def _add(one: Family, reading: Reading) -> None:
    if isinstance(one, HistogramMetricFamily):
        if not isinstance(reading.value, Durations):
            msg = f"{reading.definition.name} takes durations"
            raise TypeError(msg)
        bounds = [*map(str, BUCKETS), "+Inf"]
        buckets = list(zip(bounds, map(float, accumulate(reading.value.counts)), strict=True))
        one.add_metric(reading.labels, buckets, reading.value.seconds)
    elif not isinstance(reading.value, Durations):
        one.add_metric(reading.labels, reading.value)
    else:
        msg = f"{reading.definition.name} takes a number"
        raise TypeError(msg)
