"""Formatted storage directories: made once by Kafka's own tool, then copied, which saves a Java start each time."""

from __future__ import annotations

import base64
import shutil
import subprocess
import uuid
from typing import TYPE_CHECKING

from deploy.kafka.jars import java, made_once
from deploy.kafka.tools import BrokerError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def kafka_uuid() -> str:
    """Return a random id in Kafka's spelling: 22 characters of URL-safe base64."""
    return base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")


def format_storage(log_dir: Path, *, node: int, cluster_id: str, template: str, scram: Sequence[str] = ()) -> None:
    """Make a storage directory from the kept template of this name; leave one that exists as it is.

    Parameters
    ----------
    log_dir
        The directory to make.
    node, cluster_id
        What the node registers with.
    template
        The name of the template; it stands for the list of users.
    scram
        Users in the notation of ``kafka-storage format --add-scram``.
    """
    if (log_dir / "meta.properties").exists():
        return
    source = made_once(f"storage-{template}", lambda directory: _format(directory, scram))
    shutil.copytree(source, log_dir)
    # A directory id that two nodes share would keep the second one from registering.
    meta = f"version=1\ncluster.id={cluster_id}\nnode.id={node}\ndirectory.id={kafka_uuid()}\n"
    (log_dir / "meta.properties").write_text(meta)


def _format(directory: Path, scram: Sequence[str]) -> None:
    settings = directory.with_suffix(".properties")
    settings.write_text(
        "process.roles=broker,controller\nnode.id=1\ncontroller.quorum.voters=1@127.0.0.1:9093\n"
        "listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093\ncontroller.listener.names=CONTROLLER\n"
        f"log.dirs={directory}\n"
    )
    users = [word for user in scram for word in ("--add-scram", user)]
    command = java("kafka.tools.StorageTool", "format", "-t", kafka_uuid(), "-c", str(settings), *users)
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    settings.unlink()
    if done.returncode != 0:
        msg = f"Kafka could not format its storage:\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        raise BrokerError(msg)
