"""The state is a function of the log: batches, deliveries and crashes leave no trace in its bytes."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.engine.counting import Counting
from streamqid.engine.events import Applied
from streamqid.engine.panes import PaneRule
from streamqid.engine.parts import after
from streamqid.engine.projection import Projection
from streamqid.engine.state import State, restore
from streamqid.engine.stream import Stream
from streamqid.errors import MergeError, StateError, UsageError
from streamqid.records import ABSENT, Origin, Reason, Reject, Rows
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from streamqid.sampling.snapshot import pack

if TYPE_CHECKING:
    from numpy.typing import NDArray

SECRET = Secret.from_seed(7)
SECONDS = Stream("s", SECRET, Capacity(6, 0.5), panes=PaneRule(10.0, "seconds"), panes_kept=3)
RECORDS = replace(SECONDS, panes=PaneRule(16, "records"))
COUNTED = replace(SECONDS, counting=Counting((("a", "b"), ("late",)), groups=3), max_columns=2)
ALONE = replace(RECORDS, missing=MissingRule.DISTINCT, counting=Counting((("b", "late"),), groups=5))


@dataclass(frozen=True)
class Log:
    """A log in memory: offset to row, to the reason why it cannot be read, or to nothing (a gap)."""

    origin: Origin
    records: dict[int, dict[str, object] | Reason]
    times: NDArray[np.float64]

    def batch(self, start: int, end: int) -> Slice:
        return Slice(self, start, end)


@dataclass(frozen=True)
class Slice:
    log: Log
    start: int
    end: int

    @property
    def origin(self) -> Origin:
        return self.log.origin

    @property
    def count(self) -> int:
        return sum(offset in self.log.records for offset in range(self.start, self.end))

    @property
    def nbytes(self) -> int:
        return self.count

    def event_time(self, offsets: NDArray[np.int64]) -> NDArray[np.float64]:
        return self.log.times[offsets]

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        inside = [o for o in offsets.tolist() if self.start <= o < self.end and o in self.log.records]
        good = {o: r for o in inside if isinstance(r := self.log.records[o], dict)}
        columns = tuple(sorted({c for row in good.values() for c in row}))
        values = [[row.get(c, ABSENT) for row in good.values()] for c in columns]
        rejects = [Reject(o, r) for o in inside if isinstance(r := self.log.records[o], Reason)]
        return Rows(np.array(list(good), np.int64), columns, values, rejects)


def whole_log(size: int, name: str = "log", gaps: tuple[int, ...] = ()) -> Log:
    rows: dict[int, dict[str, object] | Reason] = {i: {"a": i % 7, "b": i} for i in range(size) if i not in gaps}
    return Log(Origin(name), rows, np.arange(size, dtype=np.float64))


@st.composite
def logs(draw: st.DrawFn, name: str) -> Log:
    """Logs with gaps, unreadable records, a late column, and event times in any order or missing."""
    kinds = draw(st.lists(st.sampled_from(["row", "row", "row", "new", "bad", "gap"]), min_size=1, max_size=90))
    late = st.one_of(st.floats(-30, 30), st.just(np.nan), st.just(1e300))
    jitter = draw(st.lists(late, min_size=len(kinds), max_size=len(kinds)))
    rows: dict[int, dict[str, object] | Reason] = {}
    for offset, kind in enumerate(kinds):
        if kind == "bad":
            rows[offset] = Reason.NOT_JSON
        elif kind != "gap":
            rows[offset] = {"a": offset % 5, "b": str(offset % 3)} | ({"late": 1} if kind == "new" else {})
    return Log(Origin(name), rows, np.arange(len(kinds)) + np.array(jitter))


def size_of(log: Log) -> int:
    return len(log.times)


@dataclass
class Delivery:
    """Delivers a log in batches of any size, from wherever it is told to."""

    log: Log
    pointer: int = 0

    def deliver(self, state: State, size: int) -> None:
        end = min(self.pointer + size, size_of(self.log))
        if end > self.pointer:
            state.apply(self.log.batch(self.pointer, end))
            self.pointer = end


EVENTS = st.lists(
    st.one_of(
        st.tuples(st.just("batch"), st.integers(0, 1), st.integers(1, 40)),
        st.tuples(st.just("save"), st.just(0), st.just(0)),
        st.tuples(st.just("crash"), st.just(0), st.integers(0, 60)),
    ),
    max_size=25,
)


@pytest.mark.parametrize(
    "stream", [SECONDS, RECORDS, COUNTED, ALONE], ids=["seconds", "records", "counted", "missing values differ"]
)
@given(data=st.data(), events=EVENTS)
def test_any_batches_and_any_crashes_give_the_same_bytes(
    stream: Stream, data: st.DataObject, events: list[tuple[str, int, int]]
) -> None:
    pair = [data.draw(logs(name)) for name in ("x", "y")]
    straight = State(stream)
    for log in pair:
        straight.apply(log.batch(0, size_of(log)))

    state, saved, deliveries = State(stream), None, [Delivery(log) for log in pair]
    for what, which, number in events:
        if what == "batch":
            deliveries[which].deliver(state, number)
        elif what == "save":
            saved = state.to_bytes()
        else:  # some records before the position are sent again, with other batches
            state = State(stream) if saved is None else restore(saved, stream)
            offsets = state.next_offsets()
            for delivery in deliveries:
                delivery.pointer = max(0, offsets.get(delivery.log.origin, 0) - number)
    for delivery in deliveries[::-1]:
        delivery.deliver(state, 1000)
    assert state.to_bytes() == straight.to_bytes()
    assert state.digest() == straight.digest()


def test_a_batch_that_was_counted_is_dropped() -> None:
    log, state = whole_log(60), State(RECORDS)
    state.apply(log.batch(0, 50))
    before = state.to_bytes()
    assert state.apply(log.batch(0, 50)) == Applied(duplicates=50)
    assert state.apply(log.batch(20, 30)) == Applied(duplicates=10)
    assert state.to_bytes() == before


@pytest.mark.parametrize("gaps", [(), (3, 41, 55)])
def test_a_batch_that_overlaps_counts_from_the_position_on(gaps: tuple[int, ...]) -> None:
    log, once, twice = whole_log(60, gaps=gaps), State(RECORDS), State(RECORDS)
    once.apply(log.batch(0, 60))
    twice.apply(log.batch(0, 45))
    applied = twice.apply(log.batch(30, 60))
    assert applied.duplicates == 15 - (41 in gaps)
    assert twice.records == 60 - len(gaps)
    assert twice.to_bytes() == once.to_bytes()


def test_gaps_are_counted_whether_inside_batches_or_between_them() -> None:
    log = whole_log(60, gaps=tuple(range(20, 30)))
    inside, between = State(RECORDS), State(RECORDS)
    inside.apply(log.batch(0, 60))
    between.apply(log.batch(0, 20))
    between.apply(log.batch(30, 60))
    assert inside.skipped == between.skipped == 10
    assert inside.to_bytes() == between.to_bytes()


def test_every_pane_is_the_sampler_of_its_records() -> None:
    log, state = whole_log(100), State(RECORDS)
    state.apply(log.batch(0, 100))
    assert list(state.panes) == [4, 5, 6]
    alone = State(RECORDS)
    alone.apply(log.batch(80, 96))
    assert state.panes.held(5).to_bytes() == alone.landmark.to_bytes()


def test_a_pane_closes_when_the_slowest_origin_has_left_it() -> None:
    fast, slow, state = whole_log(100, "fast"), whole_log(100, "slow"), State(SECONDS)
    assert not state.apply(fast.batch(0, 5)).closed
    assert not state.apply(slow.batch(0, 5)).closed
    assert not state.apply(fast.batch(5, 35)).closed
    assert state.closed_before() == 0
    assert state.apply(slow.batch(5, 15)).closed
    assert state.closed_before() == 1


def test_an_origin_that_appears_late_and_lies_behind_closes_nothing() -> None:
    ahead, behind, state = whole_log(100, "ahead"), whole_log(100, "behind"), State(SECONDS)
    state.apply(ahead.batch(0, 35))
    assert not state.apply(behind.batch(0, 5)).closed
    assert state.closed_before() == 0


def test_nothing_closes_while_nothing_has_come_of_an_origin_that_is_to_be_read() -> None:
    ahead, to_come, state = whole_log(100, "ahead"), whole_log(100, "to come"), State(SECONDS)
    state.unread = frozenset({Origin("ahead"), Origin("to come")})
    assert not state.apply(ahead.batch(0, 35)).closed
    assert state.closed_before() is None
    state.apply(to_come.batch(0, 15))
    assert state.closed_before() == 1


def test_panes_close_with_the_one_batch_that_was_awaited() -> None:
    ahead, to_come, state = whole_log(100, "ahead"), whole_log(100, "to come"), State(SECONDS)
    state.unread = frozenset({Origin("to come")})
    assert not state.apply(ahead.batch(0, 25)).closed
    assert state.apply(to_come.batch(0, 25)).closed
    assert state.closed_before() == 2


def test_a_part_weighs_its_share() -> None:
    part = after(whole_log(60).batch(0, 60), 45)
    assert part is not None
    assert (part.start, part.end, part.count, part.nbytes) == (45, 60, 15, 15)


def test_records_of_a_dropped_pane_or_without_a_time_join_the_landmark_only() -> None:
    log, state = whole_log(100), State(SECONDS)
    log.times[50:55] = np.nan
    log.times[98:] = 1.0
    state.apply(log.batch(0, 98))
    assert state.apply(log.batch(98, 100)).outside == 2
    assert state.records == 100
    assert State(SECONDS).apply(log.batch(50, 60)).outside == 5


def test_records_of_a_pane_that_has_closed_are_told_apart() -> None:
    log, state = whole_log(100), State(SECONDS)
    log.times[60:62] = log.times[40]
    assert state.apply(log.batch(0, 60)).late == 0
    applied = state.apply(log.batch(60, 65))
    assert (applied.fresh, applied.late, applied.outside) == (5, 2, 0)


def test_a_width_in_seconds_needs_event_times() -> None:
    @dataclass(frozen=True)
    class Untimed:
        origin = Origin("plain")
        start = 0
        end = 2
        count = 2
        nbytes = 2

        def decode(self, offsets: NDArray[np.int64]) -> Rows:
            return Rows(offsets, ("a",), [[1] * len(offsets)])

    state = State(SECONDS)
    with pytest.raises(UsageError, match="width of a pane in records"):
        state.apply(Untimed())
    assert state.records == 0
    assert State(RECORDS).apply(Untimed()) == Applied(fresh=2, looked_at=2)


def test_what_could_not_be_read_is_counted_once() -> None:
    log, state = whole_log(20), State(RECORDS)
    log.records[3] = Reason.NOT_JSON
    state.apply(log.batch(0, 20))
    found = state.unreadable()
    assert (found.found, found.reasons) == (1, {"not valid JSON": 1})


def saved_state() -> bytes:
    state = State(RECORDS)
    state.apply(whole_log(50).batch(0, 50))
    return state.to_bytes()


@pytest.mark.parametrize(
    "other",
    [
        replace(RECORDS, name="t"),
        replace(RECORDS, capacity=Capacity(7)),
        replace(RECORDS, missing=MissingRule.EQUAL),
        replace(RECORDS, markers=("?",)),
        replace(RECORDS, event_time=("record",)),
        replace(RECORDS, projection=Projection(ignore=["a"])),
        SECONDS,
    ],
)
def test_state_of_another_configuration_is_refused(other: Stream) -> None:
    with pytest.raises(StateError, match="restore that configuration"):
        restore(saved_state(), other)


def test_state_of_another_secret_or_another_kind_is_refused() -> None:
    with pytest.raises(MergeError, match="secret"):
        restore(saved_state(), replace(RECORDS, secret=Secret.from_seed(8)))
    for other in (Sampler(SECRET, Capacity(5)).to_bytes(), pack({}, [])):
        with pytest.raises(StateError, match="not the state of a stream"):
            restore(other, RECORDS)


def test_fewer_panes_may_be_kept_after_a_restart() -> None:
    state = restore(saved_state(), replace(RECORDS, panes_kept=2))
    assert list(state.panes) == [2, 3]


def test_no_value_is_in_the_state_or_in_the_log_messages(caplog: pytest.LogCaptureFixture) -> None:
    canary = "canary-4711-Müller"
    records: dict[int, dict[str, object] | Reason] = {i: {"name": canary, "n": 10**15 + i} for i in range(40)}
    state = State(RECORDS)
    with caplog.at_level(logging.DEBUG):
        state.apply(Log(Origin("x"), records, np.zeros(40)).batch(0, 40))
        data = state.to_bytes()
    assert b"name" in data
    for trace in (canary.encode(), b"4711", str(10**15).encode(), (10**15).to_bytes(8, "little")):
        assert trace not in data
    assert not caplog.records
