"""The enforcing copy on a real broker: what verdicts do to it, who owns it, and what becomes of odd records."""

from __future__ import annotations

import json
import logging
import time
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaAdminClient, KafkaProducer, OffsetAndMetadata, TopicPartition

from streamqid.broker.formats import Format
from streamqid.copying.progress import NOT_ALLOWED, CopyState
from streamqid.copying.rule import Action, CopyRule
from streamqid.engine.documents import VerdictState
from streamqid.records import Reason
from tests.kafka.copies import CANARY, copied, copier, differences, row, send
from tests.kafka.people import rows
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.topics import create_topic, read_all

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from deploy.kafka.broker import Broker
    from streamqid.records import Origin, Reject
    from tests.kafka.conftest import ServiceFactory, TopicFactory

COLUMNS = ("number", "age")


@pytest.fixture
def producer(broker: Broker) -> Iterator[KafkaProducer]:
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap)) as made:
        yield made


def numbers(producer: KafkaProducer, topic: str, first: int, last: int, partition: int = 0) -> None:
    """Write numbered records, and wait until the broker has them."""
    send(producer, topic, partition, map(row, range(first, last)))
    producer.flush()


def test_the_order_of_the_verdict_is_kept(
    broker: Broker, topic: TopicFactory, producer: KafkaProducer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streamqid.broker.session.LAG_SECONDS", 0.2)
    source, output = topic(), topic()
    copy, gate = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    numbers(producer, source, 0, 50)
    copy.start()
    wait_for(lambda: copied(broker.bootstrap, output) == [*range(50)], "the first records")
    gate.set(Action.STOP, VerdictState.UNSAFE)
    wait_for(lambda: copy.progress.state is CopyState.STOPPED, "a copy that is stopped")
    numbers(producer, source, 50, 100)
    wait_for(lambda: set(copy.progress.lags.values()) == {50}, "a lag that grows")
    assert copied(broker.bootstrap, output) == [*range(50)]
    gate.set(Action.COPY, VerdictState.SAFE)
    wait_for(lambda: copied(broker.bootstrap, output) == [*range(100)], "those that waited")
    gate.set(Action.DROP, VerdictState.UNSAFE)
    numbers(producer, source, 100, 150)
    wait_for(lambda: copy.progress.dropped[NOT_ALLOWED] == 50, "records that go by")
    gate.set(Action.COPY, VerdictState.SAFE)
    numbers(producer, source, 150, 160)
    wait_for(lambda: copied(broker.bootstrap, output) == [*range(100), *range(150, 160)], "the last records")
    assert copy.progress.copied == 110
    wait_for(lambda: set(copy.progress.lags.values()) == {0}, "no lag")
    copy.stop()
    assert copy.join(10)


# Before anything is flushed, and when all that is missing is the word to commit.
@pytest.mark.parametrize("place", ["copy-commit:1", "copy-check:2"])
def test_a_transaction_is_aborted_when_the_order_changes_under_it(
    broker: Broker,
    topic: TopicFactory,
    producer: KafkaProducer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    place: str,
) -> None:
    source, output, held = topic(), topic(), tmp_path / "held"
    monkeypatch.setattr("streamqid.engine.failpoints._reached", {})
    monkeypatch.setenv("STREAMQID_FAILPOINT", f"{place}:{held}")
    copy, gate = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    numbers(producer, source, 0, 50)
    copy.start()
    wait_for(held.exists, "a transaction that is about to be committed")
    gate.set(Action.STOP, VerdictState.UNSAFE)
    held.unlink()
    wait_for(lambda: copy.progress.state is CopyState.STOPPED, "a copy that is stopped")
    assert copied(broker.bootstrap, output) == []
    gate.set(Action.COPY, VerdictState.SAFE)
    wait_for(lambda: copied(broker.bootstrap, output) == [*range(50)], "all records, once")
    assert copy.progress.copied == 50
    copy.stop()
    assert copy.join(10)


def test_a_topic_that_is_not_there_is_told(
    broker: Broker, topic: TopicFactory, caplog: pytest.LogCaptureFixture
) -> None:
    copy, _ = copier(broker.bootstrap, topic(), CopyRule("nowhere", COLUMNS), "nowhere")
    copy.start()
    wait_for(lambda: copy.progress.state is CopyState.TROUBLE, "a copy in trouble")
    assert "the copy to nowhere waits: The topic nowhere does not exist" in caplog.text
    copy.stop()
    assert copy.join(10)


def test_an_older_owner_is_fenced_and_stays_away(
    broker: Broker, topic: TopicFactory, producer: KafkaProducer, caplog: pytest.LogCaptureFixture
) -> None:
    source, output = topic(), topic()
    old, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    new, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    numbers(producer, source, 0, 20)
    old.start()
    wait_for(lambda: copied(broker.bootstrap, output) == [*range(20)], "records of the older one")
    new.start()
    wait_for(lambda: new.progress.state is CopyState.COPYING, "the newer one")
    numbers(producer, source, 20, 40)
    wait_for(lambda: old.progress.state is CopyState.FENCED, "the fence")
    assert old.join(5)
    numbers(producer, source, 40, 60)
    wait_for(lambda: new.progress.copied == 40, "records of the newer one")
    assert old.progress.copied == 20
    assert copied(broker.bootstrap, output) == [*range(60)]
    assert "which has taken over" in caplog.text
    new.stop()
    assert new.join(10)


def test_a_copy_goes_on_after_its_transaction_was_aborted_by_the_brokers(
    broker: Broker, topic: TopicFactory, producer: KafkaProducer
) -> None:
    source, output = topic(), topic()
    copy, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    numbers(producer, source, 0, 20)
    copy.start()
    wait_for(lambda: copy.progress.copied == 20, "the first records")
    # The same fence as by another owner, but nobody has taken over the offsets: as after a time-out.
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap, transactional_id=output)) as other:
        other.init_transactions()
    numbers(producer, source, 20, 40)
    wait_for(lambda: copy.progress.copied == 40, "the others")
    assert copied(broker.bootstrap, output) == [*range(40)]
    copy.stop()
    assert copy.join(10)


