"""What-if questions about one stream, for whoever asks over HTTP."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from typing import TYPE_CHECKING

from streamqid.engine.observers import Silent
from streamqid.engine.questions import AskMask
from streamqid.engine.whatif import Basis
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.answering import Answering, Question
    from streamqid.engine.solver import Job
    from streamqid.engine.stream import Stream
    from streamqid.engine.whatif import Over

ANSWERS = 1_000
"""Answers that are kept while the sample is the same."""
REST_SECONDS = 1.0
"""How long a sample is asked about at least: where windows close many times a second, each would have to be sent."""


class Explorer(Silent):
    """Holds the newest samples that went to the solver, and the answers about them; asked from any thread.

    The samples are copies, so the loop never waits.  A question is answered in another process.
    """

    def __init__(self, stream: Stream, answering: Answering) -> None:
        self._stream, self._answering = stream, answering
        self._newest: dict[Over, Basis] = {}
        self._bases: dict[Over, Basis] = {}
        self._since = float("-inf")
        self._lock = threading.Lock()
        self._answers: OrderedDict[tuple[str, Question], bytes] = OrderedDict()

    def asked(self, job: Job) -> None:
        """Take the samples of a job; a window stays until there is a newer one."""
        ask, published = self._stream.mask or AskMask(), self._stream.published
        bases = dict(self._newest)
        name = self._stream.name
        bases["all"] = Basis(job.id, name, "all", job.records, None, job.landmark, ask, published)
        window = next((due.window for due in reversed(job.due) if due.drift), None)
        if window is not None:
            place = f"{job.id}.{window.span.last_pane}"
            bases["newest"] = Basis(place, name, "newest", window.records, window.span, window.evidence, ask, published)
        self._newest = bases

    def basis(self, over: Over) -> Basis | None:
        """Return the sample that is asked about; None while there is none."""
        with self._lock:
            now = time.monotonic()
            if over not in self._bases or now - self._since >= REST_SECONDS:
                self._bases, self._since = self._newest, now
            return self._bases.get(over)

    def ask(self, basis: Basis, question: Question) -> bytes | None:
        """Return the answer as JSON, None when there is none in time; raise a UsageError for what cannot be asked."""
        self._check(basis, question.columns, question.like)
        known = (basis.id, question)
        with self._lock:
            if known in self._answers:
                self._answers.move_to_end(known)
                return self._answers[known]
        found = self._answering.ask(basis, question)
        if found is not None:
            with self._lock:
                self._answers[known] = found
                while len(self._answers) > ANSWERS:
                    self._answers.popitem(last=False)
        return found

    def _check(self, basis: Basis, columns: Sequence[str], like: str | None) -> None:
        if not set(columns) <= set(basis.evidence.columns):
            raise UsageError("The sample has no column of this name: see /v1/streams/{stream}/columns.")
        if like is not None and like not in {one.name for one in self._stream.published}:
            raise UsageError("There is no published set of this name: see /v1/published.")
