"""Intervals from counted groups hold the truth as often as they say (false-alarm probability 1e-6 for each test)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from streamqid.measures.group_counts import GroupCounts
from streamqid.sampling.groups import GroupSampler
from streamqid.sampling.priority import mix64
from tests.statistical.promises import DELTA, SEEDS, allowed, outside

SIZES = {
    "mostly unique": [1] * 900 + [2] * 60 + [30] * 40,
    "few unique": [1] * 20 + [3] * 400 + [9] * 600,
    "one large group": [1] * 300 + [2000],
}


def trials(sizes: list[int], capacity: int, favoured: int = 0) -> Counter[str]:
    """Count intervals that miss; a biased sampler gives groups of at least ``favoured`` rows lower hashes."""
    n, broken = sum(sizes), Counter[str]()
    array = np.array(sizes)
    true = {
        "distinct": len(sizes) / n,
        "unique": float(array[array == 1].sum()) / n,
        "small": float(array[array < 5].sum()) / n,
    }
    for seed in range(SEEDS):
        hashes = mix64(seed, np.arange(len(sizes)))
        if favoured:
            hashes = np.where(array >= favoured, hashes // np.uint64(2), hashes)
        sampler = GroupSampler(capacity)
        sampler.update(np.repeat(hashes, array))
        counts = GroupCounts.of(sampler)
        assert not counts.exact
        broken["distinct"] += outside(counts.distinct(DELTA), true["distinct"])
        broken["unique"] += outside(counts.unique(DELTA), true["unique"])
        broken["small"] += outside(counts.small(5, DELTA), true["small"])
    return broken


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("share", [0.1, 0.8])
def test_intervals_miss_at_most_as_often_as_stated(kind: str, share: float) -> None:
    broken = trials(SIZES[kind], int(len(SIZES[kind]) * share))
    assert max(broken.values(), default=0) <= allowed(SEEDS)


def test_a_sampler_that_prefers_some_groups_fails() -> None:
    assert trials(SIZES["few unique"], 200, favoured=9)["distinct"] > allowed(SEEDS)
    assert trials(SIZES["few unique"], 200, favoured=1)["small"] > allowed(SEEDS)
    assert trials(SIZES["mostly unique"], 300, favoured=1)["unique"] > allowed(SEEDS)