def test_new_partitions_are_copied_once_there_is_room_for_them(
    broker: Broker, topic: TopicFactory, producer: KafkaProducer
) -> None:
    source, output = topic(), topic()
    copy, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    numbers(producer, source, 0, 20)
    copy.start()
    wait_for(lambda: copy.progress.copied == 20, "the first records")
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        admin.create_partitions({source: 2})
        wait_for(lambda: len(admin.describe_topics([source])[0]["partitions"]) == 2, "a partition of the source")
        with closing(KafkaProducer(bootstrap_servers=broker.bootstrap)) as fresh:
            numbers(fresh, source, 20, 40, partition=1)
        wait_for(lambda: copy.progress.state is CopyState.TROUBLE, "a copy without room")
        assert copied(broker.bootstrap, output) == [*range(20)]
        admin.create_partitions({output: 2})
    wait_for(lambda: copy.progress.copied == 40, "all records")
    found = read_all(broker.bootstrap, output)
    assert differences(read_all(broker.bootstrap, source), found, COLUMNS) == []
    assert {record.partition for record in found} == {0, 1}
    copy.stop()
    assert copy.join(10)


def test_too_few_partitions_are_told_once_and_nothing_is_copied(
    broker: Broker, topic: TopicFactory, producer: KafkaProducer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "streamqid")
    source, output = topic(2), topic()
    told: list[Reject] = []
    copy, _ = copier(
        broker.bootstrap, source, CopyRule(output, COLUMNS), output, rejected=lambda *one: told.extend(one[2])
    )
    send(producer, source, 0, [b"{"])
    for partition in (0, 1):
        numbers(producer, source, 20 * partition, 20 * partition + 20, partition)
    copy.start()
    wait_for(lambda: copy.progress.state is CopyState.TROUBLE, "a copy without room")
    # Time for several further attempts.
    time.sleep(3)
    messages = [record.message for record in caplog.records if "the copy to" in record.message]
    assert len(messages) == 1
    assert messages[0].endswith(f"the topic {output} has fewer partitions than what is copied to it; add some.")
    assert told == []
    assert read_all(broker.bootstrap, output, isolation_level="read_uncommitted") == []
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        admin.create_partitions({output: 2})
    wait_for(lambda: copy.progress.copied == 40, "all records")
    assert len(told) == 1
    copy.stop()
    assert copy.join(10)


