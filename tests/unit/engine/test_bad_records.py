from __future__ import annotations

import random

import pytest

from streamqid.engine.bad_records import BadRecords
from streamqid.engine.events import Applied, TroubleKind
from streamqid.errors import UsageError
from streamqid.records import Origin, Reason, Reject
from streamqid.synthetic import GeneratorSource, Population

A, B = Origin("people", 0, "id-1"), Origin("people", 1, "id-1")


def test_few_records_are_no_evidence() -> None:
    bad = BadRecords(share=0.05, at_least=100)
    for _ in range(99):
        bad.count(A, 1, 1)
    assert not bad.too_many(A)
    bad.count(A, 1, 1)
    assert bad.too_many(A)


def test_the_limit_itself_is_allowed_and_one_more_is_not() -> None:
    bad = BadRecords(share=0.05, at_least=100, stretch=1000)
    bad.count(A, 100, 5)
    assert not bad.too_many(A)
    bad.count(A, 1, 1)
    assert bad.too_many(A)


def test_it_is_over_only_below_half_the_limit() -> None:
    bad = BadRecords(share=0.1, at_least=100, stretch=100)
    bad.count(A, 100, 20)
    states = []
    for found in (8, 5, 4, 8, 10, 11):
        bad.count(A, 100, found)
        states.append(bad.too_many(A))
    assert states == [True, True, False, False, False, True]


def test_origins_are_judged_apart() -> None:
    bad = BadRecords()
    bad.count(A, 1000, 1000)
    bad.count(B, 1000, 0)
    assert (bad.too_many(A), bad.too_many(B)) == (True, False)
    (trouble,) = bad.troubles()
    assert (trouble.kind, trouble.origin) == (TroubleKind.BAD_SHARE, A)
    assert trouble.sentence == (
        "Of the last 1000 records looked at in people, partition 0, 1000 could not be read: "
        "check that the stream is configured for what the topic holds."
    )


def test_what_lies_before_the_stretch_is_forgotten() -> None:
    bad = BadRecords(share=0.05, at_least=100, stretch=1000)
    bad.count(A, 1000, 500)
    assert bad.too_many(A)
    bad.count(A, 1000, 0)
    assert not bad.too_many(A)


def test_single_records_are_judged_as_a_plain_window_would() -> None:
    draw = random.Random(4)
    bad = BadRecords(share=0.2, at_least=10, stretch=50)
    seen: list[int] = []
    state, states = False, set()
    for step in range(5_000):
        seen.append(int(draw.random() < (0.05 if step // 400 % 2 else 0.3)))
        bad.count(A, 1, seen[-1])
        window = seen[-50:]
        share = sum(window) / len(window)
        state = share >= 0.1 if state else len(window) >= 10 and share > 0.2
        assert bad.too_many(A) == state
        states.add(state)
    assert states == {True, False}


def test_a_batch_is_counted_by_what_was_looked_at_and_tombstones_are_not_bad() -> None:
    (batch,) = GeneratorSource(Population(1), 200, 200).batches()
    deleted = tuple(Reject(offset, Reason.TOMBSTONE) for offset in range(100))
    broken = tuple(Reject(offset, Reason.NOT_JSON) for offset in range(100))
    bad = BadRecords()
    bad.applied(batch, Applied(fresh=200))
    bad.applied(batch, Applied(fresh=200, looked_at=200, rejects=deleted))
    assert not bad.too_many(batch.origin)
    bad.applied(batch, Applied(fresh=200, looked_at=200, rejects=broken))
    assert bad.too_many(batch.origin)


@pytest.mark.parametrize(("share", "at_least", "stretch"), [(0.0, 1, 1), (1.1, 1, 1), (0.1, 0, 1), (0.1, 11, 10)])
def test_what_cannot_be_judged_is_refused(share: float, at_least: int, stretch: int) -> None:
    with pytest.raises(UsageError):
        BadRecords(share=share, at_least=at_least, stretch=stretch)
