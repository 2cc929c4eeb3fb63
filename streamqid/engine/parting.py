"""The answer of a solve in parts, so that a slow problem costs its own answer only."""

from __future__ import annotations

import contextlib
import signal
from typing import TYPE_CHECKING

from streamqid.engine.documents import Unanswered
from streamqid.engine.events import Outcome, Solved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    from streamqid.engine.documents import Recommendation
    from streamqid.engine.drift import WindowAnswer
    from streamqid.problems.answer import Answer

    First = tuple[Recommendation, tuple[WindowAnswer, ...]]
    Part = First | tuple[str, Answer | str] | None

OUT_OF_TIME, OUT_OF_MEMORY = "out of time", "out of memory"


class OutOfTimeError(Exception):
    """The time of a problem is over."""


class Parts:
    """What has come of a job: key, mask and verdicts first, then one part for each other problem, then an end."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self._problems = problems
        self._first: First | None = None
        self._found: dict[str, Answer] = {}
        self._reasons: dict[str, str] = {}
        self.complete = False

    def take(self, part: Part) -> None:
        """Take the next part."""
        if part is None:
            self.complete = True
        elif not isinstance(part[0], str):
            self._first = part
        elif isinstance(part[1], str):
            self._reasons[part[0]] = part[1]
        else:
            self._found[part[0]] = part[1]

    def solved(self, seconds: float, outcome: Outcome = Outcome.ANSWERED) -> Solved:
        """Return the result; without its first part the whole solve is lost, by the given outcome."""
        if self._first is None:
            return Solved(outcome, seconds)
        recommendation, judged = self._first
        behind = OUT_OF_TIME if outcome is Outcome.TIMED_OUT else "the solver was lost"
        lost = [
            Unanswered(problem=name, reason=self._reasons.get(name, behind))
            for name in self._problems
            if name in self._reasons or not (self.complete or name in self._found)
        ]
        update = {**self._found, "unanswered": lost}
        return Solved(Outcome.ANSWERED, seconds, recommendation.model_copy(update=update), judged)


def within(seconds: float, solve: Callable[[], Answer]) -> Answer | str:
    """Solve on the main thread of a process; return the answer, or why there is none.

    The alarm interrupts between two steps of the interpreter.  A call of a library that does not return holds it back,
    and then the deadline of the whole solve ends the process.
    """
    try:
        with _alarm(seconds):
            return solve()
    except OutOfTimeError:
        return OUT_OF_TIME
    except MemoryError:
        return OUT_OF_MEMORY


@contextlib.contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def rung(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, rung)
    # It rings again in case that code which must not fail, such as a destructor, has swallowed it.
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
