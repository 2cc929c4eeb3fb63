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
from streamqid.demo.page import Page
from streamqid.problems.sentences import names, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

PEOPLE, ANSWERS = "people", "streamqid.recommendations"
ROWS, PANE, PARTITIONS = 200_000, 10_000, 4
LIMIT = 0.99
PROGRAM = (sys.executable, "-m", "streamqid")
PATIENCE_SECONDS = 120.0


class DemoError(Exception):
    """The story did not come out; the message says at which place."""


def configuration(bootstrap: str, folder: Path, columns: list[str], fresh_from: int) -> dict[str, Any]:
    """Return the configuration of the service that judges this set; panes are cut by offset."""
    published = {"name": "research", "columns": columns, "limits": {"separation": LIMIT}, "fresh_from": fresh_from}
    return {
        "kafka": {"bootstrap_servers": [bootstrap]},
        "state": {"directory": str(folder / "state")},
        "key": {"file": str(folder / "key")},
        "http": {"port": 0},
        "log": {"level": "error"},
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


@contextlib.contextmanager
def feeding(bootstrap: str, seed: int, *drift: str) -> Iterator[None]:
    """Write made-up people to the topic while the block runs, and to the end of them after it."""
    command = [*PROGRAM, "feed", "--topic", PEOPLE, "--rows", str(ROWS), "--seed", str(seed)]
    command += ["--bootstrap-servers", bootstrap, *drift]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield
        except BaseException:
            process.terminate()
            raise
        _, said = process.communicate()
    if process.returncode:
        raise DemoError(said.strip())


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


def watch(page: Page, consumer: KafkaConsumer, columns: list[str], wanted: str, rows: int = 0) -> dict[str, Any]:
    """Show what the topic says about a set until its state, after so many rows, is the wanted one; return that."""
    told = ""
    for answer in answers(consumer):
        for verdict in answer["verdicts"]:
            if verdict["columns"] != columns or verdict["window"] is None:
                continue
            if verdict["sentence"] != told:
                told = verdict["sentence"]
                page.item(f"{answer['records']:,}", told)
            if verdict["settled"] == wanted and answer["records"] >= rows:
                return dict(verdict)
    msg = f"No recommendation called {columns} {wanted} within {PATIENCE_SECONDS:.0f} seconds."
    raise DemoError(msg)


def story(page: Page, bootstrap: str, folder: Path) -> None:
    """Tell it: safe, drift, unsafe with a proposal, applied, safe."""
    create_topic(Connection((bootstrap,)), ANSWERS, 1)
    create_topic(Connection((bootstrap,)), PEOPLE, PARTITIONS)
    columns = ["age", "sex", "region"]
    page.say(
        f"1. {ROWS:,} rows about people go to the topic {PEOPLE}; {names(columns)} is published, and two random people "
        f"may differ on it in at most {percent(LIMIT)} of cases. After so many rows the topic {ANSWERS} says:"
    )
    with reader(bootstrap) as consumer, service(folder, configuration(bootstrap, folder, columns, 0)):
        with feeding(bootstrap, 1):
            watch(page, consumer, columns, "safe", ROWS)
        page.say("2. The producers begin to write a finer region, and nobody says so.")
        with feeding(bootstrap, 2, "--drift", "finer:region@0"):
            verdict = watch(page, consumer, columns, "unsafe")
    proposal = verdict["proposal"]
    page.say(f"3. What to do: {proposal['sentence']}")
    if proposal["keep"] is None:
        raise DemoError("No part of the set was certain to be safe, which may happen by chance: try again.")
    applied = proposal["keep"]["columns"]
    page.say(f"4. {names(applied)} is published instead, and judged on records that come afterwards.")
    fresh = 2 * ROWS // PARTITIONS
    with (
        reader(bootstrap) as consumer,
        service(folder, configuration(bootstrap, folder, applied, fresh)),
        feeding(bootstrap, 3, "--drift", "finer:region@0"),
    ):
        watch(page, consumer, applied, "safe")
    page.say(
        f"5. {names(applied)} is safe: the proposal, judged by records that it was not chosen from. The broker and all "
        "that was on its topics go now. Next: README.md, 'Attach it to your topic'."
    )


def main() -> int:
    """Start a broker, tell the story, stop the broker."""
    logging.getLogger("kafka").setLevel(logging.ERROR)
    try:
        install_missing()
        page = Page()
        page.say("Starting Kafka; the first start fetches it and takes a minute.")
        with tempfile.TemporaryDirectory(prefix="streamqid-demo-") as temporary:
            folder = Path(temporary)
            with start_broker(folder / "kafka") as broker:
                story(page, broker.bootstrap, folder)
    except (MissingToolError, BrokerError, DemoError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
