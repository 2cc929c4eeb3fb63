"""Whether records may be copied now, and which columns of them: what the verdicts of a stream mean for one copy."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamqid.clock import SystemClock
from streamqid.copying.rule import Action
from streamqid.copying.shown import allowed, marks_of
from streamqid.engine.documents import VerdictState
from streamqid.engine.events import Outcome, TroubleKind
from streamqid.engine.observers import Silent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.clock import Clock
    from streamqid.copying.rule import CopyRule
    from streamqid.copying.shown import Marks
    from streamqid.engine.alerts import Alert, DriftEvent
    from streamqid.engine.events import Solved
    from streamqid.engine.history import History
    from streamqid.engine.inputs import Live
    from streamqid.engine.solver import Job
    from streamqid.engine.state import State


@dataclass(frozen=True, slots=True)
class Order:
    """What to do with the next records; ``columns`` are those that may be seen of a record that is copied.

    ``withheld`` counts columns that are recommended and stay hidden, because of what was published before.
    """

    action: Action
    columns: tuple[str, ...]
    verdict: VerdictState
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class _Orders:
    """What a verdict means: if it can be relied on, if it cannot, and as long as that is not known."""

    sure: Order
    doubtful: Order
    waiting: Order


class Gate(Silent):
    """Turns verdicts into an order; an ``Observer`` of the stream.

    ``order`` may be read by any thread and compared by identity: it is the same value until it changes.  Before the
    first verdict it is that of ``when_unsure``; saved verdicts count as soon as they are restored.

    A verdict is about the records that the stream reads, so ``safe`` is taken for ``unknown`` while the stream does not
    read all that it should, and while its loop or its solves give no sign of life.  No broker having answered yet is
    no reason to let records go by: they wait.

    The columns of a recommendation are taken up only if they hold all columns that the copy has published before;
    otherwise it goes on with those of them that it has published (see ``shown``).

    Parameters
    ----------
    live
        The source of the stream, which says what it does not read.
    stale_seconds
        How long a solve may be without an answer, further ones included, and the loop without a turn.
    """

    def __init__(
        self,
        rule: CopyRule,
        live: Live | None = None,
        clock: Clock | None = None,
        stale_seconds: float = float("inf"),
    ) -> None:
        self._rule, self._live = rule, live
        self._clock = clock or SystemClock()
        self._stale_seconds = stale_seconds
        self._turned_at = self._clock.monotonic()
        self._unanswered_since: float | None = None
        self._lock = threading.Lock()
        self._newest: tuple[VerdictState, tuple[str, ...]] | None = None
        self._shown: Marks = frozenset()
        self._orders = self._ordered(VerdictState.UNKNOWN, rule.columns)

    @property
    def order(self) -> Order:
        """What to do now."""
        orders = self._orders
        troubles = () if self._live is None else self._live.troubles()
        kinds = {trouble.kind for trouble in troubles if trouble.halts}
        if TroubleKind.UNREACHABLE in kinds:
            return orders.waiting
        return orders.doubtful if kinds or self._stale() else orders.sure

    def turned(self, state: State) -> None:
        """Note that the loop turns."""
        self._turned_at = self._clock.monotonic()

    def asked(self, job: Job) -> None:
        """Note since when an answer is awaited."""
        if self._unanswered_since is None:
            self._unanswered_since = self._clock.monotonic()

    def watched(self, history: History, news: Sequence[Alert | DriftEvent]) -> None:
        """Take the settled state of the set."""
        if self._rule.set is not None:
            self._take(self._ordered(history.series(self._rule.set).settled, self._rule.columns))

    def solved(self, solved: Solved) -> None:
        """Take the masking that is recommended: safe if its promise holds; an answer without one changes nothing."""
        if solved.outcome is Outcome.ANSWERED:
            self._unanswered_since = None
        found = None if solved.recommendation is None else solved.recommendation.mask
        if self._rule.recommended and found is not None:
            state = VerdictState.SAFE if found.met else VerdictState.UNSAFE
            with self._lock:
                self._newest = state, tuple(found.publish)
                self._recommend()

    @property
    def shown(self) -> Marks:
        """The columns of recommendations that were published so far, or are about to be."""
        return self._shown

    def begun(self, order: Order) -> None:
        """Note that records are about to be published by an order."""
        if self._rule.recommended and order.action is Action.COPY:
            with self._lock:
                self._shown |= marks_of(order.columns)

    def recall(self, shown: Marks) -> None:
        """Go on from what the brokers know to be published, which is less than was begun."""
        with self._lock:
            self._shown = shown
            self._recommend()

    def _recommend(self) -> None:
        if self._newest is not None:
            state, columns = self._newest
            kept = allowed(columns, self._shown)
            self._take(self._ordered(state, kept, len(columns) - len(kept)))

    def _stale(self) -> bool:
        since = self._unanswered_since
        oldest = self._turned_at if since is None else min(since, self._turned_at)
        return self._clock.monotonic() - oldest > self._stale_seconds

    def _ordered(self, state: VerdictState, columns: tuple[str, ...], withheld: int = 0) -> _Orders:
        sure = self._order(state, columns, withheld)
        # What is known to be unsafe stays so: doubts must not lead to what is allowed when unsure.
        doubtful = self._order(VerdictState.UNKNOWN, columns, withheld) if state is VerdictState.SAFE else sure
        waiting = replace(doubtful, action=Action.STOP) if doubtful.action is Action.DROP else doubtful
        return _Orders(sure, doubtful, waiting)

    def _order(self, state: VerdictState, columns: tuple[str, ...], withheld: int) -> Order:
        if state is VerdictState.SAFE:
            action = Action.COPY
        else:
            action = self._rule.when_unsafe if state is VerdictState.UNSAFE else self._rule.when_unsure
        if action is Action.COPY and not columns:
            # There is nothing that could be published.
            action = Action.STOP
        return Order(action, columns, state, withheld)

    def _take(self, orders: _Orders) -> None:
        if orders != self._orders:
            self._orders = orders
