"""An archive of the classes that a broker loads (AppCDS): with it, a start costs half of the processor time."""

from __future__ import annotations

import hashlib
import tempfile
from pathlib import Path

from deploy.kafka.jars import made_once
from deploy.kafka.node import Broker
from deploy.kafka.properties import free_ports, server_properties
from deploy.kafka.storage import format_storage, kafka_uuid
from deploy.kafka.tools import find


def with_archive() -> tuple[str, ...]:
    """Return the Java options that use the archive of this Java; make it when there is none yet."""
    machine = Path(find("java")).resolve()
    key = hashlib.sha256(f"{machine} {machine.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    return (f"-XX:SharedArchiveFile={made_once(f'classes-{key}.jsa', _record)}",)


def _record(archive: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="streamqid-kafka-") as name:
        directory = Path(name)
        log_dir = directory / "data"
        format_storage(log_dir, node=1, cluster_id=kafka_uuid(), template="plain")
        port, controller = free_ports(2)
        properties = server_properties(1, log_dir, port=port, voters={1: controller})
        options = (f"-XX:ArchiveClassesAtExit={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off")
        with Broker(directory, properties, port=port, options=options) as broker:
            broker.start()
    # Without an archive every start is slower and otherwise the same.
    archive.touch()
