"""Stored batches as a broker would hand them out, made by the client's own writer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from kafka import TopicPartition
from kafka.consumer.fetcher import Fetcher, IsolationLevel
from kafka.record import MemoryRecords
from kafka.record.default_records import DefaultRecordBatchBuilder

from streamqid.broker.raw import install, loose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.broker.packed import Loose, Packed

TP = TopicPartition("made", 0)
LIMIT = 1 << 20


def stored(values: Sequence[bytes | None], *, base: int = 0, codec: int = 0, time: int = 1000, magic: int = 2) -> bytes:
    """Return a batch of these values; every third record has a key, and each is one millisecond later."""
    builder = DefaultRecordBatchBuilder(magic, codec, 0, -1, -1, -1, 1 << 30)
    for number, value in enumerate(values):
        key = b"key" if number % 3 == 0 or value is None else None
        builder.append(number, time + number, key, value, [("header", b"x")] if number % 2 else [])
    made = bytearray(builder.build())
    made[:8] = base.to_bytes(8)
    return bytes(made)


def unpacked(data: bytes, *, position: int = 0, raw: bool = True, limit: int = LIMIT) -> list[Packed | Loose]:
    """Return what the client makes of the answer to a fetch at a position, by either way."""
    fetcher = Fetcher.__new__(Fetcher)
    if raw:
        install(SimpleNamespace(_fetcher=fetcher), limit)
    settings = {"isolation_level": IsolationLevel.READ_COMMITTED}
    unpacking = fetcher.PartitionRecords(position, TP, MemoryRecords(data), **settings)
    taken: list[Any] = unpacking.take()
    if raw:
        return taken
    batch = loose(taken)
    return [] if batch is None else [batch]
