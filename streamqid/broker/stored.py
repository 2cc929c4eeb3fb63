"""All records of a batch with key, value and time: what is needed to write them somewhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.broker.batches import KafkaBatch
from streamqid.broker.inflate import BrokenError, InflatedError
from streamqid.broker.packed import APPEND_TIME, Loose
from streamqid.broker.walk import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.broker.packed import Packed
    from streamqid.records import Batch

_NO_TIME = -1


@dataclass(frozen=True, slots=True)
class Record:
    """One record; headers are not read."""

    offset: int
    timestamp: int | None
    """Milliseconds since 1970, as the broker keeps it; None if it keeps none."""
    key: bytes | None
    value: bytes | None


def taken_apart(batch: Batch) -> tuple[list[Record], int]:
    """Return the records of a batch of ``KafkaSource``, and the offset that follows what could be taken apart.

    Where a stored batch cannot be, the offset is that of its first record, and ``batch`` is broken: its source reads
    no further in that partition.
    """
    if not isinstance(batch, KafkaBatch):
        return [], batch.end
    stack = batch.records
    if isinstance(stack, Loose):
        # Records from before Kafka 0.11: their keys are not known here.
        rows = zip(stack.present.tolist(), stack.times.tolist(), stack.contents, strict=True)
        return [Record(offset, _time(time), None, value) for offset, time, value in rows], batch.end
    records: list[Record] = []
    for part in stack.parts:
        try:
            records += _walk(part)
        except (BrokenError, InflatedError, IndexError, ValueError):
            stack.broken = True
            return [record for record in records if record.offset < part.first], part.first
    return records, batch.end


def _walk(part: Packed) -> Iterator[Record]:
    """Yield the records of a stored batch from its ``first`` on; raises where the bytes are no records."""
    data, at = part.data(), 0
    appended = _time(part.max_timestamp) if part.attributes & APPEND_TIME else None
    for _ in range(part.stored):
        length, at = number(data, at)
        end = at + length
        if length < 0 or end > len(data):
            raise BrokenError
        time, at = number(data, at + 1)
        delta, at = number(data, at)
        key, at = _bytes(data, at, end)
        value, _ = _bytes(data, at, end)
        if part.base + delta >= part.first:
            made = appended if part.attributes & APPEND_TIME else _time(part.first_timestamp + time)
            yield Record(part.base + delta, made, key, value)
        at = end


def _time(milliseconds: int) -> int | None:
    return None if milliseconds <= _NO_TIME else milliseconds


def _bytes(data: bytes, at: int, end: int) -> tuple[bytes | None, int]:
    length, at = number(data, at)
    if length < 0:
        return None, at
    if at + length > end:
        raise BrokenError
    return data[at : at + length], at + length
