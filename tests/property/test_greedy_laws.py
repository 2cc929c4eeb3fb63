"""The greedy algorithms against naive ones that count everything, and against the optimum."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.measures.partition import table_of
from streamqid.problems import greedy
from streamqid.problems.greedy import Grouping, PairCover, Refinement, key_chain, mask_chain
from tests.property.every_set import BATCHES, tables
from tests.unit.sampling.plain import distinct_by_count, fingerprints, names, project, separation_by_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.property.every_set import Small

Rows = list[tuple[int, ...]]
ROWS: st.SearchStrategy[Rows] = st.integers(1, 5).flatmap(
    lambda m: st.lists(
        st.tuples(*[st.integers(0, top) for top in (0, 1, 3, 7, 1)[:m]]) | st.tuples(*[st.integers(0, 2)] * m),
        min_size=1,
        max_size=14,
    )
)
WEIGHTS = st.sampled_from([0.25, 0.5, 1.0, 1.0, 1.0, 2.0, 3.0])


MANY = settings(max_examples=100)


def cover(rows: Rows) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Return which column separates which pair of rows."""
    pairs = list(combinations(rows, 2))
    table = [[a[j] != b[j] for a, b in pairs] for j in range(len(rows[0]))]
    return np.array(table, np.bool_).reshape(len(rows[0]), len(pairs))


def naive_key(rows: Rows, weights: list[float]) -> list[int]:
    """Count every pair for every column in every step; the first column wins among equals."""
    still = list(combinations(rows, 2))
    chain: list[int] = []
    while True:
        gains = [sum(a[j] != b[j] for a, b in still) / weights[j] for j in range(len(weights))]
        best = max(range(len(weights)), key=lambda j: (gains[j], -j))
        if not gains[best]:
            return chain
        chain.append(best)
        still = [(a, b) for a, b in still if a[best] == b[best]]


@MANY
@given(BATCHES)
def test_the_lazy_greedy_equals_the_naive_one(seed: int) -> None:
    for small, rng in tables(seed, rows=10):
        weights = rng.choice([0.25, 0.5, 1.0, 1.0, 1.0, 2.0, 3.0], small.m).tolist()
        expected = naive_key(small.rows, weights)
        assert key_chain(PairCover(cover(small.rows)), weights) == expected
        assert key_chain(Refinement(small.table), weights) == expected


@given(ROWS)
def test_a_key_separates_whatever_all_columns_separate_and_no_column_twice(rows: Rows) -> None:
    m = len(rows[0])
    chain = key_chain(PairCover(cover(rows)), [1.0] * m)
    assert len(set(chain)) == len(chain)
    assert separation_by_pairs(rows, chain) == separation_by_pairs(rows, range(m))
    for length in range(1, len(chain) + 1):
        assert separation_by_pairs(rows, chain[:length]) > separation_by_pairs(rows, chain[: length - 1])


@given(ROWS, st.data())
def test_a_key_weighs_at_most_one_plus_ln_pairs_times_the_optimum(rows: Rows, data: st.DataObject) -> None:
    """Theorem 2 (Johnson, Chvátal): greedy set cover, also with weights."""
    m = len(rows[0])
    weights = data.draw(st.just([1.0] * m) | st.lists(WEIGHTS, min_size=m, max_size=m))
    whole = separation_by_pairs(rows, range(m))
    sets = [c for size in range(m + 1) for c in combinations(range(m), size)]
    optimum = min(sum(weights[j] for j in c) for c in sets if separation_by_pairs(rows, c) == whole)
    chain = key_chain(PairCover(cover(rows)), weights)
    pairs = max(1, math.comb(len(rows), 2))
    assert sum(weights[j] for j in chain) <= (1 + math.log(pairs)) * optimum + 1e-9


