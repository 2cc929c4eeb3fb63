"""Solving in another process, so that reading never waits for an answer."""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import pickle
import signal
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from streamqid.engine.events import Outcome, Solved
from streamqid.engine.failpoints import reach
from streamqid.engine.parting import Parts, within
from streamqid.engine.solver import InlineSolver, asked

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import SpawnProcess

    from streamqid.clock import Clock
    from streamqid.engine.solver import Job

NICENESS = 10
"""How much a process that answers gives way: where it and the loop want the same core, the loop gets it."""

log = logging.getLogger(__name__)


class ProcessSolver:
    """A ``Solver`` in a process of its own, which a deadline ends.

    A solve that takes too long, runs out of memory or dies costs its answer and nothing else: the next job gets a
    new process.  Key, mask and verdicts come first; each other problem has a time limit of its own, and one that is
    still under way at the deadline, or dies, costs itself and those behind it in this solve.
    Jobs hold fingerprints and the secret; they travel through a pipe that only the two processes have.
    """

    def __init__(self, deadline_seconds: float, clock: Clock) -> None:
        self._deadline = deadline_seconds
        self._clock = clock
        self._began: float | None = None
        self._sender: threading.Thread | None = None
        self._parts = Parts(())
        self._worker: SpawnProcess | None = None
        self._start()

    @property
    def busy(self) -> bool:
        """Whether a job was submitted whose result was not taken yet."""
        return self._began is not None

    @property
    def pid(self) -> int | None:
        """The process that solves."""
        return None if self._worker is None else self._worker.pid

    def submit(self, job: Job) -> None:
        """Hand a job over; a thread does so, since a pipe takes a large job only as fast as it is read."""
        if self._worker is None or not self._worker.is_alive():
            self._restart()
        self._began = self._clock.monotonic()
        self._parts = Parts(tuple(ask.name for ask in job.problems))
        self._sender = threading.Thread(target=_send, args=(self._pipe, job), daemon=True, name="submit")
        self._sender.start()

    def result(self, timeout: float = 0.0) -> Solved | None:
        """Return how the job ended, waiting for it so long at most."""
        if self._began is None:
            return None
        seconds = self._clock.monotonic() - self._began
        left = max(0.0, min(timeout, self._deadline - seconds))
        try:
            while not self._parts.complete and self._pipe.poll(left):
                self._parts.take(self._pipe.recv())
        except (EOFError, OSError):
            return self._failed(Outcome.CRASHED, seconds)
        if self._parts.complete:
            self._began = None
            return self._parts.solved(seconds)
        return self._failed(Outcome.TIMED_OUT, seconds) if seconds > self._deadline else None

    def close(self) -> None:
        """End the process, whatever it does."""
        if self._worker is not None:
            self._worker.kill()
            self._worker.join()
            self._worker.close()
            self._worker = None
        if self._sender is not None:
            # It fails at once, since nobody reads any more; its pipe must not be another's by then.
            self._sender.join()
            self._sender = None
        self._pipe.close()
        self._began = None

    def _failed(self, outcome: Outcome, seconds: float) -> Solved:
        log.warning("A solve was lost after %.1f seconds (%s); the next one begins anew.", seconds, outcome)
        self._restart()
        return self._parts.solved(seconds, outcome)

    def _restart(self) -> None:
        self.close()
        try:
            self._start()
        except OSError as error:
            # The pipe has no other end, so each job crashes until there is memory for a process again.
            log.warning("A process to solve in could not be started (%s).", type(error).__name__)

    def _start(self) -> None:
        # A forked child would share the sockets of the broker's client and lack its threads.
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        with theirs:
            worker = context.Process(target=_serve, args=(theirs,), daemon=True, name="streamqid-solver")
            worker.start()
        self._worker = worker


def _send(pipe: Connection, job: Job) -> None:
    """Send a job, the arrays of its samples as they lie in memory: a copy would hold up the thread that reads."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(job, protocol=5, buffer_callback=arrays.append)
    # A process that died meanwhile is noticed when its result is asked for; a pipe closed under way has no handle.
    with contextlib.suppress(OSError, TypeError, ValueError):
        pipe.send(len(arrays))
        pipe.send_bytes(rest)
        for array in arrays:
            pipe.send_bytes(array.raw())


def _receive(pipe: Connection) -> Job:
    count = pipe.recv()
    rest, *arrays = (pipe.recv_bytes() for _ in range(1 + count))
    job: Job = pickle.loads(rest, buffers=arrays)  # noqa: S301  # of the process that started this one
    return job


def _serve(pipe: Connection) -> None:
    """Solve one job after the other until the other end is closed; dies by any error, which tells it apart."""
    serve_the_parent()
    solver = InlineSolver()
    try:
        while True:
            job = _receive(pipe)
            reach("solve")
            pipe.send((solver.key_and_mask(job), solver.judge(job)))
            for ask in asked(job):
                pipe.send((ask.name, within(ask.seconds, partial(ask.solve, job.landmark))))
            pipe.send(None)
    except (EOFError, BrokenPipeError):
        return
    except BaseException as error:
        # The message could quote a value, so only its type is told.
        log.error("The solver failed (%s).", type(error).__name__)


def serve_the_parent() -> None:
    """Make this process one that gives way to its parent and ends with it, and only when the parent says so."""
    with contextlib.suppress(OSError):
        # Where a sandbox forbids it, solving goes on as it is.
        os.nice(NICENESS)
    for number in (signal.SIGINT, signal.SIGTERM):
        # Signals to the whole process group are meant for the parent, which ends this process when it stops.
        signal.signal(number, signal.SIG_IGN)
    threading.Thread(target=_die_with_parent, daemon=True, name="parent").start()
    _offer_to_the_killer()


def _die_with_parent() -> None:
    """End this process when its parent is killed: an endless solve would not notice."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _offer_to_the_killer() -> None:
    """Ask the kernel to end this process rather than another one of the service when memory runs out."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
