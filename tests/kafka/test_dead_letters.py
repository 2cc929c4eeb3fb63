from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any

from streamqid.broker.connect import Connection
from streamqid.broker.dead_letters import WAITING, DeadLetters
from streamqid.broker.publisher import KafkaPublisher
from streamqid.clock import ManualClock, SystemClock
from streamqid.engine.bad_records import BadRecords
from streamqid.engine.events import TroubleKind
from streamqid.engine.loop import Loop
from streamqid.engine.memory import MemoryStore
from streamqid.engine.observers import Observers
from streamqid.engine.questions import AskKey
from streamqid.engine.state import State
from streamqid.engine.stream import Stream
from streamqid.records import Origin, Reason, Reject
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.sources import open_table
from tests.kafka.topics import create_topic, read_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from deploy.kafka.broker import Broker
    from streamqid.clock import Clock
    from tests.kafka.conftest import TopicFactory

ORIGIN = Origin("records", 2, "id-1")
STREAM = Stream("people", Secret.from_seed(5), Capacity(100))


@contextmanager
def dead_letters(
    bootstrap: str, topic: str, *, bad: BadRecords | None = None, per_second: float = 10.0, clock: Clock | None = None
) -> Iterator[DeadLetters]:
    connection = Connection((bootstrap,), bootstrap_timeout_seconds=2)
    letters = DeadLetters(
        connection, topic, "people", bad=bad or BadRecords(), per_second=per_second, clock=clock or SystemClock()
    )
    try:
        yield letters
    finally:
        letters.close(20)


def rejects(*offsets: int) -> list[Reject]:
    return [Reject(offset, Reason.NOT_JSON) for offset in offsets]


def bodies(bootstrap: str, topic: str) -> dict[str, dict[str, Any]]:
    """Return what was said, one message for each key."""
    return {record.key.decode(): json.loads(record.value) for record in read_all(bootstrap, topic)}


def wait_until(condition: Callable[[], object], seconds: float = 90.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_each_bad_record_has_one_pointer_also_when_a_restart_repeats_it(broker: Broker, topic: TopicFactory) -> None:
    name = topic(2)
    for offsets in (range(300), range(200, 500)):
        with dead_letters(broker.bootstrap, name, per_second=1000) as letters:
            letters.rejected(ORIGIN, rejects(*offsets))
    assert bodies(broker.bootstrap, name) == {
        f"records/2/{offset}": {
            "kind": "pointer",
            "stream": "people",
            "topic": "records",
            "topic_id": "id-1",
            "partition": 2,
            "offset": offset,
            "reason": "not valid JSON",
        }
        for offset in range(500)
    }
    assert len(read_all(broker.bootstrap, name)) == 600


def test_beyond_the_rate_there_are_counts(broker: Broker, topic: TopicFactory) -> None:
    name, clock = topic(), ManualClock()
    with dead_letters(broker.bootstrap, name, clock=clock) as letters:
        letters.rejected(ORIGIN, rejects(*range(50)))
        clock.advance(0.5)
        letters.rejected(ORIGIN, rejects(50, 51))
        clock.advance(59.5)
        letters.turned(State(STREAM))
        assert letters.unsaid == 40
    said = bodies(broker.bootstrap, name)
    summary = said.pop("records/2/summary")
    assert [body["offset"] for body in said.values()] == [*range(10), 50, 51]
    assert (summary["first_offset"], summary["last_offset"], summary["reasons"]) == (10, 49, {"not valid JSON": 40})


def test_a_flood_gives_one_summary_a_minute(broker: Broker, topic: TopicFactory) -> None:
    name, clock, bad, state = topic(), ManualClock(), BadRecords(), State(STREAM)
    with dead_letters(broker.bootstrap, name, clock=clock, bad=bad, per_second=1000) as letters:
        bad.count(ORIGIN, 100, 100)
        for second in range(300):
            bad.count(ORIGIN, 100, 100)
            letters.rejected(ORIGIN, rejects(*range(100 * second, 100 * second + 100)))
            clock.advance(1.0)
            letters.turned(state)
        bad.count(ORIGIN, 100_000, 0)
        letters.rejected(ORIGIN, rejects(99_999))
    said = [json.loads(record.value) for record in read_all(broker.bootstrap, name)]
    assert Counter(body["kind"] for body in said) == {"summary": 5, "pointer": 1}
    assert sum(sum(body["reasons"].values()) for body in said if body["kind"] == "summary") == 30_000


def test_a_broker_that_is_away_costs_no_time_and_bounded_memory(own_broker: Broker) -> None:
    name = create_topic(own_broker.bootstrap, "dead")
    with dead_letters(own_broker.bootstrap, name, per_second=1e6) as letters:
        letters.rejected(ORIGIN, rejects(0))
        wait_until(lambda: letters.delivered)
        own_broker.kill()
        began = time.monotonic()
        letters.rejected(ORIGIN, rejects(*range(1, 5_001)))
        assert time.monotonic() - began < 20
        assert (letters.waiting, letters.unsaid) == (WAITING, 5_000 - WAITING)
        own_broker.start()
        wait_until(lambda: not letters.waiting)
    said = bodies(own_broker.bootstrap, name)
    assert said.pop("records/2/summary")["reasons"] == {"not valid JSON": 5_000 - WAITING}
    assert set(said) == {f"records/2/{offset}" for offset in range(WAITING + 1)}


def test_a_topic_that_is_not_there_is_told(broker: Broker) -> None:
    with dead_letters(broker.bootstrap, "no-such-topic") as letters:
        # Before there is anything to say.
        wait_until(lambda: [trouble.kind for trouble in letters.troubles()] == [TroubleKind.MISSING])
        letters.rejected(ORIGIN, rejects(1))
        letters._courier.close(0)  # noqa: SLF001 - nothing will arrive


CANARY = "Kanarienvogel"


def test_no_value_of_a_record_leaves_with_any_message(broker: Broker, topic: TopicFactory, tmp_path: Path) -> None:
    rows = [json.dumps({"name": f"{CANARY} {number}", "group": f"{CANARY}{number % 3}"}) for number in range(400)]
    broken = [f'{{"name": "{CANARY}', f'["{CANARY}"]', f"{CANARY}: {CANARY}", f'"{CANARY}\\ud800"']
    path = tmp_path / "people.jsonl"
    path.write_text("\n".join(rows + broken))
    out, dead, bad = topic(), topic(), BadRecords()
    stream = Stream("people", Secret.from_seed(5), Capacity(1000), key=AskKey())
    with dead_letters(broker.bootstrap, dead, bad=bad) as letters, closing(open_table(path)) as source:
        publisher = KafkaPublisher(Connection((broker.bootstrap,)), out)
        observers = Observers([bad, letters])
        Loop(stream, source, MemoryStore(), publisher, SystemClock(), observer=observers).run()
        publisher.close(20)
    assert (publisher.published.waiting, observers.failures) == (0, 0)
    messages = [*read_all(broker.bootstrap, out), *read_all(broker.bootstrap, dead)]
    assert len(messages) > len(broken)
    assert [body["offset"] for body in bodies(broker.bootstrap, dead).values()] == [400, 401, 402, 403]
    for message in messages:
        assert CANARY not in repr((message.key, message.value, message.headers))
