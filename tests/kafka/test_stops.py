"""SIGTERM at any time: the service ends in good order and in time, and the next one reads nothing again."""

from __future__ import annotations

import random
import signal
import socket
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.test_kills import ended_well
from tests.kafka.topics import create_topic
from tests.kafka.writer import Writer

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory

STOPS = 10


@pytest.mark.timeout(600)
def test_sigterm_at_random_moments(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name, output = topic(partitions=2), topic()
    running = service([name], changes={"publish": {"topic": output}})
    chance = random.Random(5)
    with Writer(broker.bootstrap, name) as writer:
        for number in range(STOPS):
            running.start()
            running.wait_until_stoppable()
            if number % 2:
                wait_for(running.reads, "records that are read")
            time.sleep(chance.uniform(0.0, 1.0))
            counted = running.status().get("records", 0)
            began = running.began_with()
            assert running.stop() == 0
            covered = sum(running.saved().values())
            assert covered >= counted, (number, began)
            assert "Traceback" not in running.log()
    ended_well(running, writer.committed)


def test_a_stop_during_a_solve_waits_for_no_answer(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(2_000))
    running = service([name])
    held = running.directory / "held"
    running.start(STREAMQID_FAILPOINT=f"solve:1:{held}")
    wait_for(held.exists, "a solve under way")
    running.wait_for_records(2_000)
    assert held.exists()
    assert running.stop(grace=20.0) == 0
    assert sum(running.saved().values()) == 2_000
    running.up()
    assert running.began_with() == 2_000
    running.wait_for_records(2_000)
    assert running.metric("streamqid_duplicates_total") == 0
    assert running.stop() == 0
    assert running.snapshot() == running.reference().to_bytes()


def test_a_stop_during_a_restore_keeps_the_state(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    produce(broker.bootstrap, name, messages(1_000))
    running = service([name])
    running.up()
    running.wait_for_records(1_000)
    assert running.stop() == 0
    before = running.snapshot()
    held = running.directory / "held"
    running.start(STREAMQID_FAILPOINT=f"restore:1:{held}")
    wait_for(held.exists, "a restore under way")
    assert running.process is not None
    assert "has not restored its state" in running.ready()
    running.process.send_signal(signal.SIGTERM)
    held.unlink()
    assert running.process.wait(20.0) == 0
    assert running.snapshot() == before
    ended_well(running, 1_000)
    assert running.began_with() == 1_000


def test_a_second_sigterm_ends_it_at_once_and_harms_nothing(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic()
    produce(broker.bootstrap, name, messages(1_000))
    running = service([name])
    held = running.directory / "held"
    running.start(STREAMQID_FAILPOINT=f"shutdown:1:{held}")
    running.wait_for_records(1_000)
    assert running.process is not None
    running.process.send_signal(signal.SIGTERM)
    wait_for(held.exists, "a shutdown under way")
    assert running.stop(grace=10.0) == -signal.SIGTERM
    ended_well(running, 1_000)


def test_a_service_whose_brokers_are_gone_ends_in_time(own_broker: Broker, service: ServiceFactory) -> None:
    bootstrap = own_broker.bootstrap
    name, output, letters, alerts = (create_topic(bootstrap, of) for of in ("rows", "answers", "letters", "alerts"))
    produce(bootstrap, name, [*messages(500), b"{"])
    released = {"name": "released", "columns": ["age", "zip"], "limits": {"separation": 0.01}}
    windows = {"by": "records", "width_records": 100}
    stream = {"windows": windows, "published": [released], "sampling": {"rows": 1_000}}
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        webhook = {"url": f"http://127.0.0.1:{silent.getsockname()[1]}/", "timeout": "60s"}
        publish = {"topic": output, "dead_letters": {"topic": letters}, "alerts": {"topic": alerts, "webhook": webhook}}
        running = service([name], bootstrap, changes={"publish": publish}, stream=stream)
        running.up()
        running.wait_for_records(501)
        wait_for(lambda: "is unsafe" in running.log(), "an alert")
        own_broker.kill()
        began = time.monotonic()
        # Each output has five seconds, all of them at the same time.
        assert running.stop(grace=20.0) == 0
    print(f"ended within {time.monotonic() - began:.1f} seconds")
    assert "webhook did not take the alert" in running.log()
    assert sum(running.saved().values()) == 501
    own_broker.start()
    ended_well(running, 501)
