"""The service on a real broker, from the topic to the recommendation that is read back."""

from __future__ import annotations

import contextlib
import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaConsumer, TopicPartition

import streamqid
from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from pathlib import Path

    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

KEY = {"epsilon": 0.0005}
"""So small that the command line, too, keeps the whole table for it."""


def adult(path: Path) -> list[bytes]:
    """Return the rows of the table as JSON messages."""
    with gzip.open(path, "rt") as lines:
        names = next(lines).strip().split(",")
        return [json.dumps(dict(zip(names, line.strip().split(","), strict=True))).encode() for line in lines]


def last_document(bootstrap: str, topic: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(read_all(bootstrap, topic)[-1].value)
    return document


def committed(service: Service, group: str = "streamqid.people") -> dict[int, int]:
    """Return the committed offset of each partition."""
    with contextlib.closing(KafkaConsumer(bootstrap_servers=service.bootstrap, group_id=group)) as consumer:
        (name,) = service.topics
        parts = sorted(consumer.partitions_for_topic(name))
        found = {part: consumer.committed(TopicPartition(name, part)) for part in parts}
    return {part: offset for part, offset in found.items() if offset is not None}


@pytest.mark.parametrize("capacity", [40_000, 4_000])
def test_the_recommendation_is_what_the_command_line_answers(
    capacity: int, broker: Broker, topic: TopicFactory, service: ServiceFactory, adult_path: Path
) -> None:
    name, output = topic(partitions=3), topic()
    produce(broker.bootstrap, name, adult(adult_path))
    stream = {"columns": {"ignore": ["fnlwgt"]}, "sampling": {"rows": capacity}, "problems": {"key": KEY}}
    running = service([name], changes={"publish": {"topic": output}}, stream=stream)
    running.up()
    running.wait_for_records(32_561)
    wait_for(lambda: any(r for r in read_all(broker.bootstrap, output)), "a recommendation")
    wait_for(lambda: last_document(broker.bootstrap, output)["records"] == 32_561, "the last recommendation")
    status, told = running.get(f"/v1/streams/{running.status()['name']}/whatif?column=age&column=sex")
    assert status == 200
    assert running.stop() == 0
    found = last_document(broker.bootstrap, output)
    assert sum(position["next_offset"] for position in found["positions"]) == 32_561
    assert found["key"]["exact"] is (capacity == 40_000)
    if capacity == 40_000:
        key = streamqid.keys(adult_path, ignore=["fnlwgt"], rule="certified", epsilon=KEY["epsilon"])
        mask = streamqid.mask(adult_path, ignore=["fnlwgt"], rule="certified")
        assert set(found["key"]["columns"]) == set(key.columns)
        assert found["key"]["separation"] == (key.separation and key.separation.model_dump())
        assert set(found["mask"]["publish"]) == set(mask.publish)
        assert found["mask"]["separation"] == (mask.separation and mask.separation.model_dump())
        asked = streamqid.check(adult_path, ["age", "sex"], exact=True)
        assert json.loads(told)["check"]["unique_rows"] == asked.unique_rows.model_dump()
    else:
        # The promises are kept on the whole table; each may fail with probability 0.01 over the secret, so the
        # chance that this test fails for a right program is at most 0.02 (the key is random).
        exact = streamqid.check(adult_path, found["key"]["columns"], exact=True)
        assert exact.separation.estimate >= found["key"]["separation"]["lower"]
        publish = streamqid.check(adult_path, found["mask"]["publish"], exact=True)
        assert publish.separation.estimate <= 0.8


def test_at_rest_the_committed_offsets_are_those_of_the_snapshot(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(3_000))
    running = service([name])
    running.up()
    running.wait_for_records(3_000)
    assert running.stop() == 0
    reference = running.reference()
    assert running.snapshot() == reference.to_bytes()
    assert committed(running) == {origin.partition: offset for origin, offset in reference.next_offsets().items()}


def test_a_clean_stop_reads_nothing_again(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(2_000))
    running = service([name])
    running.up()
    running.wait_for_records(2_000)
    assert running.stop() == 0
    produce(broker.bootstrap, name, messages(500, start=2_000))
    running.up()
    running.wait_for_records(2_500)
    _, metrics = running.get("/metrics")
    assert b'streamqid_duplicates_total{stream="people"} 0.0' in metrics
    assert b'streamqid_records_total{stream="people"} 2500.0' in metrics
    assert running.get("/readyz")[0] == 200
    assert running.stop() == 0
    assert running.snapshot() == running.reference().to_bytes()


def test_a_second_process_on_one_state_directory_is_refused(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic()
    produce(broker.bootstrap, name, messages(200))
    first = service([name])
    first.up()
    shared = {"key": {"file": str(first.directory / "key")}, "state": {"directory": str(first.directory / "state")}}
    second = service([name], changes=shared)
    second.start()
    assert second.wait() == 3
    assert "in use by another process" in second.log()
    assert len(second.log().strip().splitlines()) == 1
    assert first.stop() == 0
