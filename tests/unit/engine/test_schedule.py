from __future__ import annotations

import pytest

from streamqid.clock import ManualClock, SystemClock
from streamqid.engine.schedule import AGAIN_SECONDS, Pace, Schedule
from streamqid.errors import UsageError

NEVER = Pace(solve_records=None, solve_seconds=None, on_close=False, checkpoint_records=None)


def test_the_first_records_are_solved_at_once_and_then_every_so_many() -> None:
    schedule = Schedule(Pace(solve_records=100, solve_seconds=None), ManualClock(), 0)
    assert not schedule.solve_due(0)
    assert schedule.solve_due(1)
    schedule.solved(1)
    assert not schedule.solve_due(100)
    assert schedule.solve_due(101)


def test_restored_records_are_solved_before_new_ones_come() -> None:
    schedule = Schedule(Pace(), ManualClock(), 5000)
    assert schedule.solve_due(5000)
    assert schedule.unsolved(5000) == 5000
    schedule.solved(5000)
    assert not schedule.solve_due(5000)
    assert schedule.unsolved(5001) == 1


def test_time_makes_a_solve_due_only_if_there_is_something_new() -> None:
    clock = ManualClock()
    schedule = Schedule(Pace(solve_records=None, solve_seconds=30.0), clock, 0)
    schedule.solved(10)
    clock.advance(30.0)
    assert not schedule.solve_due(10)
    assert schedule.solve_due(11)
    schedule.solved(11)
    clock.advance(29.9)
    assert not schedule.solve_due(12)
    clock.advance(0.1)
    assert schedule.solve_due(12)


def test_a_closed_pane_is_solved_at_once() -> None:
    schedule = Schedule(Pace(solve_records=1000, solve_seconds=None), ManualClock(), 0)
    schedule.solved(10)
    schedule.pane_closed()
    assert schedule.solve_due(11)
    schedule.solved(11)
    assert not schedule.solve_due(12)
    schedule.solved(12)
    schedule.pane_closed()
    assert schedule.solve_due(12), "it may close after its last record was solved, when a partition has been silent"
    schedule.solved(12)
    assert not schedule.solve_due(12)


def test_a_pace_that_never_solves_and_never_saves() -> None:
    schedule = Schedule(NEVER, ManualClock(), 0)
    schedule.pane_closed()
    assert not schedule.solve_due(10**9)
    assert not schedule.unsolved(10**9)
    assert not schedule.checkpoint_due(10**9)


def test_checkpoints_count_from_the_last_one() -> None:
    schedule = Schedule(Pace(checkpoint_records=10), ManualClock(), 100)
    assert not schedule.checkpoint_due(109)
    assert schedule.checkpoint_due(110)
    schedule.saved(113)
    assert not schedule.checkpoint_due(122)
    assert schedule.checkpoint_due(123)


def test_a_checkpoint_that_failed_is_tried_again_without_a_further_record() -> None:
    clock = ManualClock()
    schedule = Schedule(Pace(checkpoint_records=10), clock, 0)
    assert schedule.checkpoint_due(10)
    schedule.not_saved()
    assert not schedule.checkpoint_due(1000)
    clock.advance(AGAIN_SECONDS)
    assert schedule.checkpoint_due(10)
    schedule.saved(10)
    assert not schedule.checkpoint_due(19)


@pytest.mark.parametrize("wrong", [(0, 1.0, 1), (1, -1.0, 1), (1, 1.0, 0)])
def test_a_pace_is_positive(wrong: tuple[int, float, int]) -> None:
    with pytest.raises(UsageError, match="positive"):
        Pace(wrong[0], wrong[1], checkpoint_records=wrong[2])


def test_clocks_only_go_forwards() -> None:
    clock = ManualClock()
    with pytest.raises(ValueError, match="forwards"):
        clock.advance(-1.0)
    system = SystemClock()
    assert system.monotonic() <= system.monotonic()
