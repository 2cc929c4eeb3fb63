"""Server properties of a small KRaft node, and the ports it listens on."""

from __future__ import annotations

import random
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

HOST = "127.0.0.1"
# Below the range from which Linux takes the near ends of outgoing connections: while a broker is down, no client may
# happen to get its port.
PORTS = range(20_000, 32_000)
SMALL = {
    "process.roles": "broker,controller",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "auto.create.topics.enable": "false",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    "group.min.session.timeout.ms": "1000",
    "num.network.threads": "1",
    "num.io.threads": "2",
    "log.cleaner.backoff.ms": "500",
    "log.cleaner.dedupe.buffer.size": "4194304",
    "log.cleaner.io.buffer.size": "65536",
    # A node that was killed may register again only after its session has ended.
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
}


def free_ports(count: int) -> list[int]:
    """Return ports on which nobody listens now."""
    found: list[int] = []
    for port in random.SystemRandom().sample(PORTS, len(PORTS)):
        if len(found) == count:
            return found
        if is_free(port):
            found.append(port)
    msg = f"There are no {count} free ports between {PORTS.start} and {PORTS.stop}."
    raise OSError(msg)


def server_properties(node: int, log_dir: Path, *, port: int, voters: Mapping[int, int]) -> dict[str, str]:
    """Return the properties of one node.

    Parameters
    ----------
    node
        Its id, a key of `voters`.
    log_dir
        Its formatted storage directory.
    port
        The port for clients.
    voters
        The controller's port of every node of the cluster.
    """
    copies = str(min(len(voters), 3))
    in_sync = "2" if len(voters) > 2 else "1"
    return SMALL | {
        "node.id": str(node),
        "log.dirs": str(log_dir),
        "listeners": f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{voters[node]}",
        "advertised.listeners": f"PLAINTEXT://{HOST}:{port}",
        "controller.quorum.voters": ",".join(f"{voter}@{HOST}:{at}" for voter, at in voters.items()),
        "offsets.topic.replication.factor": copies,
        "transaction.state.log.replication.factor": copies,
        "share.coordinator.state.topic.replication.factor": copies,
        "transaction.state.log.min.isr": in_sync,
        "share.coordinator.state.topic.min.isr": in_sync,
        "default.replication.factor": copies,
        "min.insync.replicas": in_sync,
    }


def is_free(port: int) -> bool:
    """Whether nobody listens on this port."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
