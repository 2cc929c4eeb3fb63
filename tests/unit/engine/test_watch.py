"""Windows judged once, whatever crashes; what the history tells, and what it does not hold."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.clock import ManualClock
from streamqid.engine.alerts import Alert, AlertStatus, DriftEvent, Subject
from streamqid.engine.directory import DirectoryStore
from streamqid.engine.documents import VerdictState
from streamqid.engine.drift import WindowAnswer, drifted
from streamqid.engine.events import Outcome, Solved
from streamqid.engine.history import KEPT, History
from streamqid.engine.history_file import HistoryFile
from streamqid.engine.judge import judge
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import AskKey, Limit, PublishedSet, Quantity
from streamqid.engine.recording import begun, recorded
from streamqid.engine.schedule import Pace
from streamqid.engine.solver import InlineSolver
from streamqid.engine.stream import Stream
from streamqid.engine.types import see_types, type_of
from streamqid.errors import StateError
from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MISSING
from streamqid.sampling.secret import Secret
from streamqid.synthetic import Drift, DriftKind, GeneratorSource, Population
from tests.unit.engine.windows import even

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from streamqid.engine.solver import Job
    from streamqid.records import Batch
    from streamqid.sampling.pairs import Tuples

ROOT = Path(__file__).parents[3]
ROWS = 16_000
PEOPLE = Population(5, identifier=False, drifts=(Drift(DriftKind.FINER, "region", 6_000),))
SET = PublishedSet("demographics", ("age", "sex", "region"), (Limit(Quantity.SEPARATION, 0.9935),), delta=0.2)
STREAM = Stream(
    "people",
    Secret.from_seed(5),
    Capacity(1_500),
    panes=PaneRule(2.0, "seconds"),
    panes_kept=4,
    mask=None,
    published=(SET,),
    pace=Pace(solve_records=None, solve_seconds=None, checkpoint_records=5_000),
)


class Kept:
    def __init__(self) -> None:
        self.documents: list[BaseModel] = []

    def publish(self, document: BaseModel) -> None:
        self.documents.append(document)

    @property
    def alerts(self) -> list[Alert]:
        return [one for one in self.documents if isinstance(one, Alert)]

    @property
    def events(self) -> list[DriftEvent]:
        return [one for one in self.documents if isinstance(one, DriftEvent)]


def ran(
    store: MemoryStore,
    history: MemoryStore,
    stream: Stream = STREAM,
    until: int | None = None,
    people: Population = PEOPLE,
    solver: InlineSolver | None = None,
) -> tuple[Loop, Kept]:
    kept = Kept()
    source = GeneratorSource(people, ROWS, 500)
    loop = Loop(stream, source, store, kept, ManualClock(), solver or InlineSolver(), history=history)
    loop.run(until)
    return loop, kept


def series(loop: Loop) -> list[tuple[int | None, int, str]]:
    windows = loop.watch.history.series("demographics").windows
    first = windows[0].window.last_pane
    return [(one.number, one.window.last_pane - first, one.state.value) for one in windows]


def test_every_closed_window_is_judged_once_and_numbered() -> None:
    loop, kept = ran(MemoryStore(), MemoryStore())
    assert series(loop) == [
        (1, 0, "safe"),
        (2, 1, "safe"),
        (3, 2, "safe"),
        (4, 3, "unsafe"),
        (5, 4, "unsafe"),
        (6, 5, "unsafe"),
        (7, 6, "unsafe"),
    ]
    (alert,) = kept.alerts
    assert (alert.status, alert.state, alert.before) == (AlertStatus.FIRING, "unsafe", "safe")
    assert alert.since == PEOPLE.start + 6
    assert alert.findings[0].limit == 0.9935
    assert alert.proposal is not None
    assert alert.proposal.keep is not None
    verdict = loop.watch.verdicts()[0]
    assert (verdict.since, verdict.settled) == (PEOPLE.start + 6, VerdictState.UNSAFE)


def test_a_measure_that_changed_is_told_with_the_time_when_it_began() -> None:
    _, kept = ran(MemoryStore(), MemoryStore())
    rose = [event for event in kept.events if event.about is Subject.MEASURE]
    assert [(event.change, event.set, event.measure) for event in rose] == [("rose", "demographics", "separation")]
    assert rose[0].began == PEOPLE.start + 6
    assert rose[0].before is not None
    assert rose[0].after is not None
    assert (rose[0].before.upper or 1) < (rose[0].after.lower or 0)
    steady = Population(5, identifier=False)
    _, quiet = ran(MemoryStore(), MemoryStore(), people=steady)
    assert [event for event in quiet.events if event.about is Subject.MEASURE] == []
    assert quiet.alerts == []


@pytest.mark.parametrize("until", [3_000, 6_500, 9_000, 13_000])
def test_a_restart_counts_on(until: int) -> None:
    straight, told = ran(MemoryStore(), MemoryStore())
    store, history = MemoryStore(), MemoryStore()
    _, before = ran(store, history, until=until)
    loop, after = ran(store, history)
    assert loop.watch.history == straight.watch.history
    ids = [one.id for one in (*before.alerts, *after.alerts)]
    assert dict.fromkeys(ids) == dict.fromkeys(one.id for one in told.alerts)
    assert [one.id for one in (*before.events, *after.events)] == [one.id for one in told.events]


def test_a_history_that_is_newer_than_the_snapshot_is_not_judged_again() -> None:
    straight, _ = ran(MemoryStore(), MemoryStore())
    history = MemoryStore()
    _, before = ran(MemoryStore(), history, until=13_000)
    loop, after = ran(MemoryStore(), history)  # the snapshot is lost: all records come again
    assert loop.watch.history == straight.watch.history
    assert [one.id for one in after.alerts] == [one.id for one in before.alerts], "the last alert is told again"


class Silenced(InlineSolver):
    """Loses every job between two numbers of records."""

    def __init__(self, first: int, last: int) -> None:
        super().__init__()
        self._lost = range(first, last)

    def submit(self, job: Job) -> None:
        if job.records in self._lost:
            self._solved = Solved(Outcome.CRASHED, 0.0)
        else:
            super().submit(job)


def test_windows_that_no_solve_came_to_are_unknown_and_counted() -> None:
    loop, _ = ran(MemoryStore(), MemoryStore(), solver=Silenced(2_000, 12_600))
    assert series(loop)[:2] == [(None, 0, "unknown"), (None, 1, "unknown")]
    judged = [one for one in series(loop) if one[0] is not None]
    assert [number for number, _, _ in judged] == list(range(1, len(judged) + 1))
    assert len(series(loop)) == 7
    assert loop.watch.history.unjudged == len(series(loop)) - len(judged) > 0
    assert loop.watch.history.series("demographics").windows[0].findings == []


def test_a_solve_that_is_lost_costs_no_window_that_is_still_held() -> None:
    loop, _ = ran(MemoryStore(), MemoryStore(), solver=Silenced(4_000, 7_000))
    assert [number for number, _, _ in series(loop)] == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("rule", "first_row", "cut"),
    [
        (STREAM.panes, 0, False),
        (STREAM.panes, 700, True),
        (PaneRule(2_000, "records"), 2_700, True),
        (PaneRule(2_000, "records"), 4_000, False),
    ],
)
def test_a_window_that_a_cut_log_begins_in_is_no_evidence(rule: PaneRule, first_row: int, cut: bool) -> None:
    """Retention took what was before; a part of a window has fewer rows than all windows that follow."""
    store, history, stream = MemoryStore(), MemoryStore(), replace(STREAM, panes=rule)

    def go_on(until: int | None) -> Loop:
        source = GeneratorSource(PEOPLE, 9_000, 500, first_row)
        loop = Loop(stream, source, store, Kept(), ManualClock(), history=history)
        loop.run(until)
        return loop

    go_on(1_000)
    loop = go_on(None)
    found = [(one.number, one.state.value) for one in loop.watch.history.series("demographics").windows]
    assert found[0] == ((None, "unknown") if cut else (1, "safe"))
    assert [number for number, _ in found[cut:]] == list(range(1, len(found) + 1 - cut))
    assert found[cut][1] == "safe"


class Delayed:
    """Two logs, of which the second is silent for a while and begins with an offset above 0."""

    name, total_bytes = "two logs", 0

    def batches(self) -> Iterator[Batch]:
        for batch in GeneratorSource(PEOPLE, ROWS, 500).batches():
            yield batch
            if batch.start >= 8_000:
                yield replace(batch, origin=Origin("late"))

    def close(self) -> None:
        pass


def test_a_log_that_was_silent_when_the_stream_began_cuts_no_window() -> None:
    straight, _ = ran(MemoryStore(), MemoryStore())
    loop = Loop(STREAM, Delayed(), MemoryStore(), Kept(), ManualClock())
    loop.run()
    assert loop.state.whole_from() is not None
    assert [number for number, _, _ in series(loop)] == [number for number, _, _ in series(straight)]


def test_a_set_with_a_window_of_its_own() -> None:
    wide = replace(SET, name="wide", window_panes=3)
    loop, _ = ran(MemoryStore(), MemoryStore(), replace(STREAM, published=(SET, wide)))
    windows = loop.watch.history.series("wide").windows
    assert [one.window.last_pane - one.window.first_pane for one in windows] == [2] * 5
    assert [one.number for one in windows] == [1, 2, 3, 4, 5]
    assert len(loop.watch.history.windows) == 7


def test_a_set_with_other_limits_counts_its_tests_on_and_takes_its_alert_with_it() -> None:
    """Whoever sets limits has seen the windows that are held: none of them is judged with more of δ than before."""
    store, history = MemoryStore(), MemoryStore()
    first, _ = ran(store, history, until=13_000)
    before = {pane: number for number, pane in numbers(first)}
    looser = replace(SET, limits=(Limit(Quantity.SEPARATION, 0.99999),))
    loop, kept = ran(store, history, replace(STREAM, published=(looser,)))
    assert [alert.status for alert in kept.alerts] == [AlertStatus.RESOLVED]
    assert "no longer publishes" in kept.alerts[0].sentence
    after = numbers(loop)
    assert [number for number, _ in after] == list(range(len(before) + 1, len(before) + len(after) + 1))
    assert set(before) & {pane for _, pane in after}, "windows that are held are judged again"
    same, quiet = ran(store, history, replace(STREAM, published=(replace(looser, owner="me", delta=0.2),)))
    assert quiet.alerts == []
    assert same.watch.history.series("demographics").tests == loop.watch.history.series("demographics").tests


def numbers(loop: Loop) -> list[tuple[int | None, int]]:
    return [(one.number, one.window.first_pane) for one in loop.watch.history.series("demographics").windows]


def test_columns_that_are_new_to_a_watched_stream_are_judged_in_later_windows_only() -> None:
    """What was shown of the stream may have chosen them, for instance as a proposal."""
    store, history = MemoryStore(), MemoryStore()
    first, _ = ran(store, history, until=9_000)
    seen = max(first.state.panes)
    narrower = replace(SET, columns=("age", "sex"))
    loop, _ = ran(store, history, replace(STREAM, published=(narrower,)))
    found = numbers(loop)
    assert [number for number, pane in found if pane <= seen] == [None] * sum(pane <= seen for _, pane in found)
    assert next((number, pane) for number, pane in found if number is not None) == (1, seen + 1)
    assert loop.watch.history.series("demographics").fresh_from == (seen + 1) * 2.0
    again, _ = ran(store, history, replace(STREAM, published=(narrower,)))
    assert again.watch.history == loop.watch.history


def test_other_limits_do_not_make_chosen_columns_independent() -> None:
    """A proposal that is published, and then under another limit, still depends on the windows that it came from."""
    store, history = MemoryStore(), MemoryStore()
    first, _ = ran(store, history, until=9_000)
    narrower = replace(SET, columns=("age", "sex"))
    ran(store, history, replace(STREAM, published=(narrower,)), until=9_500)
    looser = replace(narrower, limits=(Limit(Quantity.SEPARATION, 0.999),))
    loop, _ = ran(store, history, replace(STREAM, published=(looser,)))
    since = (max(first.state.panes) + 1) * 2.0
    found = loop.watch.history.series("demographics")
    assert found.fresh_from == since
    assert {one.window.start >= since for one in found.windows if one.number is not None} == {True}
    # The columns that were there from the beginning are as independent under other limits as before.
    other = replace(SET, limits=looser.limits)
    again, _ = ran(MemoryStore(), MemoryStore(history_of(STREAM)), replace(STREAM, published=(other,)))
    assert again.watch.history.series("demographics").fresh_from is None


def history_of(stream: Stream) -> bytes:
    history = MemoryStore()
    ran(MemoryStore(), history, stream, until=9_000)
    return history.load() or b""


def test_what_a_set_depends_on_may_be_said() -> None:
    store, history = MemoryStore(), MemoryStore()
    first, _ = ran(store, history, until=9_000)
    independent = replace(SET, columns=("age", "sex"), fresh_from=0.0)
    loop, _ = ran(store, history, replace(STREAM, published=(independent,)))
    number, pane = numbers(loop)[0]
    assert number == 1, "these columns were not judged before"
    assert pane < max(first.state.panes)


def test_another_window_makes_another_set() -> None:
    store, history = MemoryStore(), MemoryStore()
    first, _ = ran(store, history, replace(STREAM, published=(replace(SET, name="other"),)), until=9_000)
    loop, _ = ran(store, history, replace(STREAM, window_panes=2))
    assert numbers(loop)[0][0] == first.watch.history.series("other").tests + 1
    assert {one.window.last_pane - one.window.first_pane for one in loop.watch.history.sets[0].windows} == {1}


def test_a_set_that_is_declared_again_is_not_taken_for_the_one_before() -> None:
    """Whoever drops ids that he has would drop the alert that follows the end of the same one."""
    store, history = MemoryStore(), MemoryStore()
    looser = replace(STREAM, published=(replace(SET, limits=(Limit(Quantity.SEPARATION, 0.99999),)),))
    told = []
    for stream in (STREAM, looser, STREAM, looser):
        _, kept = ran(store, history, stream)
        told += [(one.status.value, one.id) for one in kept.alerts]
    assert [status for status, _ in told] == ["firing", "resolved", "firing", "resolved"]
    assert len({name for _, name in told}) == 4


class Dying(Kept):
    """Dies when it is handed the first piece of news."""

    def publish(self, document: BaseModel) -> None:
        if isinstance(document, Alert | DriftEvent):
            raise SystemExit
        super().publish(document)


def test_news_that_a_crash_left_untold_are_told_at_the_next_start() -> None:
    _, straight = ran(MemoryStore(), MemoryStore())
    history, kept = MemoryStore(), Dying()
    loop = Loop(STREAM, GeneratorSource(PEOPLE, ROWS, 500), MemoryStore(), kept, ManualClock(), history=history)
    with pytest.raises(SystemExit):
        loop.run()
    _, after = ran(MemoryStore(), history)
    assert [one.id for one in after.alerts] == [one.id for one in straight.alerts]
    assert [one.id for one in after.events] == [one.id for one in straight.events]
    assert History.from_bytes(history.load() or b"", "people").untold == []


def test_an_old_end_of_an_alert_is_not_told_again() -> None:
    history, _ = begun(STREAM, None)
    for pane, groups in enumerate([500, 10, 10]):
        history, _ = recorded(STREAM, history, [answer(pane, groups)])
    _, news = begun(STREAM, history)
    assert [one.status.value for one in news if isinstance(one, Alert)] == ["resolved"]
    for pane in range(3, 20):
        history, _ = recorded(STREAM, history, [answer(pane, 10)])
    assert begun(STREAM, history)[1] == []


def test_the_alert_of_a_set_that_is_defined_anew_is_over_and_remembered() -> None:
    history, _ = begun(STREAM, None)
    history, _ = recorded(STREAM, history, [answer(0, 500)])
    alert = history.series("demographics").alert
    assert alert is not None
    assert alert.status.value == "firing"
    other = replace(STREAM, published=(replace(STREAM.published[0], columns=("a",)),))
    history, _ = begun(other, history)
    [past] = history.past
    assert past == alert.model_copy(update={"status": past.status})
    assert past.status.value == "resolved"
    history, _ = begun(other, History.from_bytes(history.to_bytes(), STREAM.name))
    assert history.past == [past]


def answer(pane: int, groups: int, **more: object) -> WindowAnswer:
    window = even(2_000, groups, pane)
    verdict = judge(replace(SET, columns=("a",)), window, pane + 1)
    return WindowAnswer(window=window.span, records=2_000, verdicts=[verdict]).model_copy(update=more)


def test_an_alert_is_resolved_after_two_windows_in_a_row() -> None:
    history, _ = begun(STREAM, None)
    told = []
    for pane, groups in enumerate([10, 500, 10, 500, 10, 10, 10]):
        history, news = recorded(STREAM, history, [answer(pane, groups)])
        told += [(pane, one.status.value, one.since) for one in news if isinstance(one, Alert)]
    assert told == [(1, "firing", 10.0), (5, "resolved", 50.0)]


def test_a_slow_change_is_told_when_it_has_gone_far_and_not_in_every_window() -> None:
    """The share of equal pairs falls by about 4 % in each window, and a tenth is worth a word."""
    history, _ = begun(STREAM, None)
    told = []
    for pane in range(31):
        history, news = recorded(STREAM, history, [answer(pane, round(20 * 1.04**pane))])
        told += [(pane, one.began) for one in news if isinstance(one, DriftEvent) and one.about is Subject.MEASURE]
    assert len(told) >= 9
    for (before, _), (pane, began) in itertools.pairwise(told):
        assert pane >= before + 2
        assert began > 10.0 * before, "it began after the window in which the last one was found"


def test_the_history_is_bounded() -> None:
    history, _ = begun(STREAM, None)
    for pane in range(KEPT + 20):
        columns = ["a", "b"] if pane % 2 else ["a"]
        more: dict[str, object] = {"columns": columns, "key": ["a" if pane % 4 < 2 else "b"], "key_met": True}
        history, _ = recorded(STREAM, history, [answer(pane, 500 if pane % 3 else 10, **more)])
    assert len(history.series("demographics").windows) == len(history.windows) == len(history.events) == KEPT
    assert history.series("demographics").tests == KEPT + 20
    assert len(history.to_bytes()) < 1 << 20


def test_keys_and_columns_that_come_and_go() -> None:
    stream = replace(STREAM, published=())
    history, _ = begun(stream, None)
    told: list[tuple[int, str, str | None]] = []
    columns = [["a", "b"], ["a", "b", "c"], ["a", "c"], ["a", "c"], ["a", "c"]]
    keys: list[list[str] | None] = [["a"], ["a"], ["c"], None, ["c"]]
    for pane, (seen, key) in enumerate(zip(columns, keys, strict=True)):
        span = even(20, 2, pane).span
        found = WindowAnswer(window=span, records=500, columns=seen, key=key, key_met=True)
        history, news = recorded(stream, history, [found, found])
        told += [(pane, one.change, one.column) for one in news if isinstance(one, DriftEvent)]
    assert told == [(1, "new", "c"), (2, "entered", "c"), (2, "left", "a"), (3, "missing", "b")]
    assert [(one.entered, one.left) for one in history.windows][2] == (["c"], ["a"])


def test_a_column_that_few_rows_have_is_not_missing_by_chance() -> None:
    """Of 5 sampled rows in the window where it was last seen, 4 windows without any are too many; 3 are not."""
    stream = replace(STREAM, published=())
    history, _ = begun(stream, None)
    told: list[tuple[int, str, str | None]] = []
    seen = [True, False, False, False, True, *[False] * 4]
    for pane, here in enumerate(seen):
        columns, scarce = (["a", "rare"], {"rare": 5}) if here else (["a"], {})
        found = WindowAnswer(window=even(20, 2, pane).span, records=500, columns=columns, scarce=scarce)
        history, news = recorded(stream, history, [found])
        told += [(pane, one.change, one.column) for one in news if isinstance(one, DriftEvent)]
    assert told == [(8, "missing", "rare")]
    assert history.scarce == {}


@pytest.mark.parametrize(("capacity", "counted"), [(400, 6), (4_000, 3)])
def test_columns_that_few_sampled_rows_have_are_counted(capacity: int, counted: int) -> None:
    """In both samples, or in the one that holds all rows."""
    one = even(2_000, 5, capacity=capacity)

    def thinned(tuples: Tuples) -> Tuples:
        few = tuples.fingerprints.copy()
        few[3:, 1] = MISSING
        return replace(tuples, fingerprints=few)

    evidence = replace(one.evidence, a=thinned(one.evidence.a), b=thinned(one.evidence.b))
    assert drifted(replace(one, evidence=evidence), AskKey(), ()).scarce == {"b": counted}


VALUES: list[object] = [True, 1, 2.5, "x", "", None, []]


def test_types_of_values() -> None:
    assert [type_of(one) for one in VALUES] == [
        "boolean",
        "number",
        "number",
        "text",
        None,
        None,
        None,
    ]
    types: dict[str, set[str]] = {}
    see_types(types, ["a", "b", "c"], [["x", 1], [None], []])
    assert types == {"a": {"text"}}


def test_a_column_of_another_type_is_told_once() -> None:
    history = MemoryStore()
    loop, _ = ran(MemoryStore(), history, until=4_000)
    known = loop.watch.history
    assert known.types["age"] == ["text"]
    before = known.model_copy(update={"types": known.types | {"age": ["number"]}})
    loop, kept = ran(MemoryStore(), MemoryStore(before.to_bytes()))
    retyped = [(one.column, one.change) for one in kept.events if one.about is Subject.SCHEMA]
    assert retyped == [("age", "retyped")]
    assert loop.watch.history.types["age"] == ["number", "text"]


@pytest.mark.parametrize("data", [b"", b"{", b'{"stream":"other"}', b'{"version":2,"stream":"people"}'])
def test_a_history_that_cannot_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(StateError, match="history of stream 'people'"):
        ran(MemoryStore(), MemoryStore(data))


class Full(MemoryStore):
    def save(self, data: bytes) -> None:
        raise StateError("No space left on device.")


def test_a_disk_that_is_full_costs_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    loop, kept = ran(MemoryStore(), Full())
    assert len(series(loop)) == 7
    assert len(kept.alerts) == 1
    assert caplog.text.count("was not saved") == 1


def test_the_history_holds_no_value() -> None:
    history = MemoryStore()
    ran(MemoryStore(), history)
    data = history.load() or b""
    assert b"marital_status" in data
    for value in (b"divorced", b"hypertension", b"physician", b"secondary", b"2025-"):
        assert value not in data
    assert History.from_bytes(data, "people").to_bytes() == data


def test_the_file_is_private_and_replaced_at_once(tmp_path: Path) -> None:
    directory = tmp_path / "state"
    store = DirectoryStore(directory)
    file = HistoryFile(directory)
    assert file.load() is None
    file.save(b"one")
    file.save(b"two")
    assert file.load() == b"two"
    assert (directory / "history.json").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in directory.iterdir()) == ["history.json", "lock"]
    assert store.load() is None
    store.close()
    (tmp_path / "other" / "history.json").mkdir(parents=True)
    with pytest.raises(StateError, match="cannot be read"):
        HistoryFile(tmp_path / "other").load()


KILLED = """
import os, sys
from tests.unit.engine.test_watch import *

