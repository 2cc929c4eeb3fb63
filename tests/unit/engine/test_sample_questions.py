"""Further problems of a stream, through the loop and through the solver's process."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import pytest

from streamqid.clock import ManualClock, SystemClock
from streamqid.engine.differences import changes
from streamqid.engine.documents import Unanswered, VerdictState
from streamqid.engine.events import Outcome
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.panes import PaneRule
from streamqid.engine.process import ProcessSolver
from streamqid.engine.projection import Projection
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.engine.sample_questions import (
    AskArticulation,
    AskDependencies,
    AskMinimal,
    AskOptimalKey,
    AskOptimalMask,
    AskQid,
)
from streamqid.engine.schedule import Pace
from streamqid.engine.solver import InlineSolver, job_of
from streamqid.engine.state import State
from streamqid.engine.stream import Stream
from streamqid.errors import UsageError
from streamqid.problems.answer import Rule
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.synthetic import GeneratorSource, Population
from tests.unit.engine.test_loop import Kept

if TYPE_CHECKING:
    from streamqid.engine.documents import Recommendation
    from streamqid.engine.sample_questions import Ask
    from streamqid.engine.solver import Job
    from streamqid.sampling.pairs import Evidence

PEOPLE = Population(5, identifier=False)
COLUMNS = ("age", "sex", "region", "zip", "occupation")
ALL: tuple[Ask, ...] = (
    AskMinimal(epsilon=0.05),
    AskQid(k=5),
    AskOptimalKey(epsilon=0.05),
    AskOptimalMask(beta=0.9, must_hide=("zip",)),
    AskDependencies(threshold=0.05, declared=((("zip",), ("region",)),)),
    AskArticulation(("zip",), ("occupation",), threshold=0.1),
)
STREAM = Stream(
    "people",
    Secret.from_seed(5),
    Capacity(1_000),
    projection=Projection(COLUMNS),
    problems=ALL,
    pace=Pace(solve_records=None, solve_seconds=None),
)


def ran(stream: Stream = STREAM, rows: int = 8_000) -> list[Recommendation]:
    kept = Kept()
    Loop(stream, GeneratorSource(PEOPLE, rows, 4_000), MemoryStore(), kept, SystemClock()).run()
    return kept.documents


def test_every_problem_is_answered_on_the_samples_with_its_promise() -> None:
    last = ran()[-1]
    assert last.unanswered == []
    answers = [getattr(last, ask.name) for ask in ALL]
    for answer in answers:
        assert answer is not None
        assert (answer.exact, answer.rows) == (False, 8_000)
        assert answer.problem
        assert answer.measure
        assert answer.guarantee.endswith(".")
        assert 0 < answer.sample <= 1_000
    assert [answer.rule for answer in answers] == [
        Rule.PAPER,
        Rule.PAPER,
        Rule.TUPLES,
        Rule.PAPER,
        Rule.CERTIFIED,
        None,
    ]
    minimal, qid, key, mask, dependencies, graph = answers
    assert minimal.sets
    assert all("confidence 99 %" in found.guarantee for found in (minimal, qid, key, mask, dependencies))
    assert "zip" in mask.hide
    assert mask.met
    assert mask.separation.upper <= 0.9
    assert mask.optimality.weight >= mask.optimality.greedy_weight
    assert key.optimality.weight <= key.optimality.greedy_weight
    assert dependencies.declared[0].error.lower <= dependencies.declared[0].error.estimate
    assert (graph.holds, "of the sample only" in graph.guarantee) == ("of the sample only", True)


def test_a_sample_of_every_row_is_answered_exactly() -> None:
    last = ran(rows=500)[-1]
    answers = [getattr(last, ask.name) for ask in ALL]
    assert [answer.exact for answer in answers] == [True] * len(ALL)


def test_a_stream_without_rows_is_asked_nothing() -> None:
    solved = InlineSolver().solve(job_of(STREAM, State(STREAM)))
    assert [getattr(solved, ask.name) for ask in ALL] == [None] * len(ALL)


def test_changes_name_the_problem_and_leave_out_what_is_unanswered() -> None:
    first, last = ran()[0], ran()[-1]
    assert first.optimal_mask is not None
    assert last.minimal is not None
    mask = first.optimal_mask.model_copy(update={"publish": ["age"]})
    minimal = last.minimal.model_copy(update={"sets": last.minimal.sets * 20})
    before = last.model_copy(update={"optimal_mask": mask, "minimal": minimal, "qid": None, "dependencies": None})
    told = {change.about: (change.before, change.after) for change in changes(before, last)}
    assert last.optimal_mask is not None
    assert told["optimal_mask"] == ("{age}", f"{{{', '.join(sorted(last.optimal_mask.publish))}}}")
    assert told["minimal"][0] == f"{20 * len(last.minimal.sets)} sets"
    assert "dependencies" in told
    lost = before.model_copy(update={"unanswered": [Unanswered(problem="optimal_mask", reason="out of time")]})
    assert "optimal_mask" not in {change.about for change in changes(lost, last)}
    assert changes(last, last) == []


def test_closeness_is_judged_through_the_loop() -> None:
    limit = Limit(Quantity.CLOSENESS, 0.5, sensitive="occupation", t=0.6)
    stream = replace(
        STREAM,
        problems=(),
        panes=PaneRule(4_000, "records"),
        key=None,
        published=(PublishedSet("p", ("sex",), (limit,)),),
    )
    verdict = ran(stream, rows=9_000)[-1].verdicts[0]
    assert verdict.state is VerdictState.SAFE
    assert verdict.sentence.startswith("Safe: at most ")
    assert "further than 0.6 from occupation in all rows" in verdict.sentence
    assert verdict.audit is not None
    assert verdict.audit.groups is not None


def test_a_digest_without_further_problems_is_what_it_was() -> None:
    bare = replace(STREAM, problems=())
    assert len({bare.digest, STREAM.digest, replace(STREAM, problems=ALL[:1]).digest}) == 3
    assert bare.sampling_digest == STREAM.sampling_digest


def test_promises_for_all_sets_need_named_columns() -> None:
    with pytest.raises(UsageError, match="The problem minimal must know the columns beforehand"):
        replace(STREAM, projection=Projection())
    assert replace(STREAM, projection=Projection(), problems=ALL[-1:]).problems
    with pytest.raises(UsageError, match="twice"):
        replace(STREAM, problems=ALL[:1] * 2)


@dataclass(frozen=True, slots=True)
class Sleeps:
    """A problem that takes as long as it is told; found by the solver's process under its module's name."""

    name: ClassVar[str] = "minimal"
    named: ClassVar[bool] = True
    takes: float
    seconds: float
    memory: bool = False
    started: str | None = None

    def solve(self, _: Evidence) -> None:
        if self.started is not None:
            Path(self.started).touch()
        if self.memory:
            raise MemoryError
        deadline = time.monotonic() + self.takes
        while time.monotonic() < deadline:
            time.sleep(0.05)


def a_job(*problems: object) -> Job:
    state = State(STREAM)
    for batch in GeneratorSource(PEOPLE, 4_000, 4_000).batches():
        state.apply(batch)
    return replace(job_of(STREAM, state), problems=problems)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("slow", "reason", "others"),
    [
        (Sleeps(300.0, 0.2), "out of time", True),
        (Sleeps(0.0, 300.0, memory=True), "out of memory", True),
        (Sleeps(300.0, 300.0), "out of time", False),
    ],
)
def test_a_slow_problem_costs_its_own_answer(slow: Sleeps, reason: str, others: bool, tmp_path: Path) -> None:
    started = tmp_path / "started"
    job = a_job(replace(slow, started=str(started)), AskQid(k=5))
    clock = ManualClock()
    solver = ProcessSolver(10.0, clock)
    try:
        solver.submit(job)
        if not others:
            # What is sent before the problem begins is in the pipe by then.
            while not started.exists():
                time.sleep(0.05)
            clock.advance(11.0)
        solved = None
        while solved is None:
            solved = solver.result(timeout=1.0)
    finally:
        solver.close()
    expected = InlineSolver().key_and_mask(job)
    assert solved.outcome is Outcome.ANSWERED
    assert solved.recommendation is not None
    assert (solved.recommendation.key, solved.recommendation.mask) == (expected.key, expected.mask)
    assert solved.recommendation.unanswered[0] == Unanswered(problem="minimal", reason=reason)
    assert (solved.recommendation.qid is not None) == others
    assert [one.problem for one in solved.recommendation.unanswered] == ["minimal", *([] if others else ["qid"])]
