"""The demo through a real Kafka: generator, topic, service, recommendation topic, read back and shown.

Everything is a process of its own, as it would be in production; nothing is left behind.
"""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if __name__ == "__main__":  # so that any Python finds the package, installed or not
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import yaml
from kafka import KafkaConsumer, TopicPartition

from deploy.kafka.broker import BrokerError, MissingToolError, start_broker
from deploy.kafka.tools import install_missing
from streamqid.broker.connect import Connection
from streamqid.broker.feeding import create_topic

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE, ANSWERS = "people", "streamqid.recommendations"
ROWS, PANE = 200_000, 10_000
PROGRAM = (sys.executable, "-m", "streamqid")
PATIENCE_SECONDS = 120.0


class DemoError(Exception):
    """The story did not come out; the message says at which place."""


def configuration(bootstrap: str, folder: Path, columns: list[str], fresh_from: int) -> dict[str, Any]:
    """Return the configuration of the service that judges this set; panes are cut by offset."""
    published = {"name": "research", "columns": columns, "limits": {"separation": 0.99}, "fresh_from": fresh_from}
    return {
        "kafka": {"bootstrap_servers": [bootstrap]},
        "state": {"directory": str(folder / "state")},
        "key": {"file": str(folder / "key")},
        "http": {"port": 0},
        "log": {"level": "warning"},
        "publish": {"topic": ANSWERS},
        "streams": [
            {
                "name": PEOPLE,
                "topics": [PEOPLE],
                "columns": {"ignore": ["person_id"]},
                "windows": {"by": "records", "width_records": PANE, "panes_kept": 16},
                "schedule": {"solve_interval": "1s"},
                "published": [published],
            }
        ],
    }


@contextlib.contextmanager
def service(folder: Path, config: dict[str, Any]) -> Iterator[None]:
    """Run the service until the block ends."""
    path = folder / "streamqid.yaml"
    path.write_text(yaml.safe_dump(config))
    with subprocess.Popen([*PROGRAM, "run", "--config", str(path)]) as process:
        try:
            yield
        finally:
            process.terminate()
            process.wait(timeout=60)


def feed(bootstrap: str, seed: int, *drift: str) -> None:
    """Write made-up people to the topic."""
    command = [*PROGRAM, "feed", "--topic", PEOPLE, "--rows", str(ROWS), "--seed", str(seed)]
    subprocess.run([*command, "--bootstrap-servers", bootstrap, *drift], check=True)


@contextlib.contextmanager
def reader(bootstrap: str) -> Iterator[KafkaConsumer]:
    """Read the recommendations from the beginning of their topic on."""
    with contextlib.closing(KafkaConsumer(bootstrap_servers=bootstrap)) as consumer:
        place = TopicPartition(ANSWERS, 0)
        consumer.assign([place])
        consumer.seek_to_beginning(place)
        yield consumer


def answers(consumer: KafkaConsumer) -> Iterator[dict[str, Any]]:
    """Yield the recommendations that were not read yet, one by one, as they come."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for records in consumer.poll(500, max_records=1).values():
            yield from (json.loads(record.value) for record in records)


def watch(consumer: KafkaConsumer, columns: list[str], wanted: str) -> dict[str, Any]:
    """Show what the topic says about a set until its state is the wanted one; return that verdict."""
    told = ""
    for answer in answers(consumer):
        for verdict in answer["verdicts"]:
            if verdict["columns"] != columns or verdict["window"] is None:
                continue
            if verdict["sentence"] != told:
                told = verdict["sentence"]
                print(f"  {answer['records']:>9,} records   {told}", flush=True)
            if verdict["settled"] == wanted:
                return dict(verdict)
    msg = f"No recommendation called {columns} {wanted} within {PATIENCE_SECONDS:.0f} seconds."
    raise DemoError(msg)


def story(bootstrap: str, folder: Path) -> None:
    """Tell it: safe, drift, unsafe with a proposal, applied, safe."""
    create_topic(Connection((bootstrap,)), ANSWERS, 1)
    columns = ["age", "sex", "region"]
    print(f"1. {ROWS:,} rows about people go to the topic {PEOPLE}; {', '.join(columns)} are published.")
    feed(bootstrap, 1)
    with reader(bootstrap) as consumer, service(folder, configuration(bootstrap, folder, columns, 0)):
        watch(consumer, columns, "safe")
        print("2. The producers begin to write a finer region.")
        feed(bootstrap, 2, "--drift", "finer:region@0")
        verdict = watch(consumer, columns, "unsafe")
    proposal = verdict["proposal"]
    print(f"3. What to do: {proposal['sentence']}")
    applied = proposal["keep"]["columns"]
    print(f"4. {', '.join(applied)} are published instead, and judged on records that came afterwards.")
    fresh = 2 * ROWS // 4
    feed(bootstrap, 3, "--drift", "finer:region@0")
    with reader(bootstrap) as consumer, service(folder, configuration(bootstrap, folder, applied, fresh)):
        watch(consumer, applied, "safe")
    print("The same documents are on the topic for whoever reads it.  Next: README.md, 'Attach it to your topic'.")


def main() -> int:
    """Start a broker, tell the story, stop the broker."""
    logging.getLogger("kafka").setLevel(logging.ERROR)
    try:
        install_missing()
        print("Starting Kafka; the first start fetches it and takes a minute.", flush=True)
        with tempfile.TemporaryDirectory(prefix="streamqid-demo-") as temporary:
            folder = Path(temporary)
            with start_broker(folder / "kafka") as broker:
                story(broker.bootstrap, folder)
    except (MissingToolError, BrokerError, DemoError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
