"""Quasi-identifiers against k-anonymity equal brute force over all column sets and all orders of dropping."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.problems.qid import anonymity_test, minimal_qid, minimum_qid
from streamqid.problems.qid_answer import Exposes
from tests.property.test_exact_answers import seen_as
from tests.property.test_optimum import EDGE, MISSING, TABLES, WEIGHT, coded, subsets
from tests.unit.problems.asking import numbers
from tests.unit.sampling.plain import project

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from streamqid.sampling.fingerprint import MissingRule
    from tests.property.test_exact_answers import Rows

SIZES = st.integers(2, 4)
WHOM = st.sampled_from(list(Exposes))


def below(rows: list[tuple[Hashable, ...]], columns: Iterable[int], k: int) -> int:
    """Count the rows in groups of fewer than k."""
    return sum(size for size in Counter(project(rows, columns)).values() if size < k)


@settings(max_examples=300)
@given(TABLES, SIZES, MISSING, st.data())
def test_the_verdict_on_a_set(rows: Rows, k: int, missing: MissingRule, data: st.DataObject) -> None:
    columns = data.draw(st.lists(st.integers(0, len(rows[0]) - 1), unique=True))
    seen = seen_as(rows, missing)
    answer = anonymity_test(coded(rows, missing), columns, k)
    assert answer.qid == (below(seen, columns, k) > 0)
    assert answer.exposed.estimate == pytest.approx(below(seen, columns, k) / len(rows))
    assert answer.smallest_group == min(Counter(project(seen, columns)).values())


@settings(max_examples=700)
@given(TABLES, SIZES, MISSING, WHOM, st.data())
def test_the_minimum(rows: Rows, k: int, missing: MissingRule, whom: Exposes, data: st.DataObject) -> None:
    m = len(rows[0])
    weights = data.draw(st.lists(WEIGHT, min_size=m, max_size=m))
    seen = seen_as(rows, missing)
    every = below(seen, range(m), k)
    answer = minimum_qid(coded(rows, missing), k, weights, whom)
    assert answer.anonymous == (every == 0)
    assert answer.exposed_by_all.estimate == pytest.approx(every / len(rows))
    if not every:
        assert answer.columns is None
        return
    need = 1 if whom is Exposes.SOME else every
    lightest = min(sum(weights[j] for j in c) for c in subsets(range(m)) if below(seen, c, k) >= need)
    assert answer.columns is not None
    assert answer.optimality is not None
    chosen = numbers(answer.columns)
    assert below(seen, chosen, k) >= need
    assert sum(weights[j] for j in chosen) == pytest.approx(lightest)
    assert answer.optimality.optimal
    assert answer.optimality.greedy_weight >= lightest - EDGE


@settings(max_examples=400)
@given(TABLES, SIZES, MISSING, WHOM, st.data())
def test_the_descent(rows: Rows, k: int, missing: MissingRule, whom: Exposes, data: st.DataObject) -> None:
    """It equals the paper's algorithm, which begins anew after every drop, and no column can be left out."""
    m = len(rows[0])
    order = data.draw(st.permutations(range(m)))
    seen = seen_as(rows, missing)
    every = below(seen, range(m), k)
    answer = minimal_qid(coded(rows, missing), k, order, whom)
    if not every:
        assert (answer.columns, answer.anonymous) == (None, True)
        return
    need = 1 if whom is Exposes.SOME else every
    fields = list(range(m))
    while True:
        nexts = [[i for i in fields if i != j] for j in order if j in fields]
        found = next((one for one in nexts if below(seen, one, k) >= need), None)
        if found is None:
            break
        fields = found
    assert answer.columns is not None
    assert numbers(answer.columns) == fields
