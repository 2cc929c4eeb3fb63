"""Several brokers that replicate each other, for tests of failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from deploy.kafka.archive import with_archive
from deploy.kafka.node import Broker
from deploy.kafka.properties import free_ports, server_properties
from deploy.kafka.storage import format_storage, kafka_uuid

if TYPE_CHECKING:
    from pathlib import Path


class Cluster:
    """Brokers that know each other; a ``with`` block stops them all at its end."""

    def __init__(self, brokers: list[Broker]) -> None:
        self.brokers = brokers
        self.bootstrap = ",".join(broker.bootstrap for broker in brokers)

    def start(self) -> None:
        """Start every broker that is down, and wait until each one knows all."""
        ports = {broker.ready_port for broker in self.brokers}
        try:
            for broker in self.brokers:
                broker.launch()
            for broker in self.brokers:
                broker.wait_until_ready(ports)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Kill all brokers: one that leaves in good order would wait for others that leave as well."""
        for broker in self.brokers:
            broker.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def start_cluster(directory: Path, size: int = 3) -> Cluster:
    """Start brokers below `directory`; topics have three copies, of which two must be in step."""
    options = ("-Xmx256m", *with_archive())
    ports = free_ports(2 * size)
    voters = dict(enumerate(ports[size:], start=1))
    cluster_id = kafka_uuid()
    brokers = []
    for node, port in enumerate(ports[:size], start=1):
        place = directory / f"broker-{node}"
        format_storage(place / "data", node=node, cluster_id=cluster_id, template="plain")
        properties = server_properties(node, place / "data", port=port, voters=voters)
        brokers.append(Broker(place, properties, port=port, options=options))
    cluster = Cluster(brokers)
    cluster.start()
    return cluster
