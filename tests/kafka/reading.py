"""Driving a source of topics to a condition, and what a state makes of it."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

from streamqid.broker.client import Fetching
from streamqid.broker.connect import Connection
from streamqid.broker.formats import Format
from streamqid.broker.source import KafkaSource
from streamqid.broker.times import TimeRule
from streamqid.engine.panes import PaneRule
from streamqid.engine.state import State
from streamqid.engine.stream import Stream
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamqid.engine.events import Trouble, TroubleKind
    from streamqid.records import Batch, Origin

SECONDS = 90.0


def source_of(bootstrap: str, *topics: str, records: int = 500, **options: Any) -> KafkaSource:
    """Return a source that polls and looks around often."""
    chosen: dict[str, Any] = {
        "format": Format(),
        "time": TimeRule("record"),
        "poll_seconds": 0.05,
        "metadata_seconds": 0.3,
        "fetching": Fetching(max_records=records),
    }
    if topics:
        chosen["topics"] = topics
    return KafkaSource(Connection((bootstrap,), bootstrap_timeout_seconds=3), **chosen | options)


def drive(source: KafkaSource, done: Callable[[], bool], apply: Callable[[Batch], object] | None = None) -> list[Batch]:
    """Read until the condition holds; return the batches."""
    found: list[Batch] = []
    deadline = time.monotonic() + SECONDS
    for batch in source.batches():
        if batch is not None:
            found.append(batch)
            if apply is not None:
                apply(batch)
        elif done():
            return found
        assert time.monotonic() < deadline, (source.lags(), source.troubles())
    raise AssertionError


def at_end(source: KafkaSource, partitions: int) -> Callable[[], bool]:
    """Say whether so many partitions were read to their end."""
    return lambda: len(source.lags()) == partitions and not any(source.lags().values())


def troubled(source: KafkaSource, kind: TroubleKind) -> Callable[[], bool]:
    """Say whether the source reports such a trouble."""
    return lambda: trouble_of(source, kind) is not None


def trouble_of(source: KafkaSource, kind: TroubleKind) -> Trouble | None:
    """Return the first trouble of this kind."""
    return next((trouble for trouble in source.troubles() if trouble.kind is kind), None)


def stream() -> Stream:
    """Return a stream whose samples are smaller than the logs of the tests, with panes by event time."""
    return Stream("test", Secret.from_seed(1), Capacity(60), panes=PaneRule(100, "seconds"), panes_kept=200)


def state_of(source: KafkaSource, partitions: int) -> State:
    """Return the state after all records, and close the source."""
    state = State(stream())
    with closing(source):
        drive(source, at_end(source, partitions), state.apply)
    return state


def records_of(batches: list[Batch]) -> list[tuple[int, int]]:
    """Return partition and offset of all records that were handed out, in order."""
    found = []
    for batch in batches:
        offsets: Any = batch.offsets()  # type: ignore[attr-defined]
        assert len(offsets) == batch.count
        found += [(batch.origin.partition, int(offset)) for offset in offsets]
    return found


def positions(batches: list[Batch]) -> Mapping[Origin, int]:
    """Return where each partition was read to; each batch must begin where the one before ended."""
    ends: dict[Origin, int] = {}
    for batch in batches:
        assert batch.start == ends.get(batch.origin, batch.start)
        ends[batch.origin] = batch.end
    return ends
