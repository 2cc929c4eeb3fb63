"""Topics that come, grow, shrink, vanish and return, and batches that must not be read."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import pytest
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from deploy.kafka.broker import Broker, start_broker
from streamqid.broker.connect import Connection
from streamqid.broker.producing import new_producer
from streamqid.broker.readback import read_back
from streamqid.broker.refusals import NotThereError
from streamqid.broker.transactions import Transactions
from streamqid.engine.events import TroubleKind
from streamqid.engine.published import Ledger
from streamqid.records import Origin, Reason
from tests.kafka.conftest import started
from tests.kafka.produce import produce
from tests.kafka.reading import at_end, drive, positions, records_of, source_of, trouble_of, troubled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.kafka.conftest import TopicFactory

ROWS: list[bytes | None] = [json.dumps({"id": n}).encode() for n in range(100)]


def administer(broker: Broker, action: Callable[[Any], object]) -> None:
    with closing(KafkaAdminClient(bootstrap_servers=[broker.bootstrap])) as admin:
        action(admin)


def create(broker: Broker, name: str, partitions: int = 1) -> None:
    administer(broker, lambda admin: admin.create_topics({name: {"num_partitions": partitions}}))


def delete(broker: Broker, name: str) -> None:
    administer(broker, lambda admin: admin.delete_topics([name]))


def test_partitions_that_are_added_are_read_from_their_beginning(broker: Broker, topic: TopicFactory) -> None:
    name = topic(1)
    produce(broker.bootstrap, name, ROWS, partition=0)
    source = source_of(broker.bootstrap, name)
    with closing(source):
        assert len(records_of(drive(source, at_end(source, 1)))) == 100
        administer(broker, lambda admin: admin.create_partitions({name: 3}))
        for partition in (1, 2):
            produce(broker.bootstrap, name, ROWS[:10], partition=partition)
        late: list[Any] = []
        drive(source, lambda: len(records_of(late)) == 20, late.append)
        assert sorted(records_of(late)) == [(p, n) for p in (1, 2) for n in range(10)]


def test_an_absent_topic_is_awaited(broker: Broker) -> None:
    name = f"absent-{uuid4().hex}"
    source = source_of(broker.bootstrap, name)
    with closing(source):
        drive(source, troubled(source, TroubleKind.MISSING))
        trouble = trouble_of(source, TroubleKind.MISSING)
        assert trouble is not None
        assert name in trouble.sentence
        create(broker, name)
        produce(broker.bootstrap, name, ROWS)
        found: list[Any] = []
        drive(source, lambda: len(records_of(found)) == 100, found.append)
        assert not source.troubles()


@pytest.fixture
def obliging_broker(tmp_path: Path) -> Iterator[Broker]:
    """A broker that makes every topic that a client asks for, as Kafka does by default."""
    with started(lambda at: start_broker(at, settings={"auto.create.topics.enable": "true"}), tmp_path) as running:
        yield running


def test_no_topic_is_made_by_asking_for_it(obliging_broker: Broker) -> None:
    bootstrap = obliging_broker.bootstrap
    create(obliging_broker, "deleted")
    produce(bootstrap, "deleted", ROWS)
    connection = Connection((bootstrap,))
    source = source_of(bootstrap, "deleted")
    with closing(source):
        drive(source, at_end(source, 1))
        delete(obliging_broker, "deleted")
        drive(source, troubled(source, TroubleKind.MISSING))
        with pytest.raises(NotThereError):
            new_producer(connection, "output", 5.0)
        with pytest.raises(NotThereError):
            Transactions(connection, "copied", "copier", 1 << 14)
        with pytest.raises(NotThereError):
            read_back(connection, "recommendations", ["people"], Ledger())
        assert trouble_of(source, TroubleKind.MISSING) is not None
    with closing(KafkaAdminClient(bootstrap_servers=[bootstrap])) as admin:
        assert [name for name in admin.list_topics() if not name.startswith("_")] == []


def test_a_pattern_takes_topics_that_come_later_and_no_others(broker: Broker) -> None:
    prefix = uuid4().hex
    source = source_of(broker.bootstrap, pattern=f"{prefix}-.*")
    found: list[Any] = []
    with closing(source):
        drive(source, lambda: any(f"matches {prefix}-.*:" in trouble.sentence for trouble in source.troubles()))
        for name in (f"{prefix}-a", f"other-{prefix}-a"):
            create(broker, name)
            produce(broker.bootstrap, name, ROWS[:5])
        drive(source, lambda: len(records_of(found)) == 5 and not source.troubles(), found.append)
        create(broker, f"{prefix}-b")
        produce(broker.bootstrap, f"{prefix}-b", ROWS[:7])
        drive(source, lambda: len(records_of(found)) == 12, found.append)
    assert {batch.origin.name for batch in found} == {f"{prefix}-a", f"{prefix}-b"}


@pytest.mark.parametrize("second_life", [30, 300])
def test_a_recreated_topic_is_not_read_unless_asked(broker: Broker, topic: TopicFactory, second_life: int) -> None:
    name = topic()
    produce(broker.bootstrap, name, ROWS)
    source = source_of(broker.bootstrap, name)
    restarting = source_of(broker.bootstrap, name, on_recreated="restart")
    with closing(source), closing(restarting):
        old = positions(drive(source, at_end(source, 1)))
        drive(restarting, at_end(restarting, 1))
        delete(broker, name)
        drive(source, troubled(source, TroubleKind.MISSING))
        create(broker, name)
        produce(broker.bootstrap, name, (ROWS * 3)[:second_life])
        assert drive(source, troubled(source, TroubleKind.RECREATED)) == []
        found: list[Any] = []
        drive(restarting, lambda: len(records_of(found)) == second_life, found.append)
        assert {batch.origin.id for batch in found}.isdisjoint(origin.id for origin in old)
        assert records_of(found)[0] == (0, 0)
    again = source_of(broker.bootstrap, name)
    again.seek(old)
    with closing(again):
        assert drive(again, troubled(again, TroubleKind.RECREATED)) == []


def test_a_topic_recreated_under_the_nose_of_the_reader_is_noticed(broker: Broker, topic: TopicFactory) -> None:
    name = topic()
    produce(broker.bootstrap, name, ROWS)
    source = source_of(broker.bootstrap, name, metadata_seconds=60.0)
    with closing(source):
        drive(source, at_end(source, 1))
        delete(broker, name)
        create(broker, name)
        produce(broker.bootstrap, name, ROWS * 3)
        assert drive(source, troubled(source, TroubleKind.RECREATED)) == []


@pytest.mark.parametrize("on_gap", ["halt", "skip"])
def test_deleted_records_halt_their_partition_or_are_skipped(broker: Broker, topic: TopicFactory, on_gap: str) -> None:
    name = topic(2)
    for partition in (0, 1):
        produce(broker.bootstrap, name, ROWS, partition=partition)
    first = source_of(broker.bootstrap, name)
    with closing(first):
        origins = positions(drive(first, at_end(first, 2)))
    administer(broker, lambda admin: admin.delete_records({TopicPartition(name, 0): 60}))
    source = source_of(broker.bootstrap, name, on_gap=on_gap)
    source.seek(dict.fromkeys(origins, 20))
    found: list[Any] = []
    expected = 80 + 40 * (on_gap == "skip")
    with closing(source):
        drive(
            source,
            lambda: troubled(source, TroubleKind.GAP)() and len(records_of(found)) == expected,
            found.append,
        )
        trouble = trouble_of(source, TroubleKind.GAP)
    assert trouble is not None
    assert "20 to 59" in trouble.sentence
    assert {n for p, n in records_of(found) if p == 1} == set(range(20, 100))
    assert {n for p, n in records_of(found) if p == 0} == (set(range(60, 100)) if on_gap == "skip" else set())
    positions(found)


def test_records_deleted_from_a_partition_that_was_empty_are_noticed(broker: Broker, topic: TopicFactory) -> None:
    name = topic(2)
    produce(broker.bootstrap, name, ROWS[:10], partition=1)
    first = source_of(broker.bootstrap, name)
    with closing(first):
        origins = positions(drive(first, at_end(first, 2)))
    assert sorted((origin.partition, offset) for origin, offset in origins.items()) == [(0, 0), (1, 10)]
    produce(broker.bootstrap, name, ROWS, partition=0)
    administer(broker, lambda admin: admin.delete_records({TopicPartition(name, 0): 60}))
    source = source_of(broker.bootstrap, name)
    source.seek(origins)
    with closing(source):
        assert drive(source, troubled(source, TroubleKind.GAP)) == []
        trouble = trouble_of(source, TroubleKind.GAP)
    assert trouble is not None
    assert "0 to 59" in trouble.sentence


def test_a_place_beyond_the_end_of_the_log_halts_the_partition(broker: Broker, topic: TopicFactory) -> None:
    name = topic()
    produce(broker.bootstrap, name, ROWS)
    first = source_of(broker.bootstrap, name)
    with closing(first):
        (origin,) = positions(drive(first, at_end(first, 1)))
    source = source_of(broker.bootstrap, name)
    source.seek({origin: 5000})
    with closing(source):
        assert drive(source, troubled(source, TroubleKind.RECREATED)) == []


@pytest.mark.parametrize("raw", [True, False])
def test_a_flipped_byte_halts_its_partition_only(own_broker: Broker, *, raw: bool) -> None:
    name = f"flipped-raw-{raw}"
    create(own_broker, name, 2)
    for _ in range(3):
        for partition in (0, 1):
            produce(own_broker.bootstrap, name, ROWS, partition=partition, compression=None)
    own_broker.stop()
    log = own_broker.log_dir / f"{name}-0" / "00000000000000000000.log"
    stored = bytearray(log.read_bytes())
    stored[len(stored) // 2] ^= 1
    log.write_bytes(stored)
    own_broker.start()
    source = source_of(own_broker.bootstrap, name, raw=raw)
    found: list[Any] = []
    with closing(source):
        drive(
            source,
            lambda: troubled(source, TroubleKind.CORRUPT)() and len(records_of(found)) == 400,
            found.append,
        )
        trouble = trouble_of(source, TroubleKind.CORRUPT)
    assert trouble is not None
    assert trouble.origin == Origin(name, 0, found[0].origin.id)
    assert [n for p, n in records_of(found) if p == 0] == list(range(100))
    assert [n for p, n in records_of(found) if p == 1] == list(range(300))


@pytest.mark.parametrize("compression", ["gzip", "snappy", "lz4", "zstd"])
def test_a_batch_that_inflates_halts_its_partition_before_it(
    broker: Broker, topic: TopicFactory, compression: str
) -> None:
    name = topic(2)
    for partition in (0, 1):
        produce(broker.bootstrap, name, ROWS, partition=partition, compression=compression)
    bomb = b'{"id": "' + b"0" * 900_000 + b'"}'
    produce(broker.bootstrap, name, [bomb], partition=0, compression=compression)
    produce(broker.bootstrap, name, ROWS, partition=0, compression=compression)
    source = source_of(broker.bootstrap, name, inflate_limit=1 << 19)
    found: list[Any] = []
    with closing(source):
        drive(
            source,
            lambda: troubled(source, TroubleKind.INFLATED)() and len(records_of(found)) == 200,
            found.append,
        )
        assert positions(found) == dict.fromkeys({batch.origin for batch in found}, 100)


def test_a_malformed_record_costs_itself_only_wherever_it_stands(broker: Broker, topic: TopicFactory) -> None:
    name = topic()
    bad = {
        b"{": Reason.NOT_JSON,
        b"[1]": Reason.NOT_OBJECT,
        b"\xff": Reason.ENCODING,
        b"": Reason.BLANK,
        b"[" * 5000: Reason.TOO_DEEP,
    }
    for place, value in enumerate(bad):
        produce(broker.bootstrap, name, [value if n == place else ROWS[n] for n in range(5)], partition=0)
    source = source_of(broker.bootstrap, name)
    with closing(source):
        batches = drive(source, at_end(source, 1))
    rejects = []
    for batch in batches:
        found = batch.decode(np.arange(batch.start, batch.end))
        assert len(found.offsets) + len(found.rejects) == batch.count
        rejects += found.rejects
    assert [(r.offset, r.reason) for r in rejects] == [(6 * n, reason) for n, reason in enumerate(bad.values())]


def test_a_source_waits_for_a_broker_and_survives_its_restart(own_broker: Broker) -> None:
    create(own_broker, "later")
    produce(own_broker.bootstrap, "later", ROWS)
    own_broker.stop()
    source = source_of(own_broker.bootstrap, "later")
    with closing(source):
        drive(source, lambda: any("do not answer:" in trouble.sentence for trouble in source.troubles()))
        own_broker.start()
        found: list[Any] = []
        drive(source, lambda: len(records_of(found)) == 100, found.append)
        assert not source.troubles()
        own_broker.kill()
        drive(source, troubled(source, TroubleKind.UNREACHABLE))
        own_broker.start()
        produce(own_broker.bootstrap, "later", ROWS)
        drive(source, lambda: len(records_of(found)) == 200 and not source.troubles(), found.append)
        positions(found)


def test_committed_offsets_follow_for_lag_tools(broker: Broker, topic: TopicFactory) -> None:
    name = topic(2)
    for partition in (0, 1):
        produce(broker.bootstrap, name, ROWS, partition=partition)
    group = f"group-{name}"
    source = source_of(broker.bootstrap, name, group_id=group)
    with (
        closing(source),
        closing(KafkaConsumer(bootstrap_servers=[broker.bootstrap], group_id=group)) as tool,
    ):
        reached = positions(drive(source, at_end(source, 2)))
        source.commit(reached)
        drive(source, lambda: all(tool.committed(TopicPartition(name, p)) == 100 for p in (0, 1)))


def test_a_source_that_was_closed_before_it_connected_ends(broker: Broker) -> None:
    source = source_of(broker.bootstrap, "any")
    reading = source.batches()
    assert next(reading) is None
    source.close()
    assert list(reading) == []
