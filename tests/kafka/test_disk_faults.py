"""A state directory that is full, gone or slow: reading goes on, the old snapshot stays, and saving recovers."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.test_kills import ended_well

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

LARGE = {"sampling": {"rows": 2_000}}
"""Snapshots far larger than the log of the process, which the limit of file sizes holds for as well."""
SOON = {"ready": {"max_snapshot_age": "1s"}}


def begun(broker: Broker, name: str, running: Service) -> bytes:
    """Let a service read and save 1,000 records; return the snapshot."""
    produce(broker.bootstrap, name, messages(1_000))
    running.up()
    running.wait_for_saved(1_000)
    return running.snapshot()


def refuses(broker: Broker, name: str, running: Service) -> None:
    """Write more, which is counted and cannot be saved."""
    produce(broker.bootstrap, name, messages(1_000, start=1_000))
    running.wait_for_records(2_000)
    wait_for(lambda: "checkpoint failed" in running.log(), "a checkpoint that failed")
    wait_for(lambda: "has not saved its newest records" in running.ready(), "a service that is not ready")


def recovers(running: Service) -> None:
    """See that what was counted is saved, though no further record comes."""
    running.wait_for_saved(2_000)
    wait_for(lambda: not running.ready(), "a service that is ready")
    assert "saves again" in running.log()
    assert not list(running.state.glob("*.tmp"))
    assert running.stop() == 0
    ended_well(running, 2_000)


def test_a_full_disk(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic(partitions=2)
    running = service([name], changes=SOON, stream=LARGE)
    before = begun(broker, name, running)
    assert running.process is not None
    pid, unlimited = running.process.pid, resource.RLIM_INFINITY
    assert len(running.log()) < 20_000 < len(before) // 2
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (len(before) // 2, unlimited))
    refuses(broker, name, running)
    assert running.snapshot() == before
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (unlimited, unlimited))
    recovers(running)


def test_a_directory_that_goes_away_and_comes_back(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic(partitions=2)
    running = service([name], changes=SOON)
    before = begun(broker, name, running)
    aside = running.state.with_name("aside")
    running.state.rename(aside)
    # What stands there now takes no files, like a place that is mounted read only.
    running.state.touch()
    refuses(broker, name, running)
    running.state.unlink()
    aside.rename(running.state)
    assert running.snapshot() == before
    recovers(running)


def test_a_stop_with_a_full_disk_says_so_and_the_next_start_reads_again(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic(partitions=2)
    running = service([name], changes=SOON, stream=LARGE)
    before = begun(broker, name, running)
    assert running.process is not None
    resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (len(before) // 2, resource.RLIM_INFINITY))
    refuses(broker, name, running)
    assert running.stop() == 3
    assert "could not be saved" in running.log()
    assert running.snapshot() == before
    ended_well(running, 2_000)


def test_a_slow_disk_holds_up_reading_and_nothing_else(
    broker: Broker, topic: TopicFactory, service: ServiceFactory
) -> None:
    name = topic(partitions=2)
    running = service([name], changes=SOON)
    begun(broker, name, running)
    assert running.stop() == 0
    held = running.directory / "held"
    running.start(STREAMQID_FAILPOINT=f"fsync:1:{held}")
    produce(broker.bootstrap, name, messages(1_000, start=1_000))
    wait_for(held.exists, "a checkpoint that hangs")
    wait_for(lambda: "has not saved its newest records" in running.ready(), "a service that is not ready")
    assert sum(running.saved().values()) == 1_000
    held.unlink()
    running.wait_for_saved(2_000)
    wait_for(lambda: not running.ready(), "a service that is ready")
    assert running.stop() == 0
    ended_well(running, 2_000)
