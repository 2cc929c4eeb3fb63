"""Brokers that restart, crash or are all gone for a while, and one that is not there at the start."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.test_kills import ended_well
from tests.kafka.topics import create_topic, read_all
from tests.kafka.writer import Writer

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker, Cluster
    from tests.kafka.conftest import ServiceFactory
    from tests.kafka.service import Service

OUTAGE_SECONDS = 60.0


def catches_up(running: Service, writer: Writer) -> float:
    """Wait until the service has counted what is written by now and is ready; return how long that took."""
    began, written = time.monotonic(), writer.committed
    running.wait_for_records(written)
    wait_for(lambda: not running.ready(), "a service that is ready")
    return time.monotonic() - began


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_three_brokers_restart_crash_and_vanish_for_a_minute(cluster: Cluster, service: ServiceFactory) -> None:
    name, output = (create_topic(cluster.bootstrap, prefix, partitions=3) for prefix in ("rows", "answers"))
    changes = {"publish": {"topic": output}, "kafka": {"bootstrap_timeout": "3s"}}
    running = service([name], cluster.bootstrap, changes=changes)
    running.up()
    with Writer(cluster.bootstrap, name, pause=0.1, transactions=False) as writer:
        wait_for(running.reads, "records that are read")
        for broker in cluster.brokers:
            broker.stop()
            broker.start()
            catches_up(running, writer)
        for broker in cluster.brokers:
            broker.kill()
            broker.start()
            catches_up(running, writer)
        memory = running.memory()
        cluster.stop()
        down = time.monotonic()
        wait_for(lambda: "do not answer" in running.ready(), "a service that says that brokers are gone")
        while time.monotonic() - down < OUTAGE_SECONDS:
            # Alive and not ready, all the time; asking takes place in `ready`.
            assert running.ready()
            time.sleep(0.5)
        cluster.start()
        waited = catches_up(running, writer)
    assert running.memory() < memory + (64 << 20)
    assert "Traceback" not in running.log()
    assert running.stop() == 0
    digest = ended_well(running, writer.committed)
    ids = [dict(record.headers)["ce_id"] for record in read_all(cluster.bootstrap, output)]
    assert len(ids) == len(set(ids))
    print(
        f"{writer.committed} records, ready {waited:.1f} s after the brokers, which were gone for a minute; "
        f"digests equal: {digest}"
    )


def test_a_broker_that_is_not_there_at_the_start_is_awaited(own_broker: Broker, service: ServiceFactory) -> None:
    name = create_topic(own_broker.bootstrap, "later")
    produce(own_broker.bootstrap, name, messages(500))
    own_broker.stop()
    running = service([name], own_broker.bootstrap, changes={"kafka": {"bootstrap_timeout": "1s"}})
    running.up()
    assert "not answer" in running.ready()
    wait_for(lambda: "do not answer: check the addresses" in running.ready(), "a sentence about the brokers")
    assert "do not answer: check the addresses" in running.log()
    own_broker.start()
    running.wait_for_records(500)
    wait_for(lambda: not running.ready(), "a service that is ready")
    assert running.stop() == 0
    ended_well(running, 500)
