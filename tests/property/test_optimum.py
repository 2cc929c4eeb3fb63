"""Exact solvers equal brute force over all column sets: ties, duplicates, constant columns, missing values, weights."""

from __future__ import annotations

from itertools import chain, combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.measures.partition import table_of
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.optimal_key import optimal_key
from streamqid.problems.optimal_mask import optimal_mask
from streamqid.sampling.fingerprint import MissingRule
from tests.property.test_exact_answers import seen_as
from tests.unit.problems.asking import numbers
from tests.unit.sampling.plain import distinct_by_count, fingerprints, names, separation_by_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from streamqid.measures.partition import Table
    from tests.property.test_exact_answers import Rows

SEVERAL = settings(max_examples=700)
TABLES: st.SearchStrategy[Rows] = st.integers(1, 6).flatmap(
    lambda m: st.lists(st.tuples(*[st.none() | st.integers(0, 2)] * m), min_size=1, max_size=14)
)
MISSING = st.sampled_from(list(MissingRule))
MEASURES = st.sampled_from(list(Measure))
SHARES = st.sampled_from([0.0, 0.01, 0.1, 0.2, 0.4, 0.9])
WEIGHT = st.sampled_from([1.0, 1.0, 2.0, 0.5, 3.0])
EDGE = 1e-9


def coded(rows: Rows, missing: MissingRule) -> Table:
    """Return rows as a table."""
    m = len(rows[0])
    return table_of(tuple(names(m)), fingerprints(rows), missing_differ=missing is MissingRule.DISTINCT)


def subsets(columns: Iterable[int]) -> Iterable[tuple[int, ...]]:
    """Return all subsets."""
    every = list(columns)
    return chain.from_iterable(combinations(every, size) for size in range(len(every) + 1))


def oracle(measure: Measure) -> Callable[[Sequence[Sequence[Hashable]], Iterable[int]], float]:
    """Return what only counts."""
    return separation_by_pairs if measure is Measure.SEPARATION else distinct_by_count


@SEVERAL
@given(TABLES, MEASURES, MISSING, SHARES, st.data())
def test_the_lightest_key(
    rows: Rows, measure: Measure, missing: MissingRule, epsilon: float, data: st.DataObject
) -> None:
    m = len(rows[0])
    weights = data.draw(st.lists(WEIGHT, min_size=m, max_size=m))
    answer = optimal_key(coded(rows, missing), weights, measure, epsilon)
    seen, ratio = seen_as(rows, missing), oracle(measure)
    best = ratio(seen, range(m))
    wanted = 1 - epsilon if best >= 1 - epsilon - EDGE else best - epsilon
    lightest = min(sum(weights[j] for j in c) for c in subsets(range(m)) if ratio(seen, c) >= wanted - EDGE)
    chosen = numbers(answer.columns)
    assert ratio(seen, chosen) >= wanted - EDGE
    assert sum(weights[j] for j in chosen) == pytest.approx(lightest)
    assert answer.optimality.optimal
    assert answer.optimality.bound == answer.optimality.weight == pytest.approx(lightest)
    assert answer.optimality.greedy_weight >= lightest - EDGE
    assert ratio(seen, numbers(answer.optimality.greedy)) >= wanted - EDGE
    assert answer.separation.estimate == pytest.approx(separation_by_pairs(seen, chosen))
    assert answer.distinct.estimate == pytest.approx(distinct_by_count(seen, chosen))


@settings(max_examples=200)
@given(TABLES, MISSING, st.sampled_from([0.2, 0.5, 0.75, 0.9, 1.0]))
def test_the_smallest_beta_separation_set(rows: Rows, missing: MissingRule, beta: float) -> None:
    m = len(rows[0])
    answer = optimal_key(coded(rows, missing), [1.0] * m, beta=beta)
    seen = seen_as(rows, missing)
    wanted = min(beta, separation_by_pairs(seen, range(m)))
    smallest = min(len(c) for c in subsets(range(m)) if separation_by_pairs(seen, c) >= wanted - EDGE)
    assert len(answer.columns) == smallest
    assert separation_by_pairs(seen, numbers(answer.columns)) >= wanted - EDGE
    assert answer.met == (wanted >= beta - EDGE)


@SEVERAL
@given(TABLES, MEASURES, MISSING, st.sampled_from([0.05, 0.3, 0.5, 0.6, 0.8, 1.0]), st.data())
def test_the_heaviest_mask(
    rows: Rows, measure: Measure, missing: MissingRule, beta: float, data: st.DataObject
) -> None:
    m = len(rows[0])
    weights = data.draw(st.lists(WEIGHT, min_size=m, max_size=m))
    role = data.draw(st.lists(st.sampled_from(["free", "free", "free", "publish", "hide"]), min_size=m, max_size=m))
    must, never = ([j for j in range(m) if role[j] == what] for what in ("publish", "hide"))
    question = MaskQuestion(measure, beta, 0.01, Rule.PAPER, weights, must, never)
    answer = optimal_mask(coded(rows, missing), question)
    seen, ratio = seen_as(rows, missing), oracle(measure)
    allowed = [
        c
        for c in subsets(j for j in range(m) if j not in never)
        if set(must) <= set(c) and ratio(seen, c) <= beta + EDGE and len(rows) > 1
    ]
    published = numbers(answer.publish)
    assert sorted(published + numbers(answer.hide)) == list(range(m))
    if not allowed:
        assert published == must
        assert answer.met == (ratio(seen, must) <= beta + EDGE)
        return
    heaviest = max(sum(weights[j] for j in c) for c in allowed)
    assert answer.met
    assert tuple(published) in allowed
    assert answer.optimality.optimal
    assert answer.optimality.weight == pytest.approx(heaviest)
    assert sum(weights[j] for j in published) == pytest.approx(heaviest)
    assert answer.optimality.greedy_weight <= heaviest + EDGE
