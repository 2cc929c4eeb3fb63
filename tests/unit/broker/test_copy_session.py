"""What a session of a copy refuses, without brokers."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from kafka.errors import UnknownTopicOrPartitionError

from streamqid.broker.formats import Format
from streamqid.broker.owner import refuse_errors
from streamqid.broker.session import NotPlacedError, Session
from streamqid.broker.stored import Record
from streamqid.copying.gate import Gate
from streamqid.copying.masking import Masking
from streamqid.copying.progress import Progress
from streamqid.copying.rule import Action, CopyRule
from streamqid.records import Origin, Reason


def session(positions: dict[Origin, int]) -> Session:
    """Return a session that has positions, and to which nothing else may happen."""
    nothing: Any = None
    return Session(
        rule=nothing,
        format=nothing,
        gate=nothing,
        progress=nothing,
        process="p",
        transactions=nothing,
        lookout=nothing,
        positions=positions,
        stopping=nothing,
        told=nothing,
        rejected=nothing,
    )


@pytest.mark.parametrize(
    ("known", "placed"),
    [
        ([], False),
        ([Origin("t", 0, "id")], True),
        # A topic that was made anew, which its source reads from the beginning where that is allowed.
        ([Origin("t", 0, "older")], True),
        ([Origin("t", 1, "id"), Origin("other", 0, "id")], False),
        ([Origin("t", 0, "")], False),
    ],
)
def test_a_batch_is_copied_only_if_its_position_was_asked_for(known: list[Origin], *, placed: bool) -> None:
    begun = session(dict.fromkeys(known, 0))
    batch: Any = SimpleNamespace(origin=Origin("t", 0, "id"))
    # A session that goes on asks its gate next, and has none here.
    with pytest.raises(AttributeError if placed else NotPlacedError):
        begun.take(batch)


@pytest.mark.parametrize("version", [7, 8])
def test_a_partition_that_the_coordinator_does_not_know_is_no_new_partition(version: int) -> None:
    def answer(code: int) -> Any:
        topics = [SimpleNamespace(partitions=[SimpleNamespace(error_code=0), SimpleNamespace(error_code=code)])]
        group = SimpleNamespace(topics=topics)
        return SimpleNamespace(API_VERSION=version, topics=topics, groups=[group])

    refuse_errors(answer(0))
    with pytest.raises(UnknownTopicOrPartitionError):
        refuse_errors(answer(UnknownTopicOrPartitionError.errno))


def test_offsets_that_stand_still_are_committed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    committed: list[Any] = []
    here: Any = SimpleNamespace(
        begin=lambda: None,
        commit=lambda offsets, check: committed.append({tp.partition: one.offset for tp, one in offsets.items()}),
    )
    idle = session({Origin("t", 0, "id"): 5, Origin("t", 1, "id"): 7})
    idle.transactions, idle.gate = here, Gate(CopyRule("to", ("a",), when_unsure=Action.STOP))
    idle.told, idle.stopping = lambda *_: None, lambda: False
    lookout: Any = SimpleNamespace(lags=lambda positions: {})
    idle.lookout, idle.progress = lookout, Progress()
    idle.claim()
    idle.take(None)
    assert committed == [{0: 5, 1: 7}]
    monkeypatch.setattr("streamqid.broker.session.CLAIM_SECONDS", 0.0)
    idle.take(None)
    assert committed == [{0: 5, 1: 7}] * 2


@pytest.mark.parametrize("value", [None, b"null", b'{"payload": {"before": {"a": "canary"}, "after": null}}'])
@pytest.mark.parametrize(("key", "keep"), [(b"k", True), (b"k", False), (None, True)])
def test_a_deletion_is_copied_as_a_null_value_with_its_key(
    value: bytes | None, key: bytes | None, *, keep: bool
) -> None:
    one = session({})
    one.rule = CopyRule("to", ("a",), keep_key=keep)
    masking = Masking(Format(row_path="payload.after"), frozenset(["a"]))
    left = one._masked(masking, Record(7, 1000, key, value))  # noqa: SLF001
    assert left == (Record(7, 1000, key, None) if keep and key else Reason.TOMBSTONE)
