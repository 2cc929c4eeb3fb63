"""The enforcing copy of a service that is killed: each record once, in order, and nothing that is hidden."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from kafka import KafkaProducer

from tests.kafka.copies import CANARY, differences, end_of, offsets_of, row, send
from tests.kafka.service import wait_for
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory

KILLS = 20
PARTITIONS = 3
COLUMNS = ("number", "age")


@contextmanager
def written(bootstrap: str, topic: str) -> Iterator[list[int]]:
    """Write numbered records and some bad ones until the block ends; the list holds how many can be read."""
    stop, count = threading.Event(), [0]

    def write(producer: KafkaProducer) -> None:
        while not stop.wait(0.04):
            for partition in range(PARTITIONS):
                good = [row(number) for number in range(count[0], count[0] + 10)]
                send(producer, topic, partition, [*good, b"{" + CANARY.encode()])
                count[0] += len(good)
            producer.flush()

    with closing(KafkaProducer(bootstrap_servers=bootstrap, linger_ms=2)) as producer:
        thread = threading.Thread(target=write, args=(producer,))
        thread.start()
        try:
            yield count
        finally:
            stop.set()
            thread.join()


@contextmanager
def forks() -> Iterator[Callable[..., int]]:
    """Give what starts a process that copies, and returns its id; see ``tests.kafka.copying``."""
    command = [sys.executable, "-m", "tests.kafka.copying"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as mother:
        assert mother.stdin is not None
        assert mother.stdout is not None
        lines, answers = mother.stdin, mother.stdout

        started: list[int] = []

        def start(*words: object) -> int:
            lines.write(" ".join(map(str, words)) + "\n")
            lines.flush()
            started.append(int(answers.readline()))
            return started[-1]

        try:
            yield start
        finally:
            # Where the test has failed, the last one still runs.
            with contextlib.suppress(ProcessLookupError):
                for pid in started[-1:]:
                    os.kill(pid, signal.SIGKILL)


def kill(pid: int) -> None:
    """Send SIGKILL and wait for the end."""
    os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        while True:
            os.kill(pid, 0)
            time.sleep(0.01)


@pytest.mark.timeout(300, func_only=True)
def test_twenty_kills_at_random_moments(broker: Broker, topic: TopicFactory, service: ServiceFactory) -> None:
    source, output, letters = topic(partitions=PARTITIONS), topic(partitions=PARTITIONS), topic()
    copy = {"to": output, "columns": list(COLUMNS), "when_unsure": "pass"}
    running = service(
        [source],
        stream={"copies": [copy]},
        changes={"publish": {"dead_letters": {"topic": letters}}},
    )
    # A whole service takes seconds to start, so most of the time it is the copy alone, under the same name.
    name = f"streamqid.people.copy.{output}"
    alone = [broker.bootstrap, source, output, name, *COLUMNS]
    chance, seen, logs = random.Random(11), 0, ""
    reached = [0]
    with (
        end_of(broker.bootstrap, output) as end,
        offsets_of(broker.bootstrap, name, source) as offsets,
        written(broker.bootstrap, source) as count,
        forks() as start,
    ):
        for number in range(KILLS):
            pid = None
            if number % 7 == 0:
                running.start()
            else:
                pid = start(running.directory / "log", chance.choice([0.01, 0.1, 1.0]), *alone)
            wait_for(lambda: end() > seen, "a copy that writes")  # noqa: B023
            if number % 2:
                wait_for(lambda: offsets() > reached[-1], "a copy that commits")
            time.sleep(chance.uniform(0.0, 0.2))
            if pid is None:
                running.kill()
            else:
                kill(pid)
            seen = end()
            reached.append(offsets())
            logs += running.log()
    # Some were killed in their first transaction, and others between or in later ones.
    advanced = sum(after > before for before, after in pairwise(reached))
    assert KILLS // 2 <= advanced <= KILLS
    assert sorted(reached) == reached
    running.up()
    with offsets_of(broker.bootstrap, name, source) as offsets, end_of(broker.bootstrap, source) as end:
        wait_for(lambda: offsets() == end(), "all records copied")
    wait_for(lambda: running.metric("streamqid_copy_state", to=output, state="copying") == 1, "a copy at work")
    _, metrics = running.get("/metrics")
    assert running.stop() == 0
    given = [record for record in read_all(broker.bootstrap, source) if record.value.startswith(b'{"')]
    found = read_all(broker.bootstrap, output)
    assert len(given) == count[0]
    assert differences(given, found, COLUMNS) == []
    # The check sees a record that is missing, one that comes twice, and two that have changed places.
    assert differences(given, found[1:], COLUMNS)
    assert differences(given, [*found, found[-1]], COLUMNS)
    assert differences(given, [found[1], found[0], *found[2:]], COLUMNS)
    assert {record.key for record in found} == {None}
    assert not any(record.headers for record in found)
    # Whatever was ever written, transactions that were aborted included.
    everything = read_all(broker.bootstrap, output, isolation_level="read_uncommitted")
    assert len(everything) > len(found)
    assert not any(CANARY.encode() in record.value for record in everything)
    pointers = b"".join(record.key + record.value for record in read_all(broker.bootstrap, letters))
    assert b"not valid JSON" in pointers
    for text in (logs, running.log(), metrics.decode(), pointers.decode()):
        assert CANARY not in text
    aborted = len(everything) - len(found)
    print(f"{KILLS} kills, {advanced} after a commit, {len(found)} records copied, {aborted} in aborted transactions")
