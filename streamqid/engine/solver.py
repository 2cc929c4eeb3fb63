"""Solves: from a copy of the samples to a recommendation, as a function that can run anywhere."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from streamqid.engine.documents import Recommendation, VerdictState
from streamqid.engine.drift import WindowAnswer, drifted
from streamqid.engine.events import Outcome, Solved
from streamqid.engine.judge import judge
from streamqid.engine.proposals import propose
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamqid.engine.documents import Position
    from streamqid.engine.questions import AskKey, AskMask
    from streamqid.engine.sample_questions import Ask
    from streamqid.engine.state import State
    from streamqid.engine.stream import Stream
    from streamqid.engine.watch import Due, Watch
    from streamqid.sampling.pairs import Evidence

ROWS_TO_TELL_APART = 2


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """All that a solve needs, detached from the state and ready to be pickled.

    ``due`` are the windows that are to be judged, oldest first; ``tests`` counts the tests of each set before them, and
    ``key_before`` is the key of the window before.  A job holds fingerprints and the secret, so
    it goes to processes of the same user only, and never to a disk.
    """

    id: str
    stream: str
    records: int
    skipped: int
    positions: tuple[Position, ...]
    landmark: Evidence
    due: tuple[Due, ...]
    tests: Mapping[str, int]
    key_before: tuple[str, ...]
    key: AskKey | None
    mask: AskMask | None
    columns_left_out: bool = False
    problems: tuple[Ask, ...] = ()


def job_of(stream: Stream, state: State, watch: Watch | None = None) -> Job:
    """Copy what a solve needs out of the state, with the windows that ``watch`` wants judged."""
    positions = tuple(state.positions())
    landmark = state.landmark.evidence()
    # Named columns take part also if none was seen yet: their number must not depend on the sample.
    named = [column for column in stream.projection.only if column not in stream.projection.ignore]
    return Job(
        id=_result_id(stream, positions, state.closed_before()),
        stream=stream.name,
        records=state.records,
        skipped=state.skipped,
        positions=positions,
        landmark=landmark.select(named) if named else landmark,
        due=() if watch is None else watch.due(state),
        tests={} if watch is None else watch.tests(),
        key_before=() if watch is None else tuple(watch.history.key),
        key=stream.key,
        mask=stream.mask,
        columns_left_out=state.landmark.columns_left_out,
        problems=stream.problems,
    )


class InlineSolver:
    """Solves on the thread that asks; a ``Solver`` whose result is there as soon as the job is submitted."""

    def __init__(self) -> None:
        self._solved: Solved | None = None

    @property
    def busy(self) -> bool:
        """Whether a result waits to be taken."""
        return self._solved is not None

    def submit(self, job: Job) -> None:
        """Solve."""
        began = time.monotonic()
        answers = self.solve(job), self.judge(job)
        self._solved = Solved(Outcome.ANSWERED, time.monotonic() - began, *answers)

    def result(self, timeout: float = 0.0) -> Solved | None:
        """Return the result of the last job, once."""
        solved, self._solved = self._solved, None
        return solved

    def close(self) -> None:
        """Hold nothing."""

    def solve(self, job: Job) -> Recommendation:
        """Answer all questions about all records; what is published has its verdicts from the history."""
        answers = {ask.name: ask.solve(job.landmark) for ask in asked(job)}
        return self.key_and_mask(job).model_copy(update=answers)

    def key_and_mask(self, job: Job) -> Recommendation:
        """Return the recommendation without the other problems, none of which it has to wait for."""
        landmark = job.landmark
        ask_key, ask_mask = (job.key, job.mask) if _enough(job) else (None, None)
        return Recommendation(
            id=job.id,
            stream=job.stream,
            records=job.records,
            skipped_offsets=job.skipped,
            positions=list(job.positions),
            columns_left_out=job.columns_left_out,
            key=None if ask_key is None else minimum_key(landmark, ask_key.on(landmark.columns)),
            mask=None if ask_mask is None else masking(landmark, ask_mask.on(landmark.columns)),
            verdicts=[],
        )

    def judge(self, job: Job) -> tuple[WindowAnswer, ...]:
        """Look at the windows of a job in their order; a set that is unsafe gets a proposal."""
        tests, key, found = dict(job.tests), job.key_before, []
        for due in job.due:
            answer = WindowAnswer(window=due.window.span, records=due.window.records)
            if due.drift and job.key is not None:
                answer = drifted(due.window, job.key, key)
                key = tuple(answer.key) if answer.key_met and answer.key else key
            verdicts = []
            for published in due.published:
                verdict = judge(published, due.window, tests.get(published.name, 0) + 1)
                if verdict.number is not None:
                    tests[published.name] = verdict.number
                    if verdict.state is VerdictState.UNSAFE:
                        proposal = propose(published, due.window, verdict.number)
                        verdict = verdict.model_copy(update={"proposal": proposal})
                verdicts.append(verdict)
            found.append(answer.model_copy(update={"verdicts": verdicts}))
        return tuple(found)


def asked(job: Job) -> tuple[Ask, ...]:
    """Return the problems besides key and mask that the samples have rows for."""
    return job.problems if _enough(job) and job.landmark.columns else ()


def _enough(job: Job) -> bool:
    return min(len(job.landmark.a), len(job.landmark.b)) >= ROWS_TO_TELL_APART


def _result_id(stream: Stream, positions: tuple[Position, ...], open_pane: int | None) -> str:
    """Name a result by what it follows from: the configuration, the positions, and which windows have closed."""
    covered = [[position.origin, position.partition, position.id, position.next_offset] for position in positions]
    text = msgspec.json.encode([stream.digest, covered, open_pane])
    return hashlib.blake2b(text, digest_size=16, person=b"streamqid.result").hexdigest()
