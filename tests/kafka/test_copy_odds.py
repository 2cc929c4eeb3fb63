"""The enforcing copy where an engineer would look for a hole: a zombie, large records, and what is not in the log."""

from __future__ import annotations

import json
import random
from contextlib import closing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from kafka import KafkaAdminClient, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType

from streamqid.copying.progress import CopyState
from streamqid.copying.rule import CopyRule
from streamqid.engine.events import Outcome, Solved
from tests.kafka.copies import CANARY, copied, copier, offsets_of, row, send
from tests.kafka.service import wait_for
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from deploy.kafka.broker import Broker
    from streamqid.broker.copier import Copier
    from streamqid.copying.gate import Gate
    from tests.kafka.conftest import TopicFactory

COLUMNS = ("number", "age")


def write(broker: Broker, topic: str, first: int, last: int, **settings: object) -> None:
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap, **settings)) as producer:
        if settings:
            producer.init_transactions()
            for commits in (False, True):
                producer.begin_transaction()
                send(producer, topic, 0, map(row, range(first, last)))
                producer.flush()
                (producer.commit_transaction if commits else producer.abort_transaction)()
        else:
            send(producer, topic, 0, map(row, range(first, last)))
            producer.flush()


def test_a_zombie_that_only_had_to_say_commit_commits_nothing(
    broker: Broker, topic: TopicFactory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source, output, held = topic(), topic(), tmp_path / "held"
    monkeypatch.setattr("streamqid.engine.failpoints._reached", {})
    monkeypatch.setenv("STREAMQID_FAILPOINT", f"copy-check:2:{held}")
    old, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    new, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    write(broker, source, 0, 50)
    old.start()
    wait_for(held.exists, "a transaction that is about to be committed")
    new.start()
    wait_for(lambda: new.progress.copied == 50, "all records by the newer one")
    held.unlink()
    wait_for(lambda: old.progress.state is CopyState.FENCED, "the fence")
    assert old.join(5)
    write(broker, source, 50, 60)
    wait_for(lambda: new.progress.copied == 60, "the rest")
    new.stop()
    assert new.join(10)
    assert copied(broker.bootstrap, output) == [*range(60)]
    assert old.progress.copied == 0
    assert len(read_all(broker.bootstrap, output, isolation_level="read_uncommitted")) > 60


def test_aborted_records_of_the_source_are_not_copied(broker: Broker, topic: TopicFactory) -> None:
    source, output = topic(), topic()
    write(broker, source, 0, 20, transactional_id=f"{source}-writer")
    write(broker, source, 20, 30)
    copy, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    copy.start()
    wait_for(lambda: copy.progress.copied >= 30, "all committed records")
    copy.stop()
    assert copy.join(10)
    assert copied(broker.bootstrap, output) == [*range(30)]


def test_records_fit_where_one_of_them_does_and_one_that_does_not_is_waited_for(
    broker: Broker, topic: TopicFactory, caplog: pytest.LogCaptureFixture
) -> None:
    source, output = topic(), topic(max_message_bytes=6_000)
    chance = random.Random(5)
    noise = [chance.randbytes(1_000).hex() for _ in range(60)]
    rows = [json.dumps({"number": n, "text": text, "name": CANARY}).encode() for n, text in enumerate(noise)]
    large = json.dumps({"number": 60, "text": chance.randbytes(6_000).hex(), "name": CANARY}).encode()
    copy, _ = copier(broker.bootstrap, source, CopyRule(output, ("number", "text")), output)
    with closing(KafkaProducer(bootstrap_servers=broker.bootstrap)) as producer:
        send(producer, source, 0, rows)
        producer.flush()
        copy.start()
        wait_for(lambda: copy.progress.copied == 60, "records that go out in batches that are too large at first")
        send(producer, source, 0, [large])
        producer.flush()
    wait_for(lambda: copy.progress.state is CopyState.TROUBLE, "a record that is too large for the topic")
    assert f"a record is larger than {output} allows; raise its max.message.bytes" in caplog.text
    assert copied(broker.bootstrap, output) == [*range(60)]
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        admin.alter_configs([ConfigResource(ConfigResourceType.TOPIC, output, {"max.message.bytes": "100000"})])
    wait_for(lambda: copy.progress.copied == 61, "the large record")
    copy.stop()
    assert copy.join(10)
    assert [json.loads(record.value)["text"] for record in read_all(broker.bootstrap, output)][:60] == noise


def test_what_the_brokers_have_deleted_is_passed_over_only_where_that_is_allowed(
    broker: Broker, topic: TopicFactory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streamqid.broker.copier.PATIENCE_SECONDS", 0.2)
    source, output = topic(), topic()
    write(broker, source, 0, 20)
    first, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
    first.start()
    wait_for(lambda: first.progress.copied == 20, "the first records")
    first.stop()
    assert first.join(10)
    write(broker, source, 20, 60)
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        admin.delete_records({TopicPartition(source, 0): 50})
    rule = CopyRule(output, COLUMNS)
    halted, _ = copier(broker.bootstrap, source, rule, output)
    halted.start()
    wait_for(lambda: halted.progress.state is CopyState.TROUBLE, "a copy that does not pass over a gap by itself")
    assert "Offsets 20 to 49 of partition 0" in caplog.text
    halted.stop()
    assert halted.join(10)
    assert copied(broker.bootstrap, output) == [*range(20)]
    second, _ = copier(broker.bootstrap, source, rule, output, reads={"on_gap": "skip"})
    second.start()
    wait_for(lambda: second.progress.copied == 10, "the others")
    second.stop()
    assert second.join(10)
    assert copied(broker.bootstrap, output) == [*range(20), *range(50, 60)]


def test_recommendations_that_change_never_add_up_and_a_restart_forgets_nothing(
    broker: Broker, topic: TopicFactory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    source, output = topic(partitions=2), topic(partitions=2)
    rule = CopyRule(output, recommended=True)
    wanted: list[dict[str, int]] = []

    def recommends(copy: Copier, gate: Gate, recommended: tuple[str, ...], shown: tuple[str, ...]) -> None:
        answer: Any = SimpleNamespace(mask=SimpleNamespace(publish=list(recommended), met=True))
        gate.solved(Solved(Outcome.ANSWERED, 1.0, answer))
        first, before = len(wanted), copy.progress.copied
        write(broker, source, first, first + 10)
        wanted.extend({name: {"number": n, "age": n % 90}[name] for name in shown} for n in range(first, first + 10))
        wait_for(lambda: copy.progress.copied == before + 10, "ten records")

    for attempt in range(2):
        copy, gate = copier(broker.bootstrap, source, rule, output)
        answer: Any = SimpleNamespace(mask=SimpleNamespace(publish=["name"] if attempt else [], met=True))
        gate.solved(Solved(Outcome.ANSWERED, 1.0, answer))
        copy.start()
        wait_for(lambda: copy.progress.state is CopyState.STOPPED, "a copy without columns")  # noqa: B023
        if not attempt:
            recommends(copy, gate, ("number",), ("number",))
            recommends(copy, gate, COLUMNS, COLUMNS)
        recommends(copy, gate, ("number", "name"), ("number",))
        recommends(copy, gate, ("name", "age"), ("age",))
        copy.stop()
        assert copy.join(10)
    assert [json.loads(record.value) for record in read_all(broker.bootstrap, output)] == wanted
    for record in read_all(broker.bootstrap, output, isolation_level="read_uncommitted"):
        assert CANARY.encode() not in record.value
    assert f"the copy to {output} is stopped because no column is recommended yet." in caplog.text
    before = "what it has published before"
    assert f"is stopped because no column is recommended that would not add to {before}." in caplog.text
    assert f"goes on with 1 column (safe); columns that would add to {before}: 1." in caplog.text


def test_offsets_are_committed_again_before_brokers_forget_them_and_without_them_nothing_is_copied_twice(
    broker: Broker, topic: TopicFactory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source, output = topic(), topic()
    with closing(KafkaAdminClient(bootstrap_servers=broker.bootstrap)) as admin:
        copy, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
        write(broker, source, 0, 10)
        copy.start()
        wait_for(lambda: copy.progress.copied == 10, "all records")
        monkeypatch.setattr("streamqid.broker.session.CLAIM_SECONDS", 0.2)
        with offsets_of(broker.bootstrap, output, source) as offsets:
            admin.delete_group_offsets(output, [TopicPartition(source, 0)])
            wait_for(lambda: offsets() == 10, "the offset of a partition that stands still")
        copy.stop()
        assert copy.join(10)
        admin.delete_group_offsets(output, [TopicPartition(source, 0)])
        late, _ = copier(broker.bootstrap, source, CopyRule(output, COLUMNS), output)
        late.start()
        wait_for(lambda: late.progress.state is CopyState.TROUBLE, "a copy that does not begin anew")
        assert f"{output} has records, but the brokers have no offset of group {output}" in caplog.text
        admin.alter_group_offsets(output, {TopicPartition(source, 0): OffsetAndMetadata(10, "", -1)})
        write(broker, source, 10, 20)
        wait_for(lambda: late.progress.copied == 10, "records from there on")
    late.stop()
    assert late.join(10)
    assert copied(broker.bootstrap, output) == [*range(20)]
