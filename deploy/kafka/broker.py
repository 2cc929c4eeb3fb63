"""A real Apache Kafka on this machine, for tests and for trying the service.

As a program it runs one broker in the foreground until Ctrl-C.  As a library it offers `start_broker`,
`start_cluster` and `start_secure_broker`.  It needs Java 17 and, for the first start, Maven; the jars are kept in
``.kafka`` beside the repository's other files, or in the directory that STREAMQID_KAFKA_HOME names.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if __name__ == "__main__":  # so that any Python finds the package, installed or not
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from deploy.kafka.archive import with_archive
from deploy.kafka.cluster import Cluster, start_cluster
from deploy.kafka.node import Broker
from deploy.kafka.properties import free_ports, is_free, server_properties
from deploy.kafka.secure import SecureBroker, start_secure_broker
from deploy.kafka.storage import format_storage, kafka_uuid
from deploy.kafka.tools import BrokerError, MissingToolError, install_missing

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Broker",
    "BrokerError",
    "Cluster",
    "MissingToolError",
    "SecureBroker",
    "start_broker",
    "start_cluster",
    "start_secure_broker",
]

NO_SETTINGS: Mapping[str, str] = MappingProxyType({})


def start_broker(directory: Path, *, settings: Mapping[str, str] = NO_SETTINGS, port: int | None = None) -> Broker:
    """Start one broker, and wait until it serves clients.

    Parameters
    ----------
    directory
        Holds its data, settings and log; data of an earlier broker there are used again.
    settings
        Server properties that are added, or that replace those of the broker.
    port
        The port for clients; a free one by default.
    """
    if port is not None and not is_free(port):
        msg = f"Port {port} is taken: stop the program that listens there, or choose another port."
        raise BrokerError(msg)
    options = ("-Xmx160m", *with_archive())
    log_dir = directory / "data"
    format_storage(log_dir, node=1, cluster_id=kafka_uuid(), template="plain")
    chosen, controller = free_ports(2)
    port = chosen if port is None else port
    properties = server_properties(1, log_dir, port=port, voters={1: controller})
    broker = Broker(directory, properties | dict(settings), port=port, options=options)
    broker.start()
    return broker


def main() -> int:
    """Run one broker until a signal ends it."""
    parser = argparse.ArgumentParser(description="Run a single-node Apache Kafka on 127.0.0.1 for local use.")
    parser.add_argument("--port", type=int, default=9092, help="port for clients (default: %(default)s)")
    parser.add_argument("--directory", type=Path, help="keep the data here (default: delete them at the end)")
    arguments = parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        install_missing()
        with tempfile.TemporaryDirectory(prefix="streamqid-kafka-") as temporary:
            _serve((arguments.directory or Path(temporary)).resolve(), arguments.port)
    except (MissingToolError, BrokerError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Kafka has stopped.")
    return 0


def _serve(directory: Path, port: int) -> None:
    print("Starting Kafka; the first start fetches it and takes a minute.", flush=True)
    with start_broker(directory, settings={"auto.create.topics.enable": "true"}, port=port) as broker:
        print(f"Kafka listens on {broker.bootstrap}.  Press Ctrl-C to stop it.", flush=True)
        while broker.is_running:
            time.sleep(0.2)
    msg = f"Kafka ended by itself.  Its log ends with:\n{broker.log_tail()}"
    raise BrokerError(msg)


def _leave(*_: object) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C must not leave the broker behind
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
