"""Batches taken apart into records with key and time, as the client itself takes them apart."""

from __future__ import annotations

from typing import Any

import pytest

from streamqid.broker.batches import KafkaBatch, Passed
from streamqid.broker.formats import Format
from streamqid.broker.packed import APPEND_TIME, Loose
from streamqid.broker.stack import Stack
from streamqid.broker.stored import Record, taken_apart
from streamqid.broker.times import TimeRule
from streamqid.records import Origin
from tests.unit.broker.made import stored, unpacked

ORIGIN = Origin("made", 0, "id")
VALUES = [b"one", None, b"", b"x" * 500, b"five"]


def batch_of(parts: list[Any], start: int = 0) -> KafkaBatch:
    records = parts[0] if isinstance(parts[0], Loose) else Stack(parts)
    return KafkaBatch(ORIGIN, start, records, Format(), TimeRule("ingest"))


def wanted(base: int = 0) -> list[Record]:
    keys = [b"key" if n % 3 == 0 or value is None else None for n, value in enumerate(VALUES)]
    return [Record(base + n, 1000 + n, key, value) for n, (key, value) in enumerate(zip(keys, VALUES, strict=True))]


@pytest.mark.parametrize("codec", [0, 1, 2, 3, 4])
def test_records_have_key_value_and_time(codec: int) -> None:
    data = stored(VALUES, codec=codec) + stored(VALUES, base=5, codec=codec)
    assert taken_apart(batch_of(unpacked(data))) == (wanted() + wanted(5), 10)


def test_records_before_the_position_are_left_out() -> None:
    records, end = taken_apart(batch_of(unpacked(stored(VALUES), position=3)))
    assert (records, end) == (wanted()[3:], 5)


def test_the_time_of_the_log_counts_where_the_topic_says_so() -> None:
    (part,) = unpacked(stored(VALUES))
    part.attributes |= APPEND_TIME  # type: ignore[union-attr]
    part.max_timestamp = 77  # type: ignore[union-attr]
    assert {record.timestamp for record in taken_apart(batch_of([part]))[0]} == {77}
    part.max_timestamp = -1  # type: ignore[union-attr]
    assert {record.timestamp for record in taken_apart(batch_of([part]))[0]} == {None}


def test_records_that_the_client_took_apart_have_no_key() -> None:
    records, end = taken_apart(batch_of(unpacked(stored(VALUES), raw=False)))
    assert [record.value for record in records] == VALUES
    assert {record.key for record in records} == {None}
    assert end == 5


def test_a_stretch_without_records() -> None:
    assert taken_apart(Passed(ORIGIN, 3, 9)) == ([], 9)


@pytest.mark.parametrize("broken", [b"\x7f", b"\x02", b"\x0e\x00\x00\x00\x01\x40abcd", b"\xff" * 12, b""])
def test_what_cannot_be_taken_apart_ends_it_before(broken: bytes) -> None:
    parts: Any = unpacked(stored(VALUES) + stored(VALUES, base=5) + stored(VALUES, base=10))
    parts[1].body = memoryview(broken)
    batch = batch_of(parts)
    assert taken_apart(batch) == (wanted(), 5)
    assert batch.broken
