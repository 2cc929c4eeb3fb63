"""Groups, unique rows and rows in small groups of random column sets of the real tables, against the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.measures.group_counts import GroupCounts
from streamqid.sampling.groups import GroupSampler
from streamqid.sampling.priority import mix64
from tests.statistical.promises import allowed, outside

if TYPE_CHECKING:
    from tests.acceptance.conftest import RealTable

SETS, CAPACITY, DELTA = 50, 512, 0.1


@pytest.mark.parametrize("name", ["adult", "covtype"])
def test_the_truth_lies_in_the_stated_intervals(name: str, request: pytest.FixtureRequest) -> None:
    """Intervals of one set are not independent of each other, so each of the three is counted by itself.

    At least the stated share must hold of all sets.  Sets of which every group is held are exact, and cannot miss: of
    the others, a correct program breaks more than are allowed with probability 3e-6 at most.
    """
    table: RealTable = request.getfixturevalue(name)
    rng = np.random.default_rng(7)
    missed = {"groups": 0, "unique": 0, "small": 0}
    sampled = 0
    for seed in range(SETS):
        chosen = sorted(rng.choice(len(table.columns), rng.integers(2, 7), replace=False).tolist())
        sizes = table.sizes([table.columns[j] for j in chosen])
        factors = mix64(seed, np.arange(len(chosen)))
        hashes = mix64(seed, (table.codes[:, chosen].astype(np.uint64) * factors).sum(axis=1, dtype=np.uint64))
        parts = [GroupSampler(CAPACITY) for _ in range(3)]
        for part, rows in zip(parts, np.array_split(hashes, 3), strict=True):
            part.update(rows)
        merged = parts[2].merge(parts[0]).merge(parts[1])
        once = GroupSampler(CAPACITY)
        once.update(hashes)
        assert merged.to_bytes() == once.to_bytes()
        counts, n = GroupCounts.of(merged), len(hashes)
        assert len(counts.counts) <= CAPACITY
        sampled += not counts.exact
        missed["groups"] += outside(counts.distinct(DELTA), len(sizes) / n)
        missed["unique"] += outside(counts.unique(DELTA), int((sizes == 1).sum()) / n)
        missed["small"] += outside(counts.small(5, DELTA), int(sizes[sizes < 5].sum()) / n)
    assert sampled > SETS / 3
    assert max(missed.values()) <= min(allowed(sampled, DELTA), SETS * DELTA)