def test_unreadable_records_and_tombstones(broker: Broker, topic: TopicFactory, producer: KafkaProducer) -> None:
    source, dropping, keeping = topic(), topic(), topic()
    told: list[tuple[Origin, int, list[Reject]]] = []
    without, _ = copier(
        broker.bootstrap, source, CopyRule(dropping, COLUMNS), dropping, rejected=lambda *one: told.append(one)
    )
    with_keys, _ = copier(broker.bootstrap, source, CopyRule(keeping, COLUMNS, keep_key=True), keeping)
    bad = (b"{" + CANARY.encode(), b'["' + CANARY.encode() + b'"]', b"\xff" + CANARY.encode(), b"")
    # JSON's own null is a record without a row, as the deletions of a change log are.
    send(producer, source, 0, [row(0), None, *bad, row(1), b"null"], key="kept")
    producer.flush()
    for copy in (without, with_keys):
        copy.start()
    wait_for(lambda: without.progress.copied == 2 and with_keys.progress.copied == 4, "copies")
    wait_for(lambda: without.progress.dropped["no row (tombstone or delete)"] == 2, "the last one")
    reasons = {reason: count for reason, count in without.progress.dropped.items() if count}
    assert reasons == {
        "no row (tombstone or delete)": 2,
        "not valid JSON": 1,
        "not a JSON object": 1,
        "not valid UTF-8": 1,
        "blank line": 1,
    }
    assert [reject.offset for _, _, rejects in told for reject in rejects] == [1, 2, 3, 4, 5, 7]
    assert [json.loads(record.value) for record in read_all(broker.bootstrap, dropping)] == [
        {"number": 0, "age": 0},
        {"number": 1, "age": 1},
    ]
    kept = read_all(broker.bootstrap, keeping)
    assert [record.key for record in kept] == [b"kept"] * 4
    assert [record.value is None for record in kept] == [False, True, False, True]
    everything = read_all(broker.bootstrap, dropping) + kept
    assert not any(CANARY.encode() in (record.value or b"") for record in everything)
    for copy in (without, with_keys):
        copy.stop()
        assert copy.join(10)


def test_lines_keep_their_published_fields_and_the_constant_stands_for_the_others(
    broker: Broker, topic: TopicFactory, producer: KafkaProducer
) -> None:
    source, removed, replaced = topic(), topic(), topic()
    lines = Format(kind="csv", columns=("name", "age", "note"), delimiter=";")
    given = [f'{CANARY};{n};"one;{n}"\r\n'.encode() for n in range(20)]
    send(producer, source, 0, [*given, CANARY.encode()])
    producer.flush()
    rules = [
        CopyRule(removed, ("age", "note")),
        CopyRule(replaced, ("age", "note"), hidden=("name",), constant="gone"),
    ]
    copies = [copier(broker.bootstrap, source, rule, rule.to, layout=lines)[0] for rule in rules]
    for copy in copies:
        copy.start()
    for copy in copies:
        wait_for(lambda: (copy.progress.copied, copy.progress.dropped[Reason.RAGGED]) == (20, 1), "all lines")  # noqa: B023
        copy.stop()
        assert copy.join(10)
    left = [[record.value.decode() for record in read_all(broker.bootstrap, rule.to)] for rule in rules]
    assert left == [[f'{n};"one;{n}"' for n in range(20)], [f'gone;{n};"one;{n}"' for n in range(20)]]


