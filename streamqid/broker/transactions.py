# ruff: noqa: SLF001  # its own methods wait without a deadline
"""Records and the offsets behind them, written together or not at all.

A transactional id has one owner: who opens it last.  Opening ends what the owner before left open, so that afterwards
the committed offsets stand still until the new owner moves them.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING, Any, Final, Self

from kafka import KafkaProducer
from kafka.errors import KafkaError, KafkaTimeoutError
from kafka.structs import ConsumerGroupMetadata

from streamqid.broker.failures import open_client
from streamqid.broker.producing import LARGEST, METADATA_SECONDS, discard, last_heard
from streamqid.broker.refusals import NotThereError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kafka import OffsetAndMetadata, TopicPartition

    from streamqid.broker.connect import Connection
    from streamqid.broker.stored import Record

TRANSACTION_SECONDS: Final = 60.0
"""After so long the brokers abort a transaction whose producer is silent."""
DELIVERY_SECONDS: Final = 30.0
"""So long is each step of a transaction waited for."""
BATCH_BYTES: Final = 1 << 18
"""Records of so many bytes are written together."""


class TooFewPartitionsError(KafkaError):  # type: ignore[misc]  # kafka-python has no types
    """The topic does not have a partition of the number that a record comes from."""


class Transactions:
    """Writes to one topic under one name, which is both the transactional id and the group of the offsets.

    Every method raises what the client raises; after that, and after a step that does not end in time, nothing is known
    about the transaction, and a new owner of the name finds out.

    Sending offsets without a generation of the group is safe here, because nobody but the owner of the name commits
    offsets of this group: an owner that was replaced is refused by its transactional id.
    """

    def __init__(self, connection: Connection, topic: str, name: str, batch_bytes: int = BATCH_BYTES) -> None:
        self._topic, self._group = topic, ConsumerGroupMetadata(group_id=name)
        self._sent: list[Any] = []
        self.open = False
        self._producer = open_client(
            KafkaProducer,
            connection,
            acks="all",
            enable_idempotence=True,
            transactional_id=name,
            transaction_timeout_ms=int(TRANSACTION_SECONDS * 1000),
            compression_type="lz4",
            linger_ms=20,
            batch_size=batch_bytes,
            delivery_timeout_ms=int(DELIVERY_SECONDS * 1000),
            request_timeout_ms=int(DELIVERY_SECONDS * 500),
            # The brokers say "not yet" at each step of a first transaction, and are asked again after this long.
            retry_backoff_ms=20,
            max_block_ms=int(DELIVERY_SECONDS * 1000),
            max_request_size=LARGEST,
            allow_auto_create_topics=False,
        )
        # The client would cut a batch that is too large for the topic under the batches that are on their way.
        self._producer._sender._can_split = lambda *_: False
        try:
            self.partitions: frozenset[int] = self._known()
            self._producer.init_transactions()
        except BaseException:
            discard(self._producer)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Abort what is open, if that is possible, and let go of the brokers."""
        if self.open:
            with contextlib.suppress(Exception):
                self._wait(self._producer._transaction_manager.begin_abort(), seconds=2.0)
        discard(self._producer)

    def begin(self) -> None:
        """Begin a transaction."""
        self._producer.begin_transaction()
        self.open = True
        self._sent = []

    def send(self, partition: int, record: Record) -> None:
        """Write a record to a partition."""
        if partition not in self.partitions:
            raise TooFewPartitionsError(self._topic)
        sent = self._producer.send(
            self._topic, record.value, record.key, None, partition, timestamp_ms=record.timestamp
        )
        self._sent.append(sent)

    def commit(self, offsets: Mapping[TopicPartition, OffsetAndMetadata], check: Callable[[], None]) -> None:
        """Make the records and the offsets of the transaction visible, all of them or none.

        ``check`` is called when everything is at the brokers but the word to commit; what it raises prevents that.
        """
        deadline = time.monotonic() + DELIVERY_SECONDS
        self._producer.flush(timeout=DELIVERY_SECONDS)
        for sent in self._sent:
            sent.get(timeout=max(0.0, deadline - time.monotonic()))
        manager = self._producer._transaction_manager
        self._wait(manager.send_offsets_to_transaction(dict(offsets), self._group))
        check()
        self._wait(manager.begin_commit())
        self.open = False

    def _known(self) -> frozenset[int]:
        heard = last_heard(self._producer)
        try:
            return frozenset(self._producer._wait_on_metadata(self._topic, METADATA_SECONDS * 1000))
        except KafkaTimeoutError:
            if last_heard(self._producer) == heard:
                raise
            raise NotThereError(self._topic) from None

    def _wait(self, result: Any, seconds: float = DELIVERY_SECONDS) -> None:
        self._producer._sender.wakeup()
        if not result.wait(timeout_ms=seconds * 1000):
            raise KafkaTimeoutError("a step of a transaction did not end")
