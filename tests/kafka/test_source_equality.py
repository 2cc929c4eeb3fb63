"""The same log gives the same state, whatever way and in whatever pieces it is read."""

from __future__ import annotations

import json
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from kafka import KafkaProducer

from streamqid.engine.state import State, restore
from tests.kafka.produce import produce
from tests.kafka.reading import at_end, drive, positions, records_of, source_of, state_of, stream
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import TopicFactory

START_MS = 1_700_000_000_000


def rows(count: int, salt: int = 0) -> list[bytes | None]:
    """Rows of a table, among them tombstones and values that are no rows."""
    values: list[bytes | None] = [
        json.dumps({"id": n, "zip": (n * 7 + salt) % 90, "sex": n % 2, "deep": {"a": n % 5}}).encode()
        for n in range(count)
    ]
    values[3::17] = [None] * len(values[3::17])
    values[5::29] = [b"{not json"] * len(values[5::29])
    return values


def write_everything(bootstrap: str, topic: str, compression: str | None) -> None:
    """Write to two partitions: plain, committed and aborted, with and without keys and headers."""
    for partition in (0, 1):
        times = [START_MS + 1000 * n for n in range(400)]
        keys = [None if n % 17 != 3 else b"gone" for n in range(400)]
        common: dict[str, Any] = {"partition": partition, "compression": compression, "batch_bytes": 2000}
        produce(bootstrap, topic, rows(400, partition), timestamps_ms=times, keys=keys, **common)
        name = f"{topic}-{partition}"
        for count, abort in ((150, True), (130, False), (60, True)):
            some: dict[str, Any] = {"timestamps_ms": times[:count], "keys": keys[:count], "transactional_id": name}
            produce(bootstrap, topic, rows(count, 1), abort=abort, **some, **common)
    with closing(KafkaProducer(bootstrap_servers=[bootstrap], linger_ms=20)) as producer:
        headers = [("trace", b"\x00\xff"), ("empty", b"")]
        for value in rows(50, 4):
            producer.send(topic, value, key=b"key", partition=0, headers=headers, timestamp_ms=START_MS)


@pytest.mark.parametrize("compression", [None, "gzip", "snappy", "lz4", "zstd"])
def test_the_state_does_not_depend_on_path_and_pieces(
    broker: Broker, topic: TopicFactory, compression: str | None
) -> None:
    name = topic(2)
    write_everything(broker.bootstrap, name, compression)
    states = [
        state_of(source_of(broker.bootstrap, name, raw=raw, records=records), 2)
        for raw, records in ((True, 500), (True, 1), (False, 500), (False, 7))
    ]
    assert len({state.digest() for state in states}) == 1
    expected = read_all(broker.bootstrap, name)
    assert states[0].records == len(expected)
    # Marks and aborted records are passed as well.
    assert states[0].skipped > 2 * 210


def test_every_record_comes_once_with_its_value(broker: Broker, topic: TopicFactory) -> None:
    name = topic(2)
    write_everything(broker.bootstrap, name, "lz4")
    expected = read_all(broker.bootstrap, name)
    source = source_of(broker.bootstrap, name)
    with closing(source):
        batches = drive(source, at_end(source, 2))
        positions(batches)
        assert sorted(records_of(batches)) == [(record.partition, record.offset) for record in expected]
        read = {}
        for batch in batches:
            found = batch.decode(np.arange(batch.start, batch.end))
            columns = dict(zip(found.columns, found.values, strict=True))
            for row, offset in enumerate(found.offsets.tolist()):
                read[batch.origin.partition, offset] = columns["id"][row]
    good = [record for record in expected if record.value and record.value != b"{not json"]
    assert read == {(record.partition, record.offset): json.loads(record.value)["id"] for record in good}


@pytest.mark.parametrize("raw", [True, False])
def test_reading_can_begin_in_the_middle_of_a_batch(broker: Broker, topic: TopicFactory, *, raw: bool) -> None:
    name = topic()
    produce(broker.bootstrap, name, rows(200), partition=0, keys=[b"key"] * 200, batch_bytes=3000)
    first = source_of(broker.bootstrap, name, raw=raw)
    with closing(first):
        (origin,) = positions(drive(first, at_end(first, 1)))
    for begin in (0, 1, 77, 123, 199):
        source = source_of(broker.bootstrap, name, raw=raw)
        source.seek({origin: begin})
        with closing(source):
            batches = drive(source, at_end(source, 1))
            assert batches[0].start == begin
            assert records_of(batches) == [(0, offset) for offset in range(begin, 200)]


def test_a_restored_state_ends_where_an_uninterrupted_one_does(broker: Broker, topic: TopicFactory) -> None:
    name = topic(2)
    write_everything(broker.bootstrap, name, "zstd")
    whole = state_of(source_of(broker.bootstrap, name), 2)
    state = State(stream())
    interrupted = source_of(broker.bootstrap, name, records=1)
    with closing(interrupted):
        drive(
            interrupted,
            lambda: state.records >= 300,
            lambda batch: state.apply(batch) if state.records < 300 else None,
        )
    assert state.records < whole.records
    second = restore(state.to_bytes(), stream())
    source = source_of(broker.bootstrap, name)
    source.seek(second.next_offsets())
    with closing(source):
        drive(source, at_end(source, 2), second.apply)
    assert second.digest() == whole.digest()


@pytest.mark.parametrize("compression", [None, "lz4"])
def test_a_compacted_topic_reads_alike_on_both_paths(
    broker: Broker, topic: TopicFactory, compression: str | None
) -> None:
    name = topic(
        cleanup_policy="compact",
        segment_ms=100,
        min_cleanable_dirty_ratio=0.01,
        min_compaction_lag_ms=0,
        delete_retention_ms=100,
    )
    for turn in range(3):
        keys = [b"key-%d" % (n * n % 97) for n in range(200)]
        values = [json.dumps({"id": n, "turn": turn}).encode() for n in range(200)]
        produce(broker.bootstrap, name, values, partition=0, keys=keys, compression=compression, batch_bytes=1500)
    wait_until_compacted(broker, name)
    digests = {
        state_of(source_of(broker.bootstrap, name, raw=raw, records=records), 1).digest()
        for raw, records in ((True, 500), (True, 1), (False, 7))
    }
    assert len(digests) == 1


def wait_until_compacted(broker: Broker, topic: str) -> None:
    """Wait until the brokers have removed old records and remove no more."""
    deadline = time.monotonic() + 90
    before = 0
    while (now := len(read_all(broker.bootstrap, topic))) != before or now > 300:
        assert time.monotonic() < deadline, now
        if now > 300:
            produce(broker.bootstrap, topic, [b'{"id": 0}'], partition=0, keys=[b"end"])
        before = now
        time.sleep(1)