@given(ROWS, st.data())
def test_a_mask_stays_within_its_limit_and_no_column_can_be_added(rows: Rows, data: st.DataObject) -> None:
    """Limits lie between two possible ratios, so that no rounding decides."""
    m, n = len(rows[0]), len(rows)
    weights = data.draw(st.lists(WEIGHTS, min_size=m, max_size=m))
    hidden = data.draw(st.sets(st.integers(0, m - 1)))
    allowed = [j for j in range(m) if j not in hidden]
    table = table_of(tuple(names(m)), fingerprints(rows))
    for state, total, ratio in (
        (Refinement(table), math.comb(n, 2), separation_by_pairs),
        (PairCover(cover(rows)), math.comb(n, 2), separation_by_pairs),
        (Grouping(table), n, distinct_by_count),
    ):
        limit = (data.draw(st.integers(0, max(total, 1))) + 0.5) / max(total, 1)
        chain = mask_chain(state, weights, [], allowed, limit)
        assert set(chain) <= set(allowed)
        assert len(set(chain)) == len(chain)
        if total:
            empty = 1 / n if ratio is distinct_by_count else 0.0
            assert ratio(rows, chain) <= limit or (not chain and empty > limit)
            assert state.count == round(ratio(rows, chain) * total)
            assert all(ratio(rows, [*chain, j]) > limit for j in allowed if j not in chain)


@given(ROWS, st.data())
def test_a_mask_is_greedy_by_gain_per_utility(rows: Rows, data: st.DataObject) -> None:
    m = len(rows[0])
    weights = data.draw(st.lists(WEIGHTS, min_size=m, max_size=m))
    chain = mask_chain(PairCover(cover(rows)), weights, [], range(m), 2.0)
    pairs = cover(rows)
    assert sorted(chain) == (list(range(m)) if pairs.shape[1] else []), "without a pair nothing can be promised"
    for i, j in enumerate(chain):
        still = ~pairs[chain[:i]].any(axis=0)
        gains = {c: np.count_nonzero(pairs[c] & still) / weights[c] for c in chain[i:]}
        assert min(gains, key=lambda c: (gains[c], c)) == j


@given(ROWS, st.data())
def test_must_publish_comes_first(rows: Rows, data: st.DataObject) -> None:
    m = len(rows[0])
    start = data.draw(st.lists(st.integers(0, m - 1), unique=True))
    rest = [j for j in range(m) if j not in start]
    state = Refinement(table_of(tuple(names(m)), fingerprints(rows)))
    chain = mask_chain(state, [1.0] * m, start, rest, 0.5)
    assert chain[: len(start)] == start
    assert state.partition.groups == len(set(project(rows, chain))) if chain else True


@MANY
@given(BATCHES)
def test_a_mask_is_that_of_counting_every_gain_at_every_step(seed: int) -> None:
    for small, rng in tables(seed):
        weights = rng.choice([0.25, 0.5, 1.0, 1.0, 1.0, 2.0, 3.0], small.m).tolist()
        limit = float(rng.choice([0.2, 0.5, 0.8, 1.0]))
        for make in STATES:
            state, chain, rest = make(small), list[int](), list(range(small.m))
            while rest and state.total:
                gains = {j: state.gain(j) for j in rest}
                rest = [j for j in rest if (state.count + gains[j]) / state.total <= limit]
                if rest:
                    best = min((gains[j] / weights[j], j) for j in rest)[1]
                    state.add(best)
                    chain.append(best)
                    rest.remove(best)
            assert mask_chain(make(small), weights, [], range(small.m), limit) == chain
            with pytest.MonkeyPatch.context() as bounded:
                bounded.setattr(greedy, "MANY", 0)
                assert mask_chain(make(small), weights, [], range(small.m), limit) == chain


STATES: list[Callable[[Small], Grouping | PairCover | Refinement]] = [
    lambda small: Refinement(small.table),
    lambda small: Grouping(small.table),
    lambda small: PairCover(cover(small.rows)),
]


@given(ROWS, st.data())
def test_no_gain_shrinks_by_more_than_its_bound(rows: Rows, data: st.DataObject) -> None:
    m = len(rows[0])
    table = table_of(tuple(names(m)), fingerprints(rows))
    for state in (Refinement(table), Grouping(table), PairCover(cover(rows))):
        for j in data.draw(st.lists(st.integers(0, m - 1), max_size=3)):
            before = np.array([state.gain(i) for i in range(m)])
            bound = state.shrink(j)
            state.add(j)
            assert bound is not None
            assert (before - [state.gain(i) for i in range(m)] <= bound).all()
