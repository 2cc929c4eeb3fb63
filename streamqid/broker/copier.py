"""Copies the records of a stream to another topic, exactly once, on a thread of its own.

Whatever fails, the session is thrown away and another one begins; see docs/decisions/0011-enforcing-copy.md.
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kafka.errors import (
    AuthorizationError,
    GroupAuthorizationFailedError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    TransactionalIdAuthorizationFailedError,
)

from streamqid.broker import selfcheck
from streamqid.broker.owner import Lookout, partition_of
from streamqid.broker.producing import PATIENCE_SECONDS
from streamqid.broker.refusals import trouble
from streamqid.broker.session import NotPlacedError, OrderChangedError, Session
from streamqid.broker.transactions import BATCH_BYTES, TooFewPartitionsError, Transactions
from streamqid.copying.progress import CopyState, Progress
from streamqid.engine.documents import VerdictState
from streamqid.errors import TransportError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kafka import TopicPartition

    from streamqid.broker.connect import Connection
    from streamqid.broker.formats import Format
    from streamqid.broker.source import KafkaSource
    from streamqid.copying.gate import Gate, Order
    from streamqid.copying.rule import CopyRule
    from streamqid.records import Origin, Reject

FIRST_PAUSE: Final = 0.2
LONGEST_PAUSE: Final = 5.0
LEAST_BATCH_BYTES: Final = 1 << 10
TOO_LARGE: Final = (MessageSizeTooLargeError, RecordListTooLargeError)
"""What a broker says about a batch that is larger than the topic allows, be it of many records or of one."""

PUBLISHED: Final = "what it has published before"

log = logging.getLogger(__name__)


class TakenOverError(Exception):
    """Another process has committed offsets of this copy."""


class ForgottenError(Exception):
    """There are records in the copy, and no offset that says how far it was copied."""


@dataclass(frozen=True, slots=True)
class CopyFrom:
    """What is copied: the topics of a stream, how they are read, and under which name.

    ``source`` makes a source of the topics that commits nothing; ``name`` is the group and the transactional id.
    """

    stream: str
    name: str
    topics: Sequence[str]
    pattern: str | None
    format: Format
    source: Callable[[], KafkaSource]


def _ignored(origin: Origin, records: int, rejects: list[Reject]) -> None:
    """Tell nobody of bad records."""


class Copier:
    """One copy.  ``progress`` may be read from any thread.

    ``rejected`` is called on the copier's thread, for each batch, with the number of its records and the bad ones;
    after a failure some come again.
    """

    def __init__(
        self,
        connection: Connection,
        what: CopyFrom,
        rule: CopyRule,
        gate: Gate,
        rejected: Callable[[Origin, int, list[Reject]], None] = _ignored,
    ) -> None:
        self._connection, self._what, self._rule, self._gate = connection, what, rule, gate
        self._rejected = rejected
        self._process = uuid.uuid4().hex
        self._claimed: set[TopicPartition] = set()
        self._sentence = ""
        self._last_told: tuple[CopyState, str] | None = None
        self._batch_bytes = BATCH_BYTES
        self._stop = threading.Event()
        self.progress = Progress()
        self._thread = threading.Thread(target=self._run, name=f"copy-{what.stream}-{rule.to}", daemon=True)

    def start(self) -> None:
        """Begin to copy."""
        self._thread.start()

    def stop(self) -> None:
        """Ask it to commit what it has and end; may be called from any thread."""
        self._stop.set()

    def join(self, timeout: float) -> bool:
        """Wait for its end; return whether it has come."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        pause = FIRST_PAUSE
        while not self._stop.is_set():
            began = self.progress.transactions
            try:
                self._session()
            except OrderChangedError:
                continue
            except NotPlacedError:
                pause = self._wait(pause, began)
            except TakenOverError:
                self._tell(CopyState.FENCED, f"goes on in another process, which has taken over {self._what.name}")
                return
            except Exception as error:
                if not self._smaller(error):
                    self._tell(CopyState.TROUBLE, self._why(error))
                    pause = self._wait(pause, began)

    def _smaller(self, error: Exception) -> bool:
        """Whether to try again at once with smaller batches, down to one record; then all is tried anew."""
        if not isinstance(error, TOO_LARGE):
            return False
        alone = self._batch_bytes == 0
        if alone:
            self._batch_bytes = BATCH_BYTES
        else:
            self._batch_bytes = self._batch_bytes // 4 if self._batch_bytes > LEAST_BATCH_BYTES else 0
        return not alone

    def _wait(self, pause: float, began: int) -> float:
        """Wait before a new session, for longer and longer while nothing is committed; return how long it was."""
        pause = FIRST_PAUSE if self.progress.transactions > began else min(2 * pause, LONGEST_PAUSE)
        self._stop.wait(pause)
        return pause

    def _session(self) -> None:
        if not selfcheck.hook_works():
            raise TransportError("cannot run with this version of kafka-python: install the version that is required")
        what = self._what
        with Lookout(self._connection, what.name, what.topics, what.pattern) as lookout:
            self._check_owner(lookout)
            with Transactions(self._connection, self._rule.to, what.name, self._batch_bytes) as transactions:
                # Only now nobody else can move the offsets any more.
                committed = lookout.committed()
                self._gate.recall(committed.shown)
                first = lookout.beginnings(committed.positions)
                if first and not committed.positions and lookout.has_records(self._rule.to):
                    raise ForgottenError
                positions = {**committed.positions, **first}
                if not {origin.partition for origin in positions} <= transactions.partitions:
                    raise TooFewPartitionsError(self._rule.to)
                self._copy(lookout, transactions, positions)

    def _check_owner(self, lookout: Lookout) -> None:
        """Stay away if another process has committed what this one had claimed.

        Of topics that were not seen before, the last owner may be one that ended long ago.
        """
        owners = lookout.committed().owners if self._claimed else {}
        if any(owners.get(tp, self._process) != self._process for tp in self._claimed):
            raise TakenOverError

    def _copy(self, lookout: Lookout, transactions: Transactions, positions: dict[Origin, int]) -> None:
        session = Session(
            rule=self._rule,
            format=self._what.format,
            gate=self._gate,
            progress=self.progress,
            process=self._process,
            transactions=transactions,
            lookout=lookout,
            positions=positions,
            stopping=self._stop.is_set,
            told=self._told,
            rejected=self._rejected,
        )
        session.claim()
        self._claimed |= {partition_of(origin) for origin in positions}
        with closing(self._what.source()) as source:
            source.seek(positions)
            began = time.monotonic()
            for batch in source.batches():
                # A source says that nobody has answered yet until somebody has.
                patient = time.monotonic() - began < PATIENCE_SECONDS
                self._sentence = "" if patient else next((one.sentence for one in source.troubles()), "")
                session.take(batch)
                if self._stop.is_set():
                    return

    def _told(self, state: CopyState, order: Order) -> None:
        """Take note of what the order is, or of what is wrong with the source."""
        if self._sentence:
            self._tell(CopyState.TROUBLE, f"is in trouble: {self._sentence}")
        elif state is CopyState.COPYING:
            withheld = f"; columns that would add to {PUBLISHED}: {order.withheld}" * bool(order.withheld)
            columns = f"{len(order.columns)} column{'s' * (len(order.columns) != 1)}"
            self._tell(state, f"goes on with {columns} ({order.verdict}){withheld}")
        elif not order.columns and self._rule.recommended and order.verdict is VerdictState.SAFE:
            what = f"that would not add to {PUBLISHED}" if order.withheld else "yet"
            self._tell(state, f"is stopped because no column is recommended {what}")
        else:
            done = "stopped" if state is CopyState.STOPPED else "dropping records"
            self._tell(state, f"is {done} because the columns are {order.verdict}")

    def _tell(self, state: CopyState, sentence: str) -> None:
        if self._last_told == (state, sentence):
            return
        self._last_told = state, sentence
        self.progress.state = state
        calm = state is CopyState.COPYING
        text = f"{self._what.stream}: the copy to {self._rule.to} {sentence.rstrip('.')}."
        fields = {"stream": self._what.stream, "event": "copy", "to": self._rule.to, "state": str(state)}
        log.log(logging.INFO if calm else logging.WARNING, "%s", text, extra={"fields": fields})

    def _why(self, error: Exception) -> str:
        """Say why a session failed; never with the text of a client's error, which may quote a record."""
        to, name = self._rule.to, self._what.name
        if isinstance(error, TooFewPartitionsError):
            return f"waits: the topic {to} has fewer partitions than what is copied to it; add some"
        if isinstance(error, ForgottenError):
            return f"waits: {to} has records, but the brokers have no offset of group {name}: set them, or empty {to}"
        if isinstance(error, TOO_LARGE):
            return f"waits: a record is larger than {to} allows; raise its max.message.bytes"
        if isinstance(error, TransactionalIdAuthorizationFailedError):
            return f"waits: the transactional id {name} may not be used; grant WRITE and DESCRIBE on it"
        if isinstance(error, GroupAuthorizationFailedError):
            return f"waits: the group {name} may not be used; grant READ on it"
        if isinstance(error, AuthorizationError):
            return f"waits: a topic may not be used; grant WRITE and DESCRIBE on {to}, and READ on what is copied"
        return f"waits: {trouble(to, error).sentence}"
