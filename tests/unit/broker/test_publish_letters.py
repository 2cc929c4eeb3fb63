from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import tests.kafka.client  # noqa: F401  (before any other import of kafka)
from streamqid.broker.letters import Letters
from streamqid.clock import ManualClock
from streamqid.records import Origin, Reason, Reject

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.broker.mail import Message

ORIGIN = Origin("records", 3, "id-1")


def bad(offset: int, reason: Reason = Reason.NOT_JSON) -> Reject:
    return Reject(offset, reason, line=7)


def bodies(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [json.loads(message.value) for message in messages]


def test_a_pointer_says_where_and_why_and_nothing_else() -> None:
    message = Letters("people", ManualClock(), per_second=10).pointer(ORIGIN, bad(42))
    assert message is not None
    assert message.key == b"records/3/42"
    assert message.headers == ()
    assert json.loads(message.value) == {
        "kind": "pointer",
        "stream": "people",
        "topic": "records",
        "topic_id": "id-1",
        "partition": 3,
        "offset": 42,
        "reason": "not valid JSON",
    }


def test_there_are_no_more_pointers_than_the_rate_allows() -> None:
    clock = ManualClock()
    letters = Letters("people", clock, per_second=10)
    sent = [letters.pointer(ORIGIN, bad(offset)) is not None for offset in range(100)]
    assert sent == [True] * 10 + [False] * 90
    for _ in range(600):
        clock.advance(0.1)
        sent.append(letters.pointer(ORIGIN, bad(1)) is not None)
        sent.append(letters.pointer(ORIGIN, bad(2)) is not None)
    assert abs(sum(sent) - 610) <= 1


def test_less_than_one_a_second_is_a_rate_too() -> None:
    clock = ManualClock()
    letters = Letters("people", clock, per_second=0.5)
    sent = []
    for second in range(20):
        sent.append(letters.pointer(ORIGIN, bad(second)) is not None)
        clock.advance(1.0)
    assert sent == [True, False] * 10


def test_what_is_left_unsaid_is_told_once_a_minute_for_each_origin() -> None:
    clock = ManualClock()
    letters = Letters("people", clock, per_second=10)
    for offset in range(5, 100):
        letters.leave_unsaid(ORIGIN, bad(offset, Reason.NUL if offset % 5 else Reason.NOT_JSON))
    clock.advance(30)
    letters.leave_unsaid(Origin("records", 4, "id-1"), bad(1))
    assert letters.summaries() == []
    clock.advance(30)
    (message,) = letters.summaries()
    assert message.key == b"records/3/summary"
    assert json.loads(message.value) == {
        "kind": "summary",
        "stream": "people",
        "topic": "records",
        "topic_id": "id-1",
        "partition": 3,
        "first_offset": 5,
        "last_offset": 99,
        "reasons": {"NUL byte": 76, "not valid JSON": 19},
    }
    assert letters.summaries() == []
    assert [body["partition"] for body in bodies(letters.summaries(at_once=True))] == [4]
    assert letters.summaries(at_once=True) == []
