"""Canaries through Kafka: values in rows, keys, headers and broken records appear nowhere the service writes."""

from __future__ import annotations

import json
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from kafka import KafkaProducer

from streamqid.publish.routes import ROUTES
from tests.acceptance.test_no_value_leaves import NUMBER, WORD, leaks, row, text_row
from tests.kafka.service import wait_for
from tests.kafka.test_kills import ended_well
from tests.kafka.topics import read_all

if TYPE_CHECKING:
    from deploy.kafka.broker import Broker
    from tests.kafka.conftest import ServiceFactory, TopicFactory
    from tests.kafka.service import Service

ROWS = 400
CHANGE = {
    "good": lambda i: json.dumps({"payload": {"before": row(i - 1), "after": row(i), "op": WORD}}),
    "bad": [
        f'{{"payload": {{"after": {{"name": "{WORD}"',
        f'["{WORD}"]',
        f'{{"payload": {{"after": "{WORD}"}}}}',
        f'{{"after": {NUMBER}}}',
    ],
    "format": {"row_path": "payload.after"},
    "group": "group",
}
LINES = {
    "good": text_row,
    "bad": [f"{WORD},{NUMBER}", f'"{WORD}', f"{WORD}\0,1,2,3,4"],
    "format": {"kind": "csv", "columns": ["name", "number", "fraction", "kind", "group"]},
    "group": "group",
}


def write(bootstrap: str, topic: str, good: Any, bad: list[str]) -> int:
    """Write rows, of which every tenth is broken, with canaries in keys and headers; return how many there are."""
    with closing(KafkaProducer(bootstrap_servers=[bootstrap], compression_type="lz4", linger_ms=20)) as producer:
        for i in range(ROWS):
            value = bad[i // 10 % len(bad)] if i % 10 == 3 else good(i)
            producer.send(topic, value.encode(), WORD.encode(), [(WORD, WORD.encode())], partition=i % 2)
        producer.send(topic, None, WORD.encode(), partition=0)
    return ROWS + 1


def told(running: Service, group: str) -> bytes:
    """Return what the service answers on every route, and to questions that name columns and values."""
    asked = [route.path.replace("{stream}", "people") for route in ROUTES]
    asked += [
        f"/v1/streams/people/whatif?column={group}&column={WORD.encode().hex()}",
        f"/v1/recommendations/{NUMBER}x",
    ]
    answers = [running.get(path) for path in asked]
    assert all(status for status, _ in answers), answers
    return b"\n".join(body for _, body in answers)


@pytest.mark.parametrize("shape", [CHANGE, LINES], ids=["change events", "lines"])
def test_no_value_leaves_the_service(
    broker: Broker, topic: TopicFactory, service: ServiceFactory, shape: dict[str, Any]
) -> None:
    name, found, letters, alerts = topic(partitions=2), topic(), topic(), topic()
    dead = {"topic": letters, "alarm_share": 1.0, "per_second": 1_000.0}
    outputs = {"topic": found, "dead_letters": dead, "alerts": {"topic": alerts}}
    published = {"name": "released", "columns": [shape["group"]], "limits": {"separation": 0.01}}
    running = service(
        [name],
        changes={"publish": {**outputs, "stdout": True}, "log": {"level": "debug"}},
        stream={
            "format": shape["format"],
            "windows": {"by": "records", "width_records": 50},
            "published": [published],
            "problems": {"key": {}, "mask": {}},
        },
    )
    total = write(broker.bootstrap, name, shape["good"], shape["bad"])
    assert leaks(read_all(broker.bootstrap, name)[0].value)
    running.up()
    running.wait_for_records(total)
    wait_for(lambda: bool(read_all(broker.bootstrap, alerts)), "an alert")
    wait_for(lambda: b'"records":%d' % total in read_all(broker.bootstrap, found)[-1].value, "the last recommendation")
    wait_for(lambda: len(read_all(broker.bootstrap, letters)) == ROWS // 10 + 1, "a pointer to each bad record")
    answers = told(running, shape["group"])
    assert b"released" in answers
    assert running.stop() == 0
    messages = [(r.key, r.value, r.headers) for to in (found, letters, alerts) for r in read_all(broker.bootstrap, to)]
    kept = [path for path in running.directory.rglob("*") if path.is_file() and path != running.config_file]
    assert {"log", "out"} < {path.name for path in kept}
    assert any(path.suffix == ".state" for path in kept)
    for data in (answers, repr(messages).encode(), *(b"".join(filter(None, m[:2])) for m in messages)):
        assert leaks(data) == []
    for path in kept:
        assert leaks(path.read_bytes()) == [], path
    ended_well(running, total)
