"""Solves: from a copy of the samples to a recommendation, as a function that can run anywhere."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from streamqid.engine.documents import Recommendation
from streamqid.engine.events import Outcome, Solved
from streamqid.engine.judge import Judge, Window
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key

if TYPE_CHECKING:
    from streamqid.engine.documents import Position
    from streamqid.engine.questions import AskKey, AskMask, PublishedSet
    from streamqid.engine.state import State
    from streamqid.engine.stream import Stream
    from streamqid.sampling.pairs import Evidence

ROWS_TO_TELL_APART = 2


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """All that a solve needs, detached from the state and ready to be pickled.

    ``windows`` are the closed windows that are held, oldest first.  A job holds fingerprints and the secret, so
    it goes to processes of the same user only, and never to a disk.
    """

    id: str
    stream: str
    records: int
    skipped: int
    positions: tuple[Position, ...]
    landmark: Evidence
    windows: tuple[Window, ...]
    key: AskKey | None
    mask: AskMask | None
    published: tuple[PublishedSet, ...]
    columns_left_out: bool = False


def job_of(stream: Stream, state: State) -> Job:
    """Copy what a solve needs out of the state."""
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
        windows=tuple(closed_windows(stream, state)) if stream.published else (),
        key=stream.key,
        mask=stream.mask,
        published=stream.published,
        columns_left_out=state.landmark.columns_left_out,
    )


def closed_windows(stream: Stream, state: State) -> list[Window]:
    """Return the windows that end with a closed pane and lie in the panes that are held, oldest first."""
    held, still_open = list(state.panes), state.closed_before()
    # Only what is judged is copied: evidence on all columns of all windows would be most of a job.
    judged = sorted({column for published in stream.published for column in published.columns})
    windows = []
    for last in held:
        first = last - stream.window_panes + 1
        if first < held[0] or still_open is None or last >= still_open:
            continue
        merged = state.panes.window(last, stream.window_panes)
        evidence = merged.evidence()
        seen = [column for column in judged if column in evidence.columns]
        groups = {} if state.counters is None else state.counters.window(first, last)
        windows.append(Window(stream.panes.span(first, last), merged.n, evidence.select(seen), groups))
    return windows


class InlineSolver:
    """Solves on the thread that asks; a ``Solver`` whose result is there as soon as the job is submitted."""

    def __init__(self) -> None:
        self._judge = Judge()
        self._solved: Solved | None = None

    @property
    def busy(self) -> bool:
        """Whether a result waits to be taken."""
        return self._solved is not None

    def submit(self, job: Job) -> None:
        """Solve."""
        began = time.monotonic()
        answer = self.solve(job)
        self._solved = Solved(Outcome.ANSWERED, time.monotonic() - began, answer)

    def result(self, timeout: float = 0.0) -> Solved | None:
        """Return the result of the last job, once."""
        solved, self._solved = self._solved, None
        return solved

    def close(self) -> None:
        """Hold nothing."""

    def solve(self, job: Job) -> Recommendation:
        """Answer all questions of a job."""
        landmark = job.landmark
        enough = min(len(landmark.a), len(landmark.b)) >= ROWS_TO_TELL_APART
        ask_key, ask_mask = (job.key, job.mask) if enough else (None, None)
        return Recommendation(
            id=job.id,
            stream=job.stream,
            records=job.records,
            skipped_offsets=job.skipped,
            positions=list(job.positions),
            columns_left_out=job.columns_left_out,
            key=None if ask_key is None else minimum_key(landmark, ask_key.on(landmark.columns)),
            mask=None if ask_mask is None else masking(landmark, ask_mask.on(landmark.columns)),
            verdicts=self._judge.verdicts(job.published, job.windows),
        )


def _result_id(stream: Stream, positions: tuple[Position, ...], open_pane: int | None) -> str:
    """Name a result by what it follows from: the configuration, the positions, and which windows have closed."""
    covered = [[position.origin, position.partition, position.id, position.next_offset] for position in positions]
    text = msgspec.json.encode([stream.digest, covered, open_pane])
    return hashlib.blake2b(text, digest_size=16, person=b"streamqid.result").hexdigest()
