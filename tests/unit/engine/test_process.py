"""Solving in another process: what an answer costs when that process is slow, dies or is killed."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamqid.clock import ManualClock
from streamqid.engine.events import Outcome
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.panes import PaneRule
from streamqid.engine.process import NICENESS, ProcessSolver
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.engine.schedule import Pace
from streamqid.engine.solver import InlineSolver, job_of
from streamqid.engine.state import State
from streamqid.engine.stream import Stream
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.synthetic import GeneratedBatch, GeneratorSource, Population

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from streamqid.engine.events import Solved
    from streamqid.engine.solver import Job

PEOPLE = Population(3, identifier=False)
STREAM = Stream(
    "people",
    Secret.from_seed(3),
    Capacity(500),
    panes=PaneRule(1_000, "records"),
    published=(PublishedSet("pair", ("age", "sex"), (Limit(Quantity.SEPARATION, 0.99),)),),
    pace=Pace(solve_records=1_000, solve_seconds=None, on_close=False),
)
LONG = 120.0


def a_job(rows: int = 3_000) -> Job:
    state = State(STREAM)
    for batch in GeneratorSource(PEOPLE, rows, 500).batches():
        state.apply(batch)
    return job_of(STREAM, state)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def solver(clock: ManualClock) -> Iterator[ProcessSolver]:
    made = ProcessSolver(10.0, clock)
    yield made
    made.close()


def finished(solver: ProcessSolver) -> Solved:
    found = solver.result(timeout=LONG)
    assert found is not None
    return found


def test_the_answer_is_that_of_a_solve_on_the_spot(solver: ProcessSolver) -> None:
    job = a_job()
    for _ in range(2):
        solver.submit(job)
        assert solver.busy
        found = finished(solver)
        assert (found.outcome, found.recommendation) == (Outcome.ANSWERED, InlineSolver().solve(job))
        assert not solver.busy
    assert solver.result() is None


def test_solving_gives_way_to_reading(solver: ProcessSolver) -> None:
    solver.submit(a_job())
    assert finished(solver).outcome is Outcome.ANSWERED
    own = os.getpriority(os.PRIO_PROCESS, 0)
    assert os.getpriority(os.PRIO_PROCESS, solver.pid or 0) == min(own + NICENESS, 19)


def test_a_solve_past_its_deadline_is_ended_and_the_next_one_answered(
    solver: ProcessSolver, clock: ManualClock
) -> None:
    os.kill(solver.pid or 0, signal.SIGSTOP)
    solver.submit(a_job())
    assert solver.result() is None
    clock.advance(10.5)
    assert finished(solver).outcome is Outcome.TIMED_OUT
    assert not solver.busy
    solver.submit(a_job())
    assert finished(solver).outcome is Outcome.ANSWERED


def test_a_killed_solver_costs_one_answer(solver: ProcessSolver) -> None:
    os.kill(solver.pid or 0, signal.SIGSTOP)
    solver.submit(a_job())
    os.kill(solver.pid or 0, signal.SIGKILL)
    assert finished(solver).outcome is Outcome.CRASHED
    os.kill(solver.pid or 0, signal.SIGKILL)
    solver.submit(a_job())
    assert finished(solver).outcome in {Outcome.CRASHED, Outcome.ANSWERED}
    solver.submit(a_job())
    assert finished(solver).outcome is Outcome.ANSWERED


def test_a_solve_that_fails_costs_one_answer(solver: ProcessSolver) -> None:
    solver.submit(replace(a_job(), landmark=None))  # type: ignore[arg-type]
    assert finished(solver).outcome is Outcome.CRASHED
    solver.submit(a_job())
    assert finished(solver).outcome is Outcome.ANSWERED


def test_signals_to_the_process_group_leave_the_solver_alone(solver: ProcessSolver) -> None:
    solver.submit(a_job())
    assert finished(solver).outcome is Outcome.ANSWERED
    for number in (signal.SIGTERM, signal.SIGINT):
        os.kill(solver.pid or 0, number)
    solver.submit(a_job())
    assert finished(solver).outcome is Outcome.ANSWERED


def test_a_loop_reads_on_while_it_is_solved_and_publishes_the_rest_at_the_end(solver: ProcessSolver) -> None:
    documents: list[BaseModel] = []

    class Kept:
        def publish(self, document: BaseModel) -> None:
            documents.append(document)

    class Pausing(GeneratorSource):
        """Stops the solver when the first job was submitted and lets it go on after all rows."""

        def batches(self) -> Iterator[GeneratedBatch]:
            for batch in super().batches():
                if batch.start == 0:
                    os.kill(solver.pid or 0, signal.SIGSTOP)
                yield batch
            os.kill(solver.pid or 0, signal.SIGCONT)

    loop = Loop(STREAM, Pausing(PEOPLE, 5_000, 500), MemoryStore(), Kept(), ManualClock(), solver)
    tally = loop.run()
    assert [document.records for document in documents] == [500, 5_000]  # type: ignore[attr-defined]
    assert (tally.published, loop.state.records) == (2, 5_000)
