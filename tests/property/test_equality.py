"""The sample is a pure function of the log: the same records give the same bytes, however they came."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from hypothesis import event, given, settings
from hypothesis import strategies as st

from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.windows import Panes
from tests.property.logs import Chunk, Log, logs

if TYPE_CHECKING:
    from streamqid.sampling.secret import Secret


def restarted(sampler: Sampler, secret: Secret) -> Sampler:
    return Sampler.from_bytes(sampler.to_bytes(), secret)


@settings(max_examples=200)
@given(logs())
def test_any_batches_give_the_same_bytes_as_one_pass(drawn: tuple[Log, list[Chunk]]) -> None:
    log, chunks = drawn
    event(f"something was dropped: {log.capacity.threshold(sum(map(len, log.records.values()))) < 2**64}")
    assert log.fed(chunks) == log.one_pass()


@settings(max_examples=50)
@given(logs())
def test_one_record_at_a_time_gives_the_same_bytes_as_one_pass(drawn: tuple[Log, list[Chunk]]) -> None:
    log, chunks = drawn
    single = [Chunk(chunk.origin, (record,)) for chunk in chunks for record in chunk.records]
    assert log.fed(single) == log.one_pass()


@settings(max_examples=100)
@given(logs(), st.data())
def test_any_restarts_in_between_give_the_same_bytes(drawn: tuple[Log, list[Chunk]], data: st.DataObject) -> None:
    log, chunks = drawn
    sampler = log.sampler()
    for chunk in chunks:
        chunk.feed(sampler)
        if data.draw(st.booleans()):
            sampler = restarted(sampler, sampler.secret)
    assert sampler.to_bytes() == log.one_pass()


@settings(max_examples=200)
@given(logs(), st.integers(1, 4), st.data())
def test_any_workers_and_any_order_of_merging_give_the_same_bytes(
    drawn: tuple[Log, list[Chunk]], workers: int, data: st.DataObject
) -> None:
    """Partitions move between workers at any time, and every merge may happen before or after a restart."""
    log, chunks = drawn
    samplers = [log.sampler() for _ in range(workers)]
    for chunk in chunks:
        chunk.feed(samplers[data.draw(st.integers(0, workers - 1))])
    while len(samplers) > 1:
        left = samplers.pop(data.draw(st.integers(0, len(samplers) - 1)))
        right = samplers.pop(data.draw(st.integers(0, len(samplers) - 1)))
        merged = left.merge(right)
        samplers.append(restarted(merged, left.secret) if data.draw(st.booleans()) else merged)
    assert samplers[0].to_bytes() == log.one_pass()


@settings(max_examples=100)
@given(logs(), st.data())
def test_any_panes_give_the_same_bytes(drawn: tuple[Log, list[Chunk]], data: st.DataObject) -> None:
    log, chunks = drawn
    panes = Panes(log.sampler().secret, log.capacity, MissingRule.EQUAL, keep=5, max_columns=log.max_columns)
    for chunk in chunks:
        pane = panes.pane(data.draw(st.integers(0, 4)))
        assert pane is not None
        chunk.feed(pane)
    assert panes.window(4, 5).to_bytes() == log.one_pass()


@settings(max_examples=50)
@given(logs(), st.data())
def test_merging_is_commutative_and_associative_and_has_a_zero(
    drawn: tuple[Log, list[Chunk]], data: st.DataObject
) -> None:
    log, chunks = drawn
    parts = [log.sampler() for _ in range(3)]
    for chunk in chunks:
        chunk.feed(parts[data.draw(st.integers(0, 2))])
    a, b, c = parts
    assert a.merge(b).to_bytes() == b.merge(a).to_bytes()
    assert a.merge(b).merge(c).to_bytes() == a.merge(b.merge(c)).to_bytes()
    assert a.merge(log.sampler()).to_bytes() == a.to_bytes()
    assert reduce(Sampler.merge, parts).evidence().n == Sampler.from_bytes(log.one_pass(), a.secret).evidence().n


@settings(max_examples=50)
@given(logs(), st.data())
def test_looking_at_the_evidence_changes_nothing(drawn: tuple[Log, list[Chunk]], data: st.DataObject) -> None:
    log, chunks = drawn
    sampler = log.sampler()
    for chunk in chunks:
        chunk.feed(sampler)
        if data.draw(st.booleans()):
            evidence = sampler.evidence()
            assert len(evidence.a) <= log.capacity.k(sampler.n)
            assert evidence.n <= sampler.n
    assert sampler.to_bytes() == log.one_pass()
