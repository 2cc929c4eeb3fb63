# ruff: noqa: SLF001  # reaching in is what this module is for
"""Batches instead of records out of ``poll()``: the one place that reaches into kafka-python's fetcher.

The client takes every record apart, in Python, before anybody asks for it.  Here a subclass of the class that it
unpacks the answer to a fetch with gives out one object for each stored batch.  What the original does besides is
repeated: checksums, marks of transactions, aborted transactions, positions.
"""

from __future__ import annotations

import functools
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
from kafka.consumer.fetcher import Fetcher, IsolationLevel
from kafka.errors import CorruptRecordError
from kafka.net.transport import KafkaTCPTransport
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.legacy_records import LegacyRecordBatch
from kafka.record.util import calc_crc32c

from streamqid.broker.packed import CONTROL, HEADER, NEVER, TRANSACTIONAL, Loose, Packed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_LENGTH, _BASE = struct.Struct(">i"), struct.Struct(">q")
_LENGTH_AT, _BEHIND_LENGTH, _MAGIC_AT, _ATTRIBUTES_AT = 8, 12, 16, 21
_RECEIVE_BYTES, _MOST_PARTS = 1 << 18, 16
"""What is taken from a socket at a time, and how often before it is looked at."""
_SMALLEST = 26
"""Bytes of the smallest batch of any version."""


class CorruptBatchError(CorruptRecordError):  # type: ignore[misc]  # kafka-python has no types
    """A batch does not match its checksum."""

    def __init__(self, partition: Any, offset: int) -> None:
        super().__init__(f"{partition} at {offset}")
        self.partition = partition
        self.offset = offset


_Original: Any = getattr(Fetcher, "PartitionRecords", object)


class _Unpacking(_Original):  # type: ignore[misc]
    """The answer to a fetch of one partition, taken apart into batches."""

    limit: int

    def _unpack_records(self, tp: Any, records: Any, *_: object) -> Iterator[Packed | Loose]:
        try:
            for view in _split(memoryview(records._buffer)):
                batch = self._batch(tp, view)
                if batch is not None:
                    self.next_fetch_offset = batch.end
                    self.records_read += batch.stored
                    self.bytes_read += batch.nbytes
                    yield batch
            self.drain()
        except GeneratorExit:
            raise
        except BaseException:
            # Else poll() would turn for ever around a generator that has ended.
            self.drain()
            raise

    def _batch(self, tp: Any, view: memoryview) -> Packed | Loose | None:
        """Return the batch, or None after moving on past it if there is nothing in it for us."""
        if len(view) < _SMALLEST or (view[_MAGIC_AT] > 1 and len(view) < HEADER.size):
            raise CorruptBatchError(tp, _BASE.unpack_from(view)[0])
        if view[_MAGIC_AT] < 2:
            return _legacy(tp, view, self.fetch_offset)
        head = HEADER.unpack_from(view)
        base, _, epoch, _, crc, attributes, delta, first_timestamp, max_timestamp, producer, _, _, stored = head
        if calc_crc32c(view[_ATTRIBUTES_AT:]) != crc:
            raise CorruptBatchError(tp, base)
        self.leader_epoch = epoch
        last = base + delta
        aborted = producer >= 0 and self._aborted(view, last, producer, attributes)
        if aborted or attributes & CONTROL or last < self.fetch_offset:
            self.next_fetch_offset = max(last + 1, self.fetch_offset)
            return None
        first, body = max(base, self.fetch_offset), view[HEADER.size :]
        times = first_timestamp, max_timestamp
        return Packed(base, first, last, stored, *times, attributes, body, len(view), self.limit)

    def _aborted(self, view: memoryview, last: int, producer: int, attributes: int) -> bool:
        """Tell whether the batch belongs to an aborted transaction; take note where one begins and ends."""
        if self.isolation_level != IsolationLevel.READ_COMMITTED:
            return False
        self._consume_aborted_transactions_up_to(last)
        if attributes & CONTROL:
            if self._contains_abort_marker(DefaultRecordBatch(view)):
                self.aborted_producer_ids.discard(producer)
            return False
        return bool(attributes & TRANSACTIONAL) and producer in self.aborted_producer_ids


def install(consumer: Any, limit: int) -> None:
    """Make ``consumer.poll`` return :class:`Packed` batches that may inflate to ``limit`` bytes."""
    consumer._fetcher.PartitionRecords = type("Unpacking", (_Unpacking,), {"limit": limit})


def receive_more(consumer: Any) -> None:
    """Let the connections that a consumer opens from now on take more than 4 KiB from their sockets at a time.

    Of connections with TLS nothing is changed, nor of a client that is built in another way than expected.
    """
    manager = getattr(getattr(consumer, "_client", None), "_manager", None)
    build = getattr(manager, "_build_transport", None)
    if manager is None or build is None or not hasattr(KafkaTCPTransport, "_sock_recv"):
        return

    async def build_wide(*arguments: Any, **named: Any) -> Any:
        transport = await build(*arguments, **named)
        if type(transport) is KafkaTCPTransport and hasattr(transport, "_sock"):
            transport._sock_recv = functools.partial(_receive, transport._sock, transport._sock_recv)
        return transport

    manager._build_transport = build_wide


def _receive(sock: Any, receive: Callable[[], tuple[bytes, Any]]) -> tuple[bytes, Any]:
    """Return what waits in a socket; what is out of the ordinary is left to the client's own way."""
    parts: list[bytes] = []
    while len(parts) < _MOST_PARTS:
        try:
            part: bytes = sock.recv(_RECEIVE_BYTES)
        except (BlockingIOError, InterruptedError):
            break
        except OSError:
            part = b""
        if not part:
            # The end of the connection or an error, which comes again: the client must see it, behind what came before.
            return (b"".join(parts), None) if parts else receive()
        parts.append(part)
        if len(part) < _RECEIVE_BYTES:
            break
    return parts[0] if len(parts) == 1 else b"".join(parts), None


def _split(buffer: memoryview) -> Iterator[memoryview]:
    """Cut the answer to a fetch into batches; the last one is often not whole, and left out."""
    place = 0
    while place + _BEHIND_LENGTH <= len(buffer):
        end = place + _BEHIND_LENGTH + _LENGTH.unpack_from(buffer, place + _LENGTH_AT)[0]
        if not place < end <= len(buffer):
            return
        yield buffer[place:end]
        place = end


def _legacy(tp: Any, view: memoryview, first: int) -> Loose | None:
    """Read a batch from before Kafka 0.11, which has no header to speak of; the client decompresses it, unlimited."""
    batch = LegacyRecordBatch(view, view[_MAGIC_AT])
    if not batch.validate_crc():
        raise CorruptBatchError(tp, batch.base_offset)
    return loose([record for record in batch if record.offset >= first], len(view))


def loose(records: Sequence[Any], nbytes: int | None = None) -> Loose | None:
    """Return records that the client has taken apart as a batch; None if there is none."""
    if not records:
        return None
    size = sum(len(record.value or b"") + len(record.key or b"") for record in records) if nbytes is None else nbytes
    return Loose(
        present=np.fromiter((record.offset for record in records), np.int64, len(records)),
        times=np.fromiter((NEVER if r.timestamp is None else r.timestamp for r in records), np.int64, len(records)),
        contents=[record.value for record in records],
        nbytes=size,
    )
