"""Answers to what-if questions from another process, so that reading never waits for them."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import signal
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from streamqid.engine.process import serve_the_parent

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from streamqid.engine.whatif import Basis

WAITING = 8
"""Questions that may wait for each other; one more is refused, so that they never take all connections."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a sample: about columns that it has, by the limits of a published set or of the masking."""

    about: Literal["set", "safe set", "columns"]
    columns: tuple[str, ...] = ()
    like: str | None = None


class Answering:
    """A process that answers one question at a time, begun with the first one; all methods from any thread.

    A sample goes there once, through a pipe that only the two processes have.  A question that takes too long or kills
    the process costs its answer and nothing else.
    """

    def __init__(self, seconds: float = 10.0) -> None:
        self._seconds = seconds
        self._places = threading.BoundedSemaphore(WAITING)
        self._one = threading.Lock()
        self._pipe: Connection | None = None
        self._worker: SpawnProcess | None = None
        self._held: dict[tuple[str, str], str] = {}
        self._closed = False

    def ask(self, basis: Basis, question: Question) -> bytes | None:
        """Return the answer as JSON; None when there is none in time, or when too many wait."""
        if not self._places.acquire(blocking=False):
            return None
        try:
            if not self._one.acquire(timeout=self._seconds):
                return None
            try:
                return self._ask(basis, question)
            finally:
                self._one.release()
        finally:
            self._places.release()

    def close(self) -> None:
        """End the process, whatever it does."""
        with self._one:
            self._closed = True
            self._end()

    def _ask(self, basis: Basis, question: Question) -> bytes | None:
        if self._closed:
            return None
        place = (basis.stream, basis.over)
        try:
            pipe = self._started()
            new = self._held.get(place) != basis.id
            pipe.send((place, basis if new else None, question))
            self._held[place] = basis.id
            if pipe.poll(self._seconds):
                return pipe.recv_bytes()
        except (EOFError, OSError):
            pass
        log.warning("A what-if question has no answer; the next one gets a new process.")
        self._end()
        return None

    def _started(self) -> Connection:
        if self._pipe is None:
            # A forked child would share the sockets of the broker's client and lack its threads.
            context = multiprocessing.get_context("spawn")
            self._pipe, theirs = context.Pipe()
            with theirs:
                self._worker = context.Process(target=_serve, args=(theirs,), daemon=True, name="streamqid-what-if")
                self._worker.start()
        return self._pipe

    def _end(self) -> None:
        if self._worker is not None and self._worker.pid is not None:
            self._worker.kill()
            self._worker.join()
            self._worker.close()
        if self._pipe is not None:
            self._pipe.close()
        self._pipe = self._worker = None
        self._held.clear()


def _serve(pipe: Connection) -> None:
    """Answer one question after the other until the other end is closed; dies by any error, which tells it apart."""
    serve_the_parent()
    # A parent that ends without closing this asks it to end, and waits; there is nothing to lose here.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    held: dict[tuple[str, str], Basis] = {}
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            place, basis, question = pipe.recv()
            held[place] = basis or held[place]
            pipe.send_bytes(answer(held[place], question))


def answer(basis: Basis, question: Question) -> bytes:
    """Answer a question as JSON."""
    if question.about == "columns":
        return basis.columns().model_dump_json().encode()
    if question.about == "safe set":
        return basis.safe_set(question.columns, question.like).model_dump_json().encode()
    return basis.what_if(question.columns, question.like).model_dump_json().encode()
