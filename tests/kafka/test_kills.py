"""A service that is killed at random moments and at named places: nothing is lost, nothing counted twice."""

from __future__ import annotations

import os
import random
import time
from typing import TYPE_CHECKING

import pytest

from streamqid.engine.state import KIND
from streamqid.sampling.snapshot import unpack
from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.test_service import committed
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

KILLS = int(os.environ.get("STREAMQID_KILLS", "50"))
EACH = 400
"""Records that are written while each process runs, so that it has something to read when it is killed."""


def records_in(snapshot: bytes) -> int:
    """Return how many records a snapshot covers, by its positions."""
    header, _ = unpack(snapshot)
    assert header["kind"] == KIND
    return sum(following - first for _, _, _, first, following, *_ in header["origins"])


def ended_well(running: Service, records: int) -> None:
    """Let the service read to the end, stop it, and compare with a run that was never interrupted."""
    running.up()
    running.wait_for_records(records)
    assert running.get("/healthz")[0] == 200
    _, metrics = running.get("/metrics")
    assert f'streamqid_records_total{{stream="people"}} {records}.0'.encode() in metrics
    assert running.stop() == 0
    reference = running.reference()
    assert reference.records == records
    assert running.snapshot() == reference.to_bytes()
    assert committed(running) == {origin.partition: offset for origin, offset in reference.next_offsets().items()}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_kills_at_random_moments(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name, output = topic(partitions=3), topic()
    running = service([name], changes={"publish": {"topic": output}})
    chance = random.Random(7)
    in_the_middle = saved = 0
    for round_ in range(KILLS):
        running.up()
        produce(broker.bootstrap, name, messages(EACH, start=round_ * EACH))
        time.sleep(chance.uniform(0.0, 0.3))
        running.kill()
        before = saved
        saved = records_in(running.snapshot()) if running.state.is_dir() and any(running.state.glob("*.state")) else 0
        assert before <= saved <= (round_ + 1) * EACH
        in_the_middle += before < saved < (round_ + 1) * EACH
    total = KILLS * EACH
    ended_well(running, total)
    ids = [dict(record.headers)["ce_id"] for record in read_all(broker.bootstrap, output)]
    assert len(ids) == len(set(ids))
    print(f"{KILLS} kills, {in_the_middle} of them between two checkpoints, {total} records, digests equal")


@pytest.mark.parametrize(
    "place",
    ["write:2", "fsync:2", "rename:2", "directory:2", "saved:2", "commit:2", "submit:1", "publish:1", "restore:1"],
)
def test_kills_at_named_places(place: str, broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(1_500))
    running = service([name])
    running.start(STREAMQID_FAILPOINT=place)
    assert running.wait() == -9
    ended_well(running, 1_500)


def test_a_kill_during_shutdown(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(1_500))
    running = service([name])
    running.start(STREAMQID_FAILPOINT="shutdown:1")
    running.wait_for_records(1_500)
    assert running.stop() == -9
    ended_well(running, 1_500)


def test_a_kill_during_a_restore_and_again_during_the_next(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(1_500))
    running = service([name])
    running.up()
    wait_for(lambda: any(running.state.glob("*.state")), "a snapshot")
    running.kill()
    for _ in range(2):
        running.start(STREAMQID_FAILPOINT="restore:1")
        assert running.wait() == -9
    ended_well(running, 1_500)
