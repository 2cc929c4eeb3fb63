"""Snapshots that are damaged or foreign are never accepted: the service falls back, or refuses in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.config import load
from streamqid.config.building import secret_of, stream_of
from streamqid.engine.directory import snapshots_in
from streamqid.engine.state import restore
from streamqid.errors import StateError
from streamqid.sampling import snapshot
from tests.kafka.people import messages
from tests.kafka.produce import produce
from tests.kafka.service import wait_for
from tests.kafka.test_kills import ended_well
from tests.kafka.topics import create_topic

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

SMALL = {"sampling": {"rows": 30}, "problems": {"mask": None}}


def saved(broker: Broker, name: str, running: Service) -> bytes:
    """Let a service read and save 600 records in three parts; return its newest snapshot."""
    for part in range(3):
        produce(broker.bootstrap, name, messages(200, start=200 * part))
        if part == 0:
            running.up()
        running.wait_for_saved(200 * (part + 1))
    assert running.stop() == 0
    return running.snapshot()


def test_no_damage_of_a_snapshot_is_overlooked(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    name = topic()
    running = service([name], stream=SMALL)
    data = saved(broker, name, running)
    config = load(running.config_file, {}).config
    stream = stream_of(config.streams[0], secret_of(config), state=config.state)
    assert restore(data, stream).to_bytes() == data
    accepted = 0
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 1 << place % 8
        for damaged in (bytes(flipped), data[:place]):
            try:
                restore(damaged, stream)
                accepted += 1
            except StateError:
                continue
    assert accepted == 0
    print(f"{2 * len(data)} damaged snapshots, none accepted")
    # The newest is torn, the one before it flipped: the service goes on from the third.
    newest, before = reversed(snapshots_in(running.state)[-2:])
    newest.write_bytes(data[:-1])
    flipped = bytearray(before.read_bytes())
    flipped[len(flipped) // 2] ^= 1
    before.write_bytes(flipped)
    ended_well(running, 600)
    assert len(list(running.state.glob("*.corrupt"))) == 2


def refused(running: Service, sentence: str) -> None:
    """See that the service ends with one sentence and leaves the snapshots as they are."""
    before = {path: path.read_bytes() for path in snapshots_in(running.state)}
    running.start()
    assert running.wait() == 3
    last = running.log().strip().splitlines()[-1]
    assert sentence in last
    assert "Traceback" not in running.log()
    assert {path: path.read_bytes() for path in snapshots_in(running.state)} == before


def test_a_foreign_snapshot_is_refused(
    broker: Broker,
    own_broker: Broker,
    topic: TopicFactory,
    service: ServiceFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = topic()
    running = service([name], stream=SMALL)
    data = saved(broker, name, running)
    key = running.directory / "key"
    right = key.read_text()
    key.write_text("0123456789abcdef" * 4 + "\n")
    refused(running, "made with the secret")
    key.write_text(right)
    running.stream = {**SMALL, "sampling": {"rows": 40}}
    running.write()
    refused(running, "another name, capacity")
    running.stream = SMALL
    running.write()
    with monkeypatch.context() as patch:
        patch.setattr(snapshot, "VERSION", 9)
        later = snapshot.pack(*snapshot.unpack(data))
    for path in snapshots_in(running.state):
        path.write_bytes(later)
    refused(running, "version")
    for path in snapshots_in(running.state):
        path.write_bytes(data)
    # Another cluster has another topic of the same name, and its records are not those that the state covers.
    create_topic(own_broker.bootstrap, name, unique=False)
    produce(own_broker.bootstrap, name, messages(900))
    running.bootstrap = own_broker.bootstrap
    running.write()
    running.up()
    wait_for(lambda: "made anew" in running.ready(), "a service that is not ready")
    assert running.status()["records"] == 600
    assert running.stop() == 0
    assert running.snapshot() == data
    running.bootstrap = broker.bootstrap
    running.write()
    ended_well(running, 600)


@pytest.mark.parametrize("damage", [b"", b"torn"])
def test_without_an_intact_snapshot_nothing_begins_anew(
    broker: Broker, topic: TopicFactory, service: ServiceFactory, damage: bytes
) -> None:
    name = topic()
    produce(broker.bootstrap, name, messages(200))
    running = service([name], stream=SMALL)
    running.up()
    running.wait_for_records(200)
    assert running.stop() == 0
    for path in snapshots_in(running.state):
        path.write_bytes(damage)
    for _ in range(2):
        running.start()
        assert running.wait() == 3
        assert "No snapshot in" in running.log()