def test_a_service_copies_a_set_only_while_it_is_safe(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    source, output = topic(), topic()
    stream: dict[str, Any] = {
        "windows": {"width_records": 500, "settle_windows": 1},
        "published": [{"name": "released", "columns": ["sex", "age"], "limits": {"separation": 0.9}}],
        "copies": [{"to": output, "set": "released"}],
    }
    calm = [json.dumps({"sex": "f", "age": 30 + n % 2, "name": CANARY}).encode() for n in range(1_200)]
    loud = [json.dumps({"sex": "f", "age": n, "name": CANARY}).encode() for n in range(1_200)]
    running = service([source], stream=stream)
    produce(broker.bootstrap, source, calm[:100])
    running.up()

    def state(word: str) -> bool:
        return running.metric("streamqid_copy_state", to=output, state=word) == 1

    wait_for(lambda: state("stopped"), "a copy that waits for the first verdict")
    assert read_all(broker.bootstrap, output) == []
    produce(broker.bootstrap, source, calm[100:])
    wait_for(lambda: len(read_all(broker.bootstrap, output)) == 1_200, "all records of a set that is safe")
    produce(broker.bootstrap, source, loud)
    wait_for(lambda: state("stopped"), "a copy that is stopped")
    assert running.get("/readyz")[0] == 200
    before = len(read_all(broker.bootstrap, output))
    # After a restart the saved verdict still counts.
    running.kill()
    assert "is stopped because the columns are unsafe" in running.log()
    produce(broker.bootstrap, source, loud[:100])
    running.up()
    wait_for(lambda: state("stopped"), "a copy that is still stopped")
    assert len(read_all(broker.bootstrap, output)) == before <= 2_400
    produce(broker.bootstrap, source, calm)
    wait_for(lambda: len(read_all(broker.bootstrap, output)) == 3_700, "the rest, once it is safe again")
    _, metrics = running.get("/metrics")
    assert running.stop() == 0
    found = read_all(broker.bootstrap, output)
    assert {tuple(json.loads(record.value)) for record in found} == {("sex", "age")}
    assert CANARY.encode() not in metrics
    assert CANARY not in running.log()


def test_a_topic_that_was_made_anew_is_not_copied_by_the_verdict_on_the_old_one(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    source, output = topic(), topic()
    stream: dict[str, Any] = {
        "windows": {"width_records": 500, "settle_windows": 1},
        "published": [{"name": "released", "columns": ["sex", "age"], "limits": {"separation": 0.9}}],
        "copies": [{"to": output, "set": "released"}],
    }
    calm = [json.dumps({"sex": "f", "age": 30 + n % 2}).encode() for n in range(1_200)]
    loud = [json.dumps({"sex": "f", "age": n}).encode() for n in range(1_200)]
    running = service([source], stream=stream)
    produce(broker.bootstrap, source, calm)
    running.up()
    wait_for(lambda: len(read_all(broker.bootstrap, output)) == 1_200, "all records of a set that is safe")
    assert running.stop() == 0
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        admin.delete_topics([source])
        wait_for(lambda: source not in admin.list_topics(), "a topic that is gone")
    create_topic(broker.bootstrap, source, unique=False)
    produce(broker.bootstrap, source, loud)
    running.up()
    wait_for(lambda: running.metric("streamqid_trouble", kind="recreated") == 1, "a stream that has halted")
    # The brokers have forgotten how far the topic was copied.
    wait_for(lambda: running.metric("streamqid_copy_state", to=output, state="trouble") == 1, "a copy that waits")
    assert f"{output} has records, but the brokers have no offset of group" in running.log()
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        first = {TopicPartition(source, 0): OffsetAndMetadata(0, "", -1)}
        admin.alter_group_offsets(f"streamqid.people.copy.{output}", first)
    wait_for(lambda: running.metric("streamqid_copy_state", to=output, state="stopped") == 1, "a copy that is stopped")
    # Time for a copy that does not wait.
    time.sleep(3)
    assert running.metric("streamqid_copy_state", to=output, state="stopped") == 1
    assert len(read_all(broker.bootstrap, output, isolation_level="read_uncommitted")) == 1_200
    assert running.stop() == 0
    assert "is stopped because the columns are unknown" in running.log()


def test_a_service_copies_what_it_recommends(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    source, output = topic(), topic()
    names = ["sex", "age", "zip"]
    stream = {"copies": [{"to": output, "recommended": True, "hidden": "replace", "constant": "*"}]}
    values = [{name: one.get(name) for name in names} | {"id": CANARY} for one in rows(2_000)]
    running = service([source], stream=stream | {"columns": {"only": names, "ignore": ["id"]}})
    produce(broker.bootstrap, source, [json.dumps(one).encode() for one in values])
    running.up()
    wait_for(lambda: len(read_all(broker.bootstrap, output)) == 2_000, "all records")
    _, document = running.get("/v1/recommendations")
    assert running.stop() == 0
    published = json.loads(document)[0]["mask"]["publish"]
    assert 0 < len(published) < len(names)
    for record, given in zip(read_all(broker.bootstrap, output), values, strict=True):
        fields = json.loads(record.value)
        assert fields == {name: given[name] if name in published else "*" for name in [*names, "id"]}