def run(directory):
    store, source = DirectoryStore(directory), GeneratorSource(PEOPLE, ROWS, 500)
    loop = Loop(STREAM, source, store, Kept(), ManualClock(), history=HistoryFile(directory))
    loop.run()
    store.close()

for place in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        os.environ["STREAMQID_FAILPOINT"] = place
        run(Path(sys.argv[1]) / place)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    run(Path(sys.argv[1]) / place)
"""
"""Dies in a child at each place, and then runs once more over what the child has left behind."""


def test_a_kill_anywhere_leaves_the_same_history(tmp_path: Path) -> None:
    """Killed as by a power failure, then started again: every window has the verdict and number it has without."""
    straight, _ = ran(MemoryStore(), MemoryStore())
    places = ["history_write:3", "history_rename:4", "history_saved:5", "tell:6", "saved:2"]
    command = [sys.executable, "-c", KILLED, str(tmp_path), *places]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environ)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(-signal.SIGKILL.value)] * len(places)
    for place in places:
        found = History.from_bytes(HistoryFile(tmp_path / place).load() or b"", "people")
        assert found.series("demographics") == straight.watch.history.series("demographics"), place
        assert found.windows == straight.watch.history.windows, place


def test_numbers_of_a_random_order_of_restarts() -> None:
    straight, _ = ran(MemoryStore(), MemoryStore())
    store, history = MemoryStore(), MemoryStore()
    for until in np.sort(np.random.default_rng(3).integers(500, ROWS, 6)).tolist():
        ran(store, history, until=until)
    loop, _ = ran(store, history)
    assert loop.watch.history == straight.watch.history
