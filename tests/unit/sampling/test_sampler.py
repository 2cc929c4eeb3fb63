"""The samples A and B against their definition: the readable records with the lowest priorities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.errors import MergeError
from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MISSING, MissingRule
from streamqid.sampling.priority import mix64
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret, origin_id
from tests.unit.sampling.plain import ORIGIN, fingerprints, names, sampler_of

SECRET = Secret.from_seed(0)
NO_ROWS = np.empty((0, 0), np.uint64)


@given(st.integers(0, 400), st.integers(1, 60), st.floats(0, 5), st.none() | st.integers(1, 50))
def test_a_and_b_are_the_rows_of_lowest_priority(n: int, floor: int, root: float, ceiling: int | None) -> None:
    capacity = Capacity(floor, root, ceiling)
    table = np.arange(1, 2 * n + 1, dtype=np.uint64).reshape(n, 2)
    evidence = sampler_of(table, 0, capacity).evidence().select(names(2))
    for name, sample in (("A", evidence.a), ("B", evidence.b)):
        priority = mix64(SECRET.priority_key(name, ORIGIN), np.arange(n))
        expected = np.argsort(priority)[: capacity.k(n)]
        assert sample.identity[:, 1].tolist() == expected.tolist()
        assert (sample.identity[:, 0].view(np.uint64) == origin_id(ORIGIN)).all()
        assert np.array_equal(sample.fingerprints, table[expected])
    assert (evidence.n, evidence.whole) == (n, capacity.k(n) >= n)


def test_many_small_batches_leave_what_one_batch_leaves() -> None:
    table = np.arange(1, 60_001, dtype=np.uint64).reshape(30_000, 2)
    capacity, sampler = Capacity(3000), Sampler(SECRET, Capacity(3000))
    for start in range(0, 30_000, 500):
        offsets = sampler.candidates(ORIGIN, start, start + 500, 500)
        sampler.update(ORIGIN, 500, offsets, names(2), table[offsets])
    assert sampler.to_bytes() == sampler_of(table, 0, capacity).to_bytes()


def test_a_batch_without_candidates_is_only_counted() -> None:
    sampler = Sampler(SECRET, Capacity(1))
    sampler.update_count(10**12)
    assert sampler.candidates(ORIGIN, 0, 45, 45).size == 0
    assert (sampler.n, sampler.evidence().n, len(sampler.evidence().a)) == (10**12, 10**12, 0)


def test_candidates_are_those_of_either_sample() -> None:
    sampler = Sampler(SECRET, Capacity(1))
    found = sampler.candidates(ORIGIN, 0, 2000, 2000)
    threshold = np.uint64(Capacity(1).threshold(2000))
    low = [mix64(SECRET.priority_key(name, ORIGIN), np.arange(2000)) < threshold for name in "AB"]
    assert found.tolist() == np.flatnonzero(low[0] | low[1]).tolist()
    assert 0 < np.count_nonzero(low[0] & ~low[1]) < len(found)


def test_unreadable_records_are_counted_out_but_never_sampled() -> None:
    sampler = Sampler(SECRET, Capacity(100))
    good, bad = np.arange(0, 40), np.arange(40, 50)
    sampler.update(ORIGIN, 50, good, ["a"], fingerprints([(i,) for i in good]), bad.tolist())
    evidence = sampler.evidence()
    assert (evidence.n, evidence.whole, sampler.n) == (40, True, 50)
    assert sorted(evidence.a.identity[:, 1].tolist()) == good.tolist()


def test_the_share_of_unreadable_records_is_estimated_from_the_retained_ones() -> None:
    sampler, n = Sampler(SECRET, Capacity(400)), 20_000
    offsets = sampler.candidates(ORIGIN, 0, n, n)
    good, bad = offsets[offsets % 4 != 0], offsets[offsets % 4 == 0]
    sampler.update(ORIGIN, n, good, ["a"], np.ones((len(good), 1), np.uint64), bad.tolist())
    assert sampler.evidence().n == pytest.approx(0.75 * n, rel=0.1)


def test_a_log_of_unreadable_records_leaves_no_sample() -> None:
    sampler = Sampler(SECRET, Capacity(10))
    sampler.update(ORIGIN, 3, np.empty(0, np.int64), [], NO_ROWS, [0, 1, 2])
    evidence = sampler.evidence()
    assert (evidence.n, len(evidence.a), len(evidence.b), evidence.columns) == (0, 0, 0, ())


def test_columns_that_come_and_go_are_missing_where_they_are_not() -> None:
    sampler = Sampler(SECRET, Capacity(10))
    sampler.update(ORIGIN, 1, np.array([0]), ["b", "a"], np.array([[2, 1]], np.uint64))
    sampler.update(ORIGIN, 1, np.array([1]), ["c"], np.array([[3]], np.uint64))
    evidence = sampler.evidence()
    rows = dict(zip(evidence.a.identity[:, 1].tolist(), evidence.a.fingerprints.tolist(), strict=True))
    assert evidence.columns == ("a", "b", "c")
    assert rows == {0: [1, 2, MISSING], 1: [MISSING, MISSING, 3]}


@settings(max_examples=30)
@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 50))
def test_a_merge_is_the_sampler_of_both_logs_and_leaves_its_inputs_alone(left: int, right: int, k: int) -> None:
    parts, both = [], Sampler(SECRET, Capacity(k))
    for name, n in (("x", left), ("y", right)):
        origin, table = Origin(name), np.arange(1, n + 1, dtype=np.uint64)[:, None]
        part = Sampler(SECRET, Capacity(k))
        for sampler in (part, both):
            sampler.update(origin, n, np.arange(n), ["c"], table)
        parts.append(part)
    before = [part.to_bytes() for part in parts]
    assert parts[0].merge(parts[1]).to_bytes() == parts[1].merge(parts[0]).to_bytes() == both.to_bytes()
    assert [part.to_bytes() for part in parts] == before


@pytest.mark.parametrize(
    "other",
    [
        Sampler(Secret.from_seed(1), Capacity(5)),
        Sampler(SECRET, Capacity(6)),
        Sampler(SECRET, Capacity(5, 1.0)),
        Sampler(SECRET, Capacity(5, 0.0, 9)),
        Sampler(SECRET, Capacity(5), MissingRule.EQUAL),
    ],
)
def test_samples_of_another_kind_are_not_merged(other: Sampler) -> None:
    with pytest.raises(MergeError, match="sample both logs alike"):
        Sampler(SECRET, Capacity(5)).merge(other)
