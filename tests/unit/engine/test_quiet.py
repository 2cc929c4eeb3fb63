"""A window closes when every origin has left it, or has been silent for long enough."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from streamqid.clock import ManualClock
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.engine.quiet import QUIET_SECONDS, Quiet
from streamqid.engine.schedule import Pace
from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from tests.unit.engine.test_state import SECONDS, whole_log
from tests.unit.engine.test_watch import Kept

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamqid.engine.events import Trouble
    from streamqid.records import Batch

ONE, OTHER = Origin("one"), Origin("other")


def test_an_origin_without_a_record_counts_after_a_while() -> None:
    clock = ManualClock()
    quiet = Quiet(clock)
    assert quiet.caught_up({ONE: 0, OTHER: 5}) == frozenset()
    clock.advance(QUIET_SECONDS)
    assert quiet.caught_up({ONE: 0, OTHER: 0}) == {ONE}
    quiet.delivered(ONE)
    assert quiet.caught_up({ONE: 0, OTHER: 0}) == frozenset()
    clock.advance(QUIET_SECONDS)
    assert quiet.caught_up({ONE: 3, OTHER: 0}) == {OTHER}, "what waits to be read is no silence"
    assert quiet.caught_up({}) == frozenset()


@dataclass
class Broker:
    """A live source that hands out batches in a given order, and in between lets time pass.

    It has heard of the end of an origin what it has handed out: that is the youngest it can know.
    """

    script: Sequence[Batch | float]
    clock: ManualClock
    heard: dict[Origin, int] = field(default_factory=dict)

    def batches(self) -> Iterator[Batch | None]:
        for step in self.script:
            if isinstance(step, float):
                self.clock.advance(step)
                yield None
            else:
                self.heard[step.origin] = 0
                yield step

    def lags(self) -> Mapping[Origin, int]:
        return self.heard

    def troubles(self) -> Sequence[Trouble]:
        return ()

    def commit(self, positions: Mapping[Origin, int]) -> None:
        pass


def judged(*script: Batch | float) -> list[tuple[int, int]]:
    """Return each window that was judged, with its rows; a window is ten seconds, one for each row."""
    published = PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, 0.9),))
    pace = Pace(solve_records=None, solve_seconds=None)
    stream = replace(
        SECONDS, capacity=Capacity(100), panes=PaneRule(10.0, "seconds"), key=None, published=(published,), pace=pace
    )
    clock = ManualClock()
    loop = Loop(stream, Broker(script, clock), MemoryStore(), Kept(), clock)
    loop.run()
    windows = loop.watch.history.series("p").windows
    return [(one.window.last_pane, one.rows) for one in windows]


def test_a_window_waits_for_the_partition_that_was_not_asked_lately() -> None:
    """Records of the other one have been written meanwhile: both are busy, and none of them is late."""
    one, other = whole_log(100, "one"), whole_log(100, "other")
    steps = one.batch(0, 8), other.batch(0, 8), 0.1, one.batch(8, 25), 0.1, other.batch(8, 25), 0.1, one.batch(25, 26)
    assert judged(*steps) == [(0, 20), (1, 20)]


def test_a_partition_that_is_silent_holds_no_window_open() -> None:
    one, other = whole_log(100, "one"), whole_log(100, "other")
    steps = one.batch(0, 8), other.batch(0, 8), 0.1, one.batch(8, 25)
    assert judged(*steps, 0.1, one.batch(25, 26)) == []
    assert judged(*steps, QUIET_SECONDS) == [(0, 18), (1, 10)], "no further record is needed"
