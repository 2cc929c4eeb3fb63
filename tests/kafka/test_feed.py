"""Made-up rows on a topic: ``streamqid feed``."""

from __future__ import annotations

import io
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

from kafka import KafkaAdminClient

from streamqid.broker.connect import Connection
from streamqid.broker.feeding import feed
from streamqid.synthetic import Population, write_jsonl
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from pathlib import Path

    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import TopicFactory


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "streamqid", "feed", *arguments], capture_output=True, text=True, check=False
    )


def test_the_rows_of_generate_come_to_a_new_topic(broker: Broker) -> None:
    name = f"feed-{time.time_ns()}"
    done = run("--topic", name, "--rows", "500", "--seed", "7", "--bootstrap-servers", broker.bootstrap)
    assert (done.returncode, done.stderr) == (0, f"Wrote 500 rows to topic {name} (created, seed 7).\n")
    expected = io.BytesIO()
    write_jsonl(Population(7), 500, expected)
    records = read_all(broker.bootstrap, name)
    assert sorted(record.value for record in records) == sorted(expected.getvalue().splitlines())
    assert {record.partition for record in records} == {0, 1, 2, 3}


def test_a_pace_is_kept(broker: Broker, topic: TopicFactory) -> None:
    told: list[int] = []
    began = time.monotonic()
    sent = feed(Connection((broker.bootstrap,)), topic(), [b"{}"] * 100, rate=200.0, told=told.append)
    assert sent == 100
    assert time.monotonic() - began >= 0.4
    assert told == sorted(told)
    assert len(told) >= 5
    assert told[-1] == 100


def test_mistakes_are_told_in_a_sentence(broker: Broker, tmp_path: Path) -> None:
    dead = tmp_path / "dead.yaml"
    dead.write_text(
        "kafka: {bootstrap_servers: '127.0.0.1:1', bootstrap_timeout: 500ms}\nstreams: [{name: x, topics: [x]}]"
    )
    unmade = f"unmade-{time.time_ns()}"
    for arguments, code, words in (
        (["--topic", "a b", "--rows", "1", "--bootstrap-servers", broker.bootstrap], 4, "cannot be created"),
        (["--topic", unmade, "--rows", "-1", "--bootstrap-servers", broker.bootstrap], 2, "must be 0 or more"),
        (["--topic", "x", "--config", str(dead)], 4, "do not answer"),
        (["--topic", "x", "--rate", "0"], 2, "positive number of rows"),
        (["--topic", "x", "--config", "a.yaml", "--bootstrap-servers", "b:1"], 2, "named twice"),
    ):
        done = run(*arguments)
        assert done.returncode == code, done.stderr
        assert words in done.stderr
        assert done.stderr.count("\n") == 1, done.stderr
    with closing(KafkaAdminClient(bootstrap_servers=[broker.bootstrap])) as admin:
        assert unmade not in admin.list_topics()
