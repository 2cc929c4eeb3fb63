"""A service that is killed at random moments and at named places: nothing is lost, nothing counted twice."""

from __future__ import annotations

import os
import random
import time
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import alive, wait_for
from tests.kafka.test_service import committed
from tests.kafka.topics import read_all
from tests.kafka.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Callable

    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

KILLS = int(os.environ.get("STREAMQID_KILLS", "50"))
"""The longer run has 200.  Nine in ten wait until the service reads."""
SMALL = {"state": {"checkpoint_records": 100, "checkpoint_interval": "50ms"}}
PLACES = ["write", "fsync", "rename", "directory", "saved", "commit", "restore", "seek", "submit", "publish"]


def ended_well(running: Service, records: int) -> str:
    """Let the service read to the end, stop it, and compare with a run that was never interrupted."""
    running.up()
    running.wait_for_records(records)
    wait_for(lambda: not running.ready(), "a service that is ready")
    wait_for(lambda: running.metric("streamqid_records_total") == records, "a metric of all records")
    # Behind the last record there may be aborted ones and marks, which the reference goes past.
    wait_for(lambda: running.lag() == 0, "a service at the end of the log")
    assert running.stop() == 0
    reference = running.reference()
    assert reference.records == records
    assert running.snapshot() == reference.to_bytes()
    assert committed(running) == {origin.partition: offset for origin, offset in reference.next_offsets().items()}
    return reference.digest()


def check_no_step_back(running: Service, before: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
    """Return how far the snapshot reaches, which is at least as far as it did."""
    now = running.saved()
    assert all(now.get(origin, 0) >= offset for origin, offset in before.items())
    return now


def has_saved(running: Service, before: dict[tuple[str, int], int]) -> bool:
    """Tell whether there is a newer snapshot."""
    return running.saved() != before


@pytest.mark.slow
@pytest.mark.timeout(300 + 20 * KILLS)
def test_kills_at_random_moments(
    broker: Broker, topic: TopicFactory, service: ServiceFactory, record_property: Callable[[str, object], None]
) -> None:
    name, output = topic(partitions=3), topic()
    running = service([name], changes={"publish": {"topic": output}})
    chance = random.Random(7)
    saved: dict[tuple[str, int], int] = {}
    hits = advanced = kills = 0
    with Writer(broker.bootstrap, name) as writer:
        while kills < KILLS:
            running.start()
            if kills % 10 == 9:
                # At any moment from the first one on, before it reads as well.
                time.sleep(chance.uniform(0.0, 2.0))
            else:
                wait_for(running.reads, "records that are read")
                if kills % 2:
                    wait_for(partial(has_saved, running, saved), "a checkpoint of its own")
                time.sleep(chance.uniform(0.0, 0.3))
            hits += running.reads()
            running.kill()
            kills += 1
            before, saved = saved, check_no_step_back(running, saved)
            advanced += saved != before
    assert hits > KILLS // 2
    assert advanced > KILLS // 3
    digest = ended_well(running, writer.committed)
    ids = [dict(record.headers)["ce_id"] for record in read_all(broker.bootstrap, output)]
    assert len(ids) == len(set(ids))
    record_property(
        "noted",
        f"{kills} kills, {hits} of them of a service that reads, {advanced} after a checkpoint of its own; "
        f"{writer.committed} records, digests equal: {digest}",
    )


@pytest.mark.timeout(600)
def test_kills_at_named_places(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    running = service([name], changes=SMALL)
    saved: dict[tuple[str, int], int] = {}
    # Each place once with the first thing that comes there, and those of a checkpoint with the second one too.
    places = [*(f"{place}:1" for place in PLACES), *(f"{place}:2" for place in PLACES[:6])]
    chance = random.Random(3)
    chance.shuffle(places)
    produce(broker.bootstrap, name, messages(400), batch_bytes=2_000)
    running.up()
    running.wait_for_records(400)
    running.kill()
    for number, place in enumerate(places, start=1):
        produce(broker.bootstrap, name, messages(400, start=400 * number), batch_bytes=2_000)
        running.start(STREAMQID_FAILPOINT=place)
        assert running.wait() == -9, place
        saved = check_no_step_back(running, saved)
    ended_well(running, 400 * (len(places) + 1))


def test_a_kill_during_shutdown(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(1_500))
    running = service([name])
    running.start(STREAMQID_FAILPOINT="shutdown:1")
    running.wait_for_records(1_500)
    assert running.stop() == -9
    ended_well(running, 1_500)


def test_a_killed_service_leaves_no_solver_behind(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic()
    produce(broker.bootstrap, name, messages(200))
    running = service([name])
    held = running.directory / "held"
    running.start(STREAMQID_FAILPOINT=f"solve:1:{held}")
    wait_for(held.exists, "an endless solve")
    children = running.children()
    assert len(children) == 1
    running.kill()
    wait_for(lambda: not any(alive(pid) for pid in children), "the end of the solver")
