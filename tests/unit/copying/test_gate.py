"""Verdicts as orders to a copy: by default nothing is copied that is not known to be safe."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from streamqid.clock import ManualClock
from streamqid.copying.gate import Gate, Order
from streamqid.copying.progress import NOT_ALLOWED, CopyState, Progress
from streamqid.copying.rule import Action, CopyRule
from streamqid.copying.shown import marks_of
from streamqid.engine.documents import VerdictState
from streamqid.engine.events import Outcome, Solved, Trouble, TroubleKind
from streamqid.publish.copies import CopyMetrics
from streamqid.records import Origin

SAFE, AT_RISK, UNSAFE, UNKNOWN = VerdictState.SAFE, VerdictState.AT_RISK, VerdictState.UNSAFE, VerdictState.UNKNOWN


def history(state: VerdictState) -> Any:
    return SimpleNamespace(series=lambda name: SimpleNamespace(settled={"released": state}[name]))


def solved(*publish: str, met: bool = True) -> Any:
    mask = SimpleNamespace(publish=list(publish), met=met)
    return SimpleNamespace(outcome=Outcome.ANSWERED, recommendation=SimpleNamespace(mask=mask))


def test_before_a_verdict_nothing_is_copied_unless_told_so() -> None:
    assert CopyRule("to", ("a",), set="released").source == "set"
    assert Gate(CopyRule("to", ("a",), set="released")).order.action is Action.STOP
    assert Gate(CopyRule("to", ("a",), set="released", when_unsafe=Action.COPY)).order.action is Action.STOP
    assert Gate(CopyRule("to", ("a",), set="released", when_unsure=Action.DROP)).order.action is Action.DROP
    assert Gate(CopyRule("to", ("a",), when_unsure=Action.COPY)).order.action is Action.COPY
    # There is nothing yet that a recommendation names.
    assert Gate(CopyRule("to", recommended=True, when_unsure=Action.COPY)).order.action is Action.STOP


@pytest.mark.parametrize("unsafe", list(Action))
@pytest.mark.parametrize("unsure", list(Action))
def test_the_settled_state_decides(unsafe: Action, unsure: Action) -> None:
    gate = Gate(CopyRule("to", ("a",), set="released", when_unsafe=unsafe, when_unsure=unsure))
    for state, action in ((SAFE, Action.COPY), (AT_RISK, unsure), (UNSAFE, unsafe), (UNKNOWN, unsure)):
        gate.watched(history(state), [])
        assert gate.order.action is action
        assert gate.order.verdict is state
        assert gate.order.columns == ("a",)


def test_an_order_is_replaced_only_when_it_changes() -> None:
    gate = Gate(CopyRule("to", ("a",), set="released"))
    gate.watched(history(SAFE), [])
    order = gate.order
    gate.watched(history(SAFE), [])
    gate.solved(solved("b"))
    assert gate.order is order


@pytest.mark.parametrize(
    ("newest", "action"),
    [
        (solved("b", "a"), Action.COPY),
        (Solved(Outcome.CRASHED, 1.0), Action.COPY),
        (solved("a", met=False), Action.STOP),
        (solved(), Action.STOP),
    ],
)
def test_the_newest_masking_that_holds_is_recommended(newest: Any, action: Action) -> None:
    rule = CopyRule("to", recommended=True)
    assert rule.source == "recommended"
    gate = Gate(rule)
    gate.watched(history(SAFE), [])
    assert gate.order.verdict is UNKNOWN
    gate.solved(solved("b", "a"))
    assert gate.order.columns == ("a", "b")
    gate.solved(newest)
    assert gate.order.action is action


def test_recommendations_that_follow_each_other_never_add_up() -> None:
    gate = Gate(CopyRule("to", recommended=True))
    gate.solved(solved("a", "b"))
    gate.solved(solved("b", "c"))
    # Nothing was published yet, so that nothing can be added to.
    assert gate.order.columns == ("b", "c")
    gate.begun(gate.order)
    cases: list[tuple[tuple[str, ...], tuple[str, ...], int]] = [
        (("a", "b"), ("b",), 1),
        (("a",), (), 1),
        (("c", "b"), ("b", "c"), 0),
        (("c", "b", "a"), ("a", "b", "c"), 0),
        (("a", "b"), ("a", "b"), 0),
        (("a", "d"), ("a",), 1),
    ]
    for newest, columns, withheld in cases:
        gate.solved(solved(*newest))
        action = Action.COPY if columns else Action.STOP
        assert gate.order == Order(action, columns, SAFE, withheld)
        gate.begun(gate.order)
    assert gate.shown == marks_of(["a", "b", "c"])


def test_what_was_published_is_what_the_brokers_know() -> None:
    gate = Gate(CopyRule("to", recommended=True))
    gate.recall(marks_of(["a"]))
    assert gate.order.action is Action.STOP
    gate.solved(solved("b"))
    assert gate.order.action is Action.STOP
    gate.recall(frozenset())
    assert gate.order.columns == ("b",)
    gate.begun(gate.order)
    # The transaction was aborted.
    gate.recall(frozenset())
    gate.solved(solved("a"))
    assert gate.order.columns == ("a",)


def test_columns_of_a_set_are_not_withheld() -> None:
    gate = Gate(CopyRule("to", ("a",), set="released"))
    gate.recall(marks_of(["b"]))
    gate.watched(history(SAFE), [])
    gate.begun(gate.order)
    assert gate.order.columns == ("a",)
    assert gate.shown == marks_of(["b"])


class Troubled:
    """A live source with troubles that a test chooses."""

    def __init__(self, *troubles: Trouble) -> None:
        self.now = troubles

    def troubles(self) -> tuple[Trouble, ...]:
        return self.now

    def lags(self) -> dict[Origin, int]:
        return {}

    def commit(self, positions: object) -> None:
        """Commit nothing."""


@pytest.mark.parametrize("unsure", list(Action))
@pytest.mark.parametrize("kind", list(TroubleKind))
def test_what_the_stream_does_not_read_is_not_safe(kind: TroubleKind, unsure: Action) -> None:
    live = Troubled()
    gate = Gate(CopyRule("to", ("a",), set="released", when_unsure=unsure), live)
    gate.watched(history(SAFE), [])
    safe = gate.order
    assert safe.action is Action.COPY
    live.now = (Trouble(kind, "Something is not read."),)
    waits = kind is TroubleKind.UNREACHABLE and unsure is Action.DROP
    assert gate.order.action is (Action.STOP if waits else unsure)
    assert gate.order.verdict is UNKNOWN
    assert gate.order is gate.order
    live.now = (Trouble(kind, "Everything is read.", halts=False),)
    assert gate.order is safe


def test_doubts_never_allow_what_is_unsafe() -> None:
    live = Troubled(Trouble(TroubleKind.RECREATED, "It was made anew."))
    gate = Gate(CopyRule("to", ("a",), set="released", when_unsure=Action.COPY), live)
    gate.watched(history(UNSAFE), [])
    assert gate.order.action is Action.STOP
    assert gate.order.verdict is UNSAFE


def test_a_verdict_is_too_old_when_solves_fail_or_the_loop_hangs() -> None:
    clock, nothing = ManualClock(), SimpleNamespace()
    job: Any = nothing
    state: Any = nothing
    gate = Gate(CopyRule("to", ("a",), set="released"), Troubled(), clock, 240.0)
    gate.watched(history(SAFE), [])

    def turn(seconds: float) -> Action:
        clock.advance(seconds)
        gate.turned(state)
        return gate.order.action

    assert turn(10_000) is Action.COPY
    gate.asked(job)
    assert turn(120) is Action.COPY
    gate.solved(Solved(Outcome.TIMED_OUT, 120.0))
    gate.asked(job)
    assert turn(120) is Action.COPY
    gate.solved(Solved(Outcome.CRASHED, 120.0))
    assert turn(1) is Action.STOP
    assert gate.order.verdict is UNKNOWN
    gate.asked(job)
    gate.solved(solved("a"))
    assert turn(1) is Action.COPY
    clock.advance(241)
    assert gate.order.action is Action.STOP
    assert turn(0) is Action.COPY


def test_metrics_of_a_copy() -> None:
    progress = Progress(state=CopyState.STOPPED)
    progress.committed(5, {NOT_ALLOWED: 2})
    progress.lags = {Origin("t", 0, "old"): 9, Origin("t", 0, "new"): 3}
    read = {(one.definition.name, *one.labels): one.value for one in CopyMetrics("people", "to", progress).readings()}
    assert read["streamqid_copied_records_total", "people", "to"] == 5
    assert read["streamqid_copy_dropped_records_total", "people", "to", NOT_ALLOWED] == 2
    assert read["streamqid_copy_dropped_records_total", "people", "to", "not valid JSON"] == 0
    assert read["streamqid_copy_state", "people", "to", "stopped"] == 1
    assert read["streamqid_copy_state", "people", "to", "copying"] == 0
    assert read["streamqid_copy_lag_offsets", "people", "to", "t", "0"] == 9
