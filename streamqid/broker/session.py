"""One attempt to copy: it owns the name of the copy, and goes on until it is told to stop or something fails.

A transaction holds the records of some batches under one order.  Nothing is kept between transactions but the
positions, which the brokers have as well; so after any failure a new session begins where the last commit ended.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from streamqid.broker.owner import note, partition_of
from streamqid.broker.stored import taken_apart
from streamqid.copying.masking import Masking
from streamqid.copying.progress import NOT_ALLOWED, CopyState
from streamqid.copying.rule import Action
from streamqid.engine.failpoints import reach
from streamqid.records import Reason, Reject

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kafka import OffsetAndMetadata, TopicPartition

    from streamqid.broker.formats import Format
    from streamqid.broker.owner import Lookout
    from streamqid.broker.stored import Record
    from streamqid.broker.transactions import Transactions
    from streamqid.copying.gate import Gate, Order
    from streamqid.copying.progress import Progress
    from streamqid.copying.rule import CopyRule
    from streamqid.records import Batch, Origin

MOST_RECORDS: Final = 10_000
MOST_SECONDS: Final = 1.0
"""A transaction is committed when it has so many records, is so old, or when nothing waits."""
LAG_SECONDS: Final = 5.0
"""How often the ends of the logs are asked for."""
CLAIM_SECONDS: Final = 3600.0
"""How often all offsets are committed again: brokers forget those of a partition that stand still for days."""
LOOK_SECONDS: Final = 0.05

_STATES: Final = {
    Action.COPY: CopyState.COPYING,
    Action.STOP: CopyState.STOPPED,
    Action.DROP: CopyState.DROPPING,
}


class OrderChangedError(Exception):
    """The order changed while a transaction was open, which must not be committed."""


class NotPlacedError(Exception):
    """A batch of a partition whose committed offset this session has not asked for, because it did not see it."""


@dataclass(slots=True)
class _Open:
    """What the open transaction does."""

    order: Order
    masking: Masking
    since: float
    reached: dict[Origin, int] = field(default_factory=dict)
    copied: int = 0
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def records(self) -> int:
        return self.copied + self.dropped.total()


@dataclass(slots=True, eq=False)
class Session:
    """Copies batches.  ``told`` is called when the state may have changed, ``rejected`` for records that are bad."""

    rule: CopyRule
    format: Format
    gate: Gate
    progress: Progress
    process: str
    transactions: Transactions
    lookout: Lookout
    positions: dict[Origin, int]
    stopping: Callable[[], bool]
    told: Callable[[CopyState, Order], None]
    rejected: Callable[[Origin, int, list[Reject]], None]
    _open: _Open | None = field(default=None, init=False)
    _lags_at: float = field(default=float("-inf"), init=False)
    _claimed_at: float = field(default=float("-inf"), init=False)

    def claim(self) -> None:
        """Commit the positions under the name of this process, so that another one sees who has taken over."""
        self._claimed_at = time.monotonic()
        if self.positions:
            self.transactions.begin()
            self.transactions.commit(self._notes(self.positions), lambda: None)

    def take(self, batch: Batch | None) -> None:
        """Copy a batch, or commit what is open when there is none; waits while the order is to stop.

        A source finds topics and partitions later than the session, and reads them from their beginning.  What was
        copied of them before is known to the brokers only, so a new session must ask.
        """
        if batch is not None and not self._placed(batch.origin):
            raise NotPlacedError
        if batch is not None and self._allowed():
            self._copy(batch)
        self._look()
        self._claim_again()
        now = self._open
        full = now is not None and (now.records >= MOST_RECORDS or time.monotonic() - now.since >= MOST_SECONDS)
        if batch is None or full or self.stopping():
            self.commit()

    def commit(self) -> None:
        """Commit what is open, unless the order is no longer what it was."""
        now = self._open
        if now is None:
            return
        reach("copy-commit")
        self._check_order()
        self.transactions.commit(self._notes(now.reached), self._check_order)
        self._open = None
        self.positions.update(now.reached)
        self.progress.committed(now.copied, now.dropped)
        reach("copy-committed")
        self._claim_again()

    def _claim_again(self) -> None:
        """Now and then, between transactions, commit all positions, those that stand still as well."""
        if self._open is None and time.monotonic() - self._claimed_at >= CLAIM_SECONDS:
            self.claim()

    def _check_order(self) -> None:
        reach("copy-check")
        if self._open is not None and self.gate.order is not self._open.order:
            raise OrderChangedError

    def _notes(self, offsets: Mapping[Origin, int]) -> dict[TopicPartition, OffsetAndMetadata]:
        shown = self.gate.shown
        return {partition_of(origin): note(at, self.process, origin, shown) for origin, at in offsets.items()}

    def _placed(self, origin: Origin) -> bool:
        """Whether its position was asked for; a topic that was made anew begins anew where that is allowed."""
        if origin in self.positions:
            return True
        return any(one.id and partition_of(one) == partition_of(origin) for one in self.positions)

    def _allowed(self) -> bool:
        """Wait until the order is something else than to stop; return whether it is."""
        while (order := self.gate.order).action is Action.STOP:
            if self._open is not None:
                raise OrderChangedError
            self._look()
            self._claim_again()
            if self.stopping():
                return False
            time.sleep(LOOK_SECONDS)
        if self._open is None:
            masking = Masking(self.format, frozenset(order.columns), self.rule.hidden, self.rule.constant)
            self.gate.begun(order)
            self.transactions.begin()
            self._open = _Open(order, masking, time.monotonic())
        elif self._open.order is not order:
            raise OrderChangedError
        return True

    def _copy(self, batch: Batch) -> None:
        now = self._open
        if now is None:
            return
        records, end = taken_apart(batch)
        rejects: list[Reject] = []
        for record in records:
            if now.order.action is Action.DROP:
                now.dropped[NOT_ALLOWED] += 1
                continue
            masked = self._masked(now.masking, record)
            if isinstance(masked, Reason):
                now.dropped[str(masked)] += 1
                rejects.append(Reject(record.offset, masked))
            else:
                self.transactions.send(batch.origin.partition, masked)
                now.copied += 1
        now.reached[batch.origin] = end
        if records:
            self.rejected(batch.origin, len(records), rejects)

    def _masked(self, masking: Masking, record: Record) -> Record | Reason:
        key = record.key if self.rule.keep_key else None
        value = Reason.TOMBSTONE if record.value is None else masking.apply(record.value)
        if value is Reason.TOMBSTONE and key is not None:
            # The row of this key is gone, be it by a null value or by a deletion; without a key that says nothing.
            return replace(record, key=key, value=None)
        return value if isinstance(value, Reason) else replace(record, key=key, value=value)

    def _look(self) -> None:
        """Tell the state, and now and then how much waits."""
        order = self.gate.order
        self.told(_STATES[order.action], order)
        now = time.monotonic()
        if now - self._lags_at >= LAG_SECONDS:
            self._lags_at = now
            reached = {} if self._open is None else self._open.reached
            self.progress.lags = self.lookout.lags(self.positions | reached)
