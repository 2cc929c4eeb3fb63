"""Every search for all minimal sets equals brute force, with duplicates, ties, constant columns and missing values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.measures.partition import Table, table_of
from streamqid.problems import set_costs
from streamqid.problems.all_minimal import all_minimal
from streamqid.problems.answer import Measure
from streamqid.problems.levelwise import PrunedSearch
from streamqid.problems.minimal_on_samples import minimal_on_samples
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.minimal_sets import BorderSearch, Found, LevelSearch, Search
from streamqid.problems.set_costs import PairCosts, TableCosts, limit_of
from streamqid.sampling.fingerprint import MissingRule
from tests.property.minimal_oracle import minimal
from tests.property.test_exact_answers import seen_as
from tests.unit.problems.asking import numbers
from tests.unit.sampling.plain import evidence_of, fingerprints, names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.property.test_exact_answers import Rows

ROWS: st.SearchStrategy[Rows] = st.integers(1, 7).flatmap(
    lambda m: st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * m), min_size=1, max_size=24)
)
MISSING = st.sampled_from(list(MissingRule))
SHARES = st.sampled_from([0.0, 0.01, 0.1, 0.25, 0.3, 0.5, 0.9])


@st.composite
def questions(draw: st.DrawFn) -> MinimalQuestion:
    beta = draw(st.none() | st.sampled_from([0.05, 0.5, 0.7, 0.9, 1.0]))
    return MinimalQuestion(draw(st.sampled_from(list(Measure))), draw(SHARES), 0.05, [1.0] * 7, beta)


def table(rows: Rows, missing: MissingRule) -> Table:
    differ = missing is MissingRule.DISTINCT
    return table_of(tuple(names(len(rows[0]))), fingerprints(rows), missing_differ=differ)


def told(found: Sequence[Found]) -> dict[frozenset[int], int]:
    sets = {frozenset(one.columns): one.cost for one in found}
    assert len(sets) == len(found), "a set was told twice"
    return sets


@settings(max_examples=1000)
@given(ROWS, MISSING, questions(), st.integers(0, 7), st.booleans())
def test_the_searches_equal_brute_force(
    rows: Rows, missing: MissingRule, question: MinimalQuestion, size: int, wide: bool
) -> None:
    truth, m = minimal(seen_as(rows, missing), question), len(rows[0])
    costs = TableCosts(table(rows, missing), question.measure)
    limit = limit_of(costs, question)
    with pytest.MonkeyPatch.context() as patch:
        if wide:
            patch.setattr(set_costs, "LARGEST_CODE", 3)
            patch.setattr(set_costs, "FEW", 1)
        border, levels = BorderSearch(costs, limit, m), LevelSearch(costs, limit, m)
        assert told(border.take()) == truth
        assert told(levels.take()) == truth
        assert border.complete_up_to == levels.complete_up_to == m
        small = {x: c for x, c in truth.items() if len(x) <= size}
        searches: list[Search] = [BorderSearch(costs, limit, min(m, size)), LevelSearch(costs, limit, min(m, size))]
        for search in searches:
            assert told(search.take()) == small
            assert search.complete_up_to >= min(m, size)


@settings(max_examples=500)
@given(ROWS, MISSING, questions(), st.integers(0, 2**32))
def test_pruning_equals_brute_force(rows: Rows, missing: MissingRule, question: MinimalQuestion, seed: int) -> None:
    """Tables this small leave α below zero unless keys are asked for, so that nothing may be lost at all."""
    truth = minimal(seen_as(rows, missing), question)
    search = PrunedSearch(table(rows, missing), question, seed, sizes=[2, 5])
    found = search.take()
    assert told(found) == truth
    plain = PrunedSearch(table(rows, missing), question, seed, sizes=[])
    assert plain.take() == found
    assert plain.saved == 0
    assert search.saved == plain.tested - search.tested >= 0


@settings(max_examples=500)
@given(ROWS, MISSING, questions(), st.integers(1, 5))
def test_the_answer_ranks_and_stops(rows: Rows, missing: MissingRule, question: MinimalQuestion, most: int) -> None:
    truth, m = minimal(seen_as(rows, missing), question), len(rows[0])
    answer = minimal_on_samples(evidence_of(rows, 0, 100, missing), question)
    assert answer.exact
    assert answer.complete
    assert [frozenset(numbers(one.columns)) for one in answer.sets] == [
        columns for columns, _ in sorted(truth.items(), key=lambda item: (len(item[0]), item[1], sorted(item[0])))
    ]
    n = len(rows)
    total = n * (n - 1) // 2 if question.measure is Measure.SEPARATION else n
    for one in answer.sets:
        assert one.certain
        assert one.ratio.lower == one.ratio.upper
        assert one.ratio.estimate == pytest.approx(1 - truth[frozenset(numbers(one.columns))] / max(1, total))
    stopped = MinimalQuestion(question.measure, question.epsilon, 0.05, question.weights, question.beta, None, most)
    first = all_minimal(table(rows, missing), stopped)
    assert len(first.sets) == min(most, len(truth))
    assert {frozenset(numbers(one.columns)) for one in first.sets} <= set(truth)
    assert first.complete == (len(truth) <= most)
    assert (first.complete_up_to == m) == first.complete


@given(st.integers(1, 6), st.integers(0, 30), st.integers(0, 2**32), st.integers(0, 30))
def test_pairs_are_searched_like_rows(m: int, k: int, seed: int, limit: int) -> None:
    separated = np.random.default_rng(seed).random((m, k)) < 0.4
    costs = PairCosts(separated)
    every = {
        number: int((~separated[[j for j in range(m) if number >> j & 1]].any(axis=0)).sum())
        for number in range(1 << m)
    }
    assert costs.guess().tolist() == list(every.values())
    within = {x for x, cost in every.items() if cost <= limit}
    truth = {x for x in within if not any(y != x and y & x == y for y in within)}
    found = BorderSearch(costs, limit, m).take()
    assert {one.number for one in found} == truth
    assert all(one.cost == every[one.number] for one in found)
