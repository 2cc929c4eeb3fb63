from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.errors import MergeError, SnapshotCorruptError
from streamqid.sampling import groups
from streamqid.sampling.fingerprint import MISSING
from streamqid.sampling.groups import GroupSampler, group_bytes, group_hashes, row_hashes
from streamqid.sampling.priority import mix64
from streamqid.sampling.snapshot import pack

HASHES = mix64(5, np.arange(1, 13))
STREAMS = st.lists(st.lists(st.sampled_from(HASHES.tolist()), max_size=12), max_size=8)


def sampler_of(batches: list[list[int]], capacity: int) -> GroupSampler:
    sampler = GroupSampler(capacity)
    for batch in batches:
        sampler.update(np.array(batch, np.uint64))
    return sampler


def lowest(batches: list[list[int]], capacity: int) -> list[tuple[int, int]]:
    counts = Counter(value for batch in batches for value in batch)
    return sorted(counts.items())[:capacity]


@given(STREAMS, st.integers(1, 14), st.integers(0, 5))
def test_the_lowest_groups_are_held_with_exact_counts(batches: list[list[int]], capacity: int, pending: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, "PENDING", pending)
        sampler = sampler_of(batches, capacity)
    hashes, counts = sampler.held()
    assert list(zip(hashes.tolist(), counts.tolist(), strict=True)) == lowest(batches, capacity)
    everything = sorted({value for batch in batches for value in batch})
    assert sampler.whole == (len(everything) <= capacity)
    assert sampler.threshold == (everything[capacity] if len(everything) > capacity else 1 << 64)
    assert sampler.n == sum(map(len, batches))


@given(STREAMS, STREAMS, STREAMS, st.integers(1, 14))
def test_merges_in_any_order_are_one_pass(
    first: list[list[int]], second: list[list[int]], third: list[list[int]], capacity: int
) -> None:
    a, b, c = (sampler_of(batches, capacity) for batches in (first, second, third))
    once = sampler_of([*first, *second, *third], capacity).to_bytes()
    restored = GroupSampler.from_bytes(a.merge(b).to_bytes())
    assert restored.merge(c).to_bytes() == once
    assert a.merge(c.merge(b)).to_bytes() == once


def test_what_does_not_belong_together_is_refused() -> None:
    with pytest.raises(MergeError, match="hold as many in both"):
        GroupSampler(1).merge(GroupSampler(2))
    with pytest.raises(SnapshotCorruptError, match="counts of groups"):
        GroupSampler.from_bytes(pack({"kind": "sampler"}, []))
    with pytest.raises(ValueError, match="at least one group"):
        GroupSampler(0)


def test_rows_are_in_one_group_exactly_if_they_are_equal() -> None:
    rows = np.array([[1, 2], [2, 1], [1, 2], [1, MISSING], [1, MISSING], [MISSING, MISSING]], np.uint64)
    found = group_hashes(rows, 9)
    assert [found.tolist().index(one) for one in found.tolist()] == [0, 1, 0, 3, 3, 5]
    assert not np.array_equal(found, row_hashes(rows))
    alone = np.arange(100, 106, dtype=np.uint64)
    assert group_hashes(rows, 9, alone=alone).tolist() == [*found[:3].tolist(), 103, 104, 105]


def test_the_stated_bytes_are_not_exceeded() -> None:
    sampler = GroupSampler(1000)
    for start in range(0, 200_000, 5000):
        sampler.update(mix64(1, np.arange(start, start + 5000)))
        waiting = sum(part.nbytes for part in sampler._pending)  # noqa: SLF001
        hashes, counts = sampler._hashes, sampler._counts  # noqa: SLF001
        assert hashes.nbytes + counts.nbytes + waiting < group_bytes(1000)
