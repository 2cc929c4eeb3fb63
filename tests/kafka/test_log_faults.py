"""Logs that lose records, repeat them, hold bad ones or change their shape, seen by the whole service."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition

from streamqid.engine.state import State
from streamqid.records import Reason
from tests.kafka.bomb import bomb, send
from tests.kafka.people import messages, rows
from tests.kafka.produce import produce
from tests.kafka.reading import at_end, drive, source_of, state_of, stream
from tests.kafka.service import wait_for
from tests.kafka.test_kills import ended_well
from tests.kafka.topics import create_topic, read_all
from tests.kafka.writer import Writer

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory

CORPUS: dict[bytes, Reason] = {
    b"{": Reason.NOT_JSON,
    b'{"a": 1': Reason.NOT_JSON,
    b'{"a": 1} x': Reason.NOT_JSON,
    b"[1]": Reason.NOT_OBJECT,
    b"7": Reason.NOT_OBJECT,
    b"\xff\xfe": Reason.ENCODING,
    b'{"a": "\xff"}': Reason.ENCODING,
    b"": Reason.BLANK,
    b"[" * 1500: Reason.TOO_DEEP,
    b'{"a": "' + b"x" * 3000 + b'"}': Reason.TOO_LARGE,
}
PLACES = 4
CODECS = (None, "gzip", "snappy", "lz4", "zstd")


def write_corpus(bootstrap: str, topic: str) -> Counter[str]:
    """Write a batch for each bad value and each place in it, in every codec; return how often each reason comes."""
    expected: Counter[str] = Counter()
    good = messages(PLACES)
    for number, codec in enumerate(CODECS):
        settings: dict[str, Any] = {"compression_type": codec, "linger_ms": 1000, "acks": "all"}
        with closing(KafkaProducer(bootstrap_servers=[bootstrap], **settings)) as producer:
            for value, reason in [*CORPUS.items(), (None, Reason.TOMBSTONE)]:
                for place in range(PLACES):
                    for at, row in enumerate(good):
                        sent = value if at == place else row
                        producer.send(topic, sent, key=b"key", partition=number % 2)
                    producer.flush()
                    expected[reason.value] += 1
    return expected


def test_each_bad_record_is_counted_and_pointed_at_once_wherever_it_stands(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name, letters = topic(partitions=2), topic()
    expected = write_corpus(broker.bootstrap, name)
    total = PLACES * sum(expected.values())
    dead = {"topic": letters, "per_second": 10_000.0, "alarm_share": 1.0}
    shape = {"format": {"max_record_bytes": "2KiB"}, "sampling": {"rows": 2 * total}}
    running = service([name], changes={"publish": {"dead_letters": dead}}, stream=shape)
    running.up()
    running.wait_for_records(total)
    wait_for(
        lambda: all(
            running.metric("streamqid_bad_records_total", reason=reason) == times for reason, times in expected.items()
        ),
        "metrics of all bad records",
        30.0,
    )
    assert running.stop() == 0
    pointers = [json.loads(record.value) for record in read_all(broker.bootstrap, letters)]
    assert Counter(pointer["reason"] for pointer in pointers) == expected
    assert len({(pointer["partition"], pointer["offset"]) for pointer in pointers}) == sum(expected.values())
    ended_well(running, total)


@pytest.mark.timeout(600)
def test_a_batch_of_gigabytes_halts_its_partition_and_takes_no_memory(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic(partitions=2)
    for partition in (0, 1):
        produce(broker.bootstrap, name, messages(500), partition=partition)
    running = service([name])
    running.up()
    running.wait_for_records(1_000)
    before = running.memory("VmHWM")
    packed = bomb()
    send(broker.bootstrap, name, 0, packed)
    produce(broker.bootstrap, name, messages(500), partition=1)
    wait_for(lambda: "larger than allowed when it is decompressed" in running.ready(), "a partition that is halted")
    running.wait_for_records(1_500)
    grown = running.memory("VmHWM") - before
    print(f"a batch of {len(packed)} bytes, 3.75 GiB inflated: peak memory grew by {grown >> 20} MiB")
    assert grown < 200 << 20
    assert running.stop() == 0
    assert running.saved() == {(name, 0): 500, (name, 1): 1_000}


def test_records_of_many_megabytes_count_as_bad(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(max_message_bytes=32 << 20)
    sizes = (1, 5, 20)
    settings: dict[str, Any] = {"max_request_size": 32 << 20, "acks": "all"}
    with closing(KafkaProducer(bootstrap_servers=[broker.bootstrap], **settings)) as producer:
        for size in sizes:
            for value in (*messages(20), b'{"a": "' + b"x" * (size << 20) + b'"}', *messages(20)):
                producer.send(name, value, partition=0)
            producer.flush()
    running = service([name])
    running.up()
    running.wait_for_records(41 * len(sizes))
    bad = {"reason": Reason.TOO_LARGE.value}
    wait_for(lambda: running.metric("streamqid_bad_records_total", **bad) == len(sizes), "metrics of the bad records")
    assert running.stop() == 0
    ended_well(running, 41 * len(sizes))


@pytest.mark.parametrize("on_gap", ["halt", "skip"])
def test_records_that_were_deleted_before_they_were_read(
    broker: Broker, topic: TopicFactory, service: ServiceFactory, on_gap: str
) -> None:
    name, output = topic(), topic()
    produce(broker.bootstrap, name, messages(300))
    running = service([name], changes={"publish": {"topic": output}}, stream={"on_gap": on_gap})
    running.up()
    running.wait_for_saved(300)
    running.kill()
    produce(broker.bootstrap, name, messages(700, start=300))
    with closing(KafkaAdminClient(bootstrap_servers=[broker.bootstrap])) as admin:
        admin.delete_records({TopicPartition(name, 0): 450})
    running.up()
    wait_for(lambda: "Offsets 300 to 449" in running.ready(), "a gap that is told")
    if on_gap == "halt":
        assert running.stop() == 0
        assert running.saved() == {(name, 0): 300}
        return
    running.wait_for_records(850)
    answers: list[Any] = []

    def answered() -> bool:
        answers[:] = [json.loads(record.value) for record in read_all(broker.bootstrap, output)]
        return any(answer["records"] == 850 for answer in answers)

    wait_for(answered, "an answer about all records")
    assert answers[-1]["skipped_offsets"] == 150
    assert running.stop() == 0
    assert running.saved() == {(name, 0): 1_000}


def test_records_that_are_delivered_again_are_dropped(broker: Broker, topic: TopicFactory) -> None:
    name = topic(partitions=2)
    with Writer(broker.bootstrap, name, pause=0.0) as writer:
        wait_for(lambda: writer.committed >= 800, "records")
    clean = state_of(source_of(broker.bootstrap, name), 2)
    assert clean.records == writer.committed
    chance, state, duplicates = random.Random(11), State(stream()), 0
    for _ in range(6):
        source = source_of(broker.bootstrap, name, records=chance.choice([1, 3, 500]))
        source.seek({origin: chance.randrange(end + 1) for origin, end in state.next_offsets().items()})
        stop_at = state.records + chance.randrange(clean.records)
        with closing(source):
            for batch in source.batches():
                if batch is not None:
                    duplicates += state.apply(batch).duplicates
                elif at_end(source, 2)() or state.records >= stop_at:
                    break
    source = source_of(broker.bootstrap, name)
    source.seek(dict.fromkeys(state.next_offsets(), 0))
    with closing(source):
        drive(source, at_end(source, 2), state.apply)
    assert duplicates > 0
    assert state.digest() == clean.digest()


def test_a_loop_that_stalls_goes_on_where_it_was(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    running = service([name])
    held = running.directory / "held"
    with Writer(broker.bootstrap, name) as writer:
        running.start(STREAMQID_FAILPOINT=f"commit:2:{held}")
        wait_for(held.exists, "a loop that stalls")
        written = writer.committed
        wait_for(lambda: writer.committed > written + 2_000, "records that are not read meanwhile")
        assert running.get("/healthz")[0] == 200
        assert running.status()["records"] <= written + 40
        held.unlink()
        running.wait_for_records(written + 2_000)
    assert running.stop() == 0
    ended_well(running, writer.committed)


def test_clocks_that_jump_change_no_answer(
    broker: Broker, topic: TopicFactory, service: ServiceFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = topic(partitions=2)
    day, start, chance = 86_400_000, 1_700_000_000_000, random.Random(2)
    # A day forwards, a day back, standing still: the times of producers are data.
    times = [start + day * chance.choice([-1, 0, 0, 1]) + 1000 * n * (n % 3 > 0) for n in range(1_200)]
    produce(broker.bootstrap, name, messages(1_200), timestamps_ms=times, batch_bytes=2_000)
    windows = {"by": "record", "width": "6h", "panes_kept": 12}
    running = service([name], stream={"windows": windows})
    running.start(STREAMQID_FAILPOINT="commit:1")
    assert running.wait() == -9
    ended_well(running, 1_200)
    # The clock of the machine jumps at every look.
    right = time.time
    monkeypatch.setattr(time, "time", lambda: right() + chance.choice([-86_400.0, 0.0, 86_400.0]))
    assert running.reference().to_bytes() == running.snapshot()


def test_columns_that_come_go_and_change_and_partitions_that_are_added(broker: Broker, service: ServiceFactory) -> None:
    name = f"drifting-{random.SystemRandom().getrandbits(48):x}"
    running = service([name])
    running.up()
    wait_for(lambda: "does not exist" in running.ready(), "a topic that is awaited")
    create_topic(broker.bootstrap, name, unique=False)
    people = rows(900)
    for number, row in enumerate(people):
        if number >= 300:
            row["added"] = {"deep": number}
        if number >= 600:
            row["age"] = str(row.get("age"))
            row.pop("sex", None)
    values = [json.dumps(row).encode() for row in people]
    produce(broker.bootstrap, name, values[:300])
    running.wait_for_records(300)
    produce(broker.bootstrap, name, values[300:600])
    wait_for(running.reads, "records that are read")
    running.kill()
    with closing(KafkaAdminClient(bootstrap_servers=[broker.bootstrap])) as admin:
        admin.create_partitions({name: 3})
    for partition in range(3):
        produce(broker.bootstrap, name, values[600:], partition=partition)
    ended_well(running, 1_500)
