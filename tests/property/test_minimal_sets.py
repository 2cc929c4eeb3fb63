"""Every search for all minimal sets equals brute force, with duplicates, ties, constant columns and missing values."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from streamqid.problems import agree_sets, minimal_sets, set_costs
from streamqid.problems.all_minimal import all_minimal
from streamqid.problems.answer import Measure
from streamqid.problems.levelwise import PrunedSearch
from streamqid.problems.minimal_on_samples import minimal_on_samples
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.minimal_sets import BorderSearch, LevelSearch
from streamqid.problems.set_costs import PairCosts, TableCosts, limit_of
from tests.property.every_set import BATCHES, TABLES, tables
from tests.unit.sampling.plain import sampler_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.problems.minimal_sets import Found
    from tests.property.every_set import Small


def asked(rng: np.random.Generator) -> MinimalQuestion:
    beta = None if rng.random() < 0.5 else float(rng.choice([0.05, 0.5, 0.7, 0.9, 1.0]))
    epsilon = float(rng.choice([0.0, 0.01, 0.1, 0.25, 0.3, 0.5, 0.9]))
    return MinimalQuestion(list(Measure)[rng.integers(2)], epsilon, 0.05, [1.0] * 7, beta)


def truth_of(small: Small, question: MinimalQuestion) -> dict[int, int]:
    """Return the minimal sets that reach the ratio, with their costs."""
    cost = small.cost(question.measure)
    total = small.pairs if question.measure is Measure.SEPARATION else small.n
    share = Fraction(str(question.epsilon)) if question.beta is None else 1 - Fraction(str(question.beta))
    most = int(cost[-1]) if question.keys else math.floor(share * total)
    return {x: int(cost[x]) for x in small.minimal(cost <= most)}


def numbered(found: Sequence[Found]) -> dict[int, int]:
    sets = {one.number: one.cost for one in found}
    assert len(sets) == len(found), "a set was told twice"
    return sets


NEVER, ALWAYS = 1e9, -1e9
WAYS = {"plain": (8, 2**31 - 1, NEVER), "wide codes": (1, 3, NEVER), "all pairs": (8, 2**31 - 1, ALWAYS)}
"""How sets are counted: joined columns for how many sets and up to which code, and from how many tests on all pairs."""


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=50)
@given(BATCHES)
def test_the_searches_equal_brute_force(way: str, seed: int) -> None:
    few, largest, per_row = WAYS[way]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_costs, "FEW", few)
        patch.setattr(set_costs, "LARGEST_CODE", largest)
        patch.setattr(set_costs, "TESTS_PER_ROW", per_row)
        patch.setattr(agree_sets, "HELD", 64)
        patch.setattr(minimal_sets, "STEP", 5)
        for small, rng in tables(seed, columns=6, rows=20):
            question, m, size = asked(rng), small.m, int(rng.integers(7))
            truth, costs = truth_of(small, question), TableCosts(small.table, question.measure)
            limit = limit_of(costs, question)
            within = {x: cost for x, cost in truth.items() if x.bit_count() <= size}
            for kind in (BorderSearch, LevelSearch):
                search = kind(costs, limit, m)
                assert numbered(search.take()) == truth
                assert search.complete_up_to == m
                short = kind(costs, limit, min(m, size))
                assert numbered(short.take()) == within
                assert short.complete_up_to >= min(m, size)


@settings(max_examples=100)
@given(BATCHES)
def test_pruning_equals_brute_force(seed: int) -> None:
    """Tables this small leave α below zero unless keys are asked for, so that nothing may be lost at all."""
    for small, rng in tables(seed, columns=6, rows=20):
        question, start = asked(rng), int(rng.integers(2**32))
        search = PrunedSearch(small.table, question, start, sizes=[2, 5])
        found = search.take()
        assert numbered(found) == truth_of(small, question)
        plain = PrunedSearch(small.table, question, start, sizes=[])
        assert plain.take() == found
        assert plain.saved == 0
        assert search.saved == plain.tested - search.tested >= 0


@settings(max_examples=50)
@given(BATCHES)
def test_the_answer_ranks_and_stops(seed: int) -> None:
    for small, rng in tables(seed, columns=6, rows=20):
        question, m, most = asked(rng), small.m, int(rng.integers(1, 6))
        truth = truth_of(small, question)
        evidence = sampler_of(small.prints, 0, 100, small.rule).evidence().select(small.names)
        answer = minimal_on_samples(evidence, question)
        assert answer.exact
        assert answer.complete
        told = [small.number(one.columns) for one in answer.sets]
        assert told == sorted(truth, key=lambda x: (x.bit_count(), truth[x], _columns(x)))
        total = small.pairs if question.measure is Measure.SEPARATION else small.n
        for one in answer.sets:
            assert one.certain
            assert one.ratio.lower == one.ratio.upper
            assert one.ratio.estimate == pytest.approx(1 - truth[small.number(one.columns)] / max(1, total))
        stopped = all_minimal(small.table, replace(question, max_sets=most))
        assert len(stopped.sets) == min(most, len(truth))
        assert {small.number(one.columns) for one in stopped.sets} <= set(truth)
        assert stopped.complete == (len(truth) <= most)
        assert (stopped.complete_up_to == m) == stopped.complete


def _columns(number: int) -> list[int]:
    return [j for j in range(number.bit_length()) if number >> j & 1]


@settings(max_examples=100)
@given(BATCHES)
def test_pairs_are_searched_like_rows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(TABLES):
        m, k, limit = (int(rng.integers(*between)) for between in ((1, 7), (0, 31), (0, 31)))
        separated = rng.random((m, k)) < rng.choice([0.1, 0.4, 0.7])
        costs = PairCosts(separated)
        every = [int((~separated[_columns(number)].any(axis=0)).sum()) for number in range(1 << m)]
        assert costs.guess().tolist() == every
        within = {x for x, cost in enumerate(every) if cost <= limit}
        truth = {x: every[x] for x in within if not any(y != x and y & x == y for y in within)}
        assert numbered(BorderSearch(costs, limit, m).take()) == truth
