"""Every solver against the enumeration of all partitions, on hundreds of small tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from streamqid.anonymize import pairing, program, subsets
from streamqid.anonymize.choosing import solve
from streamqid.anonymize.descent import descend
from streamqid.anonymize.k_anonymity import approximate
from streamqid.anonymize.lower import least_cost
from streamqid.anonymize.matching import Matching
from streamqid.anonymize.requirements import KAnonymity, Requirement, TCloseness, TwoDiversity, groups_met
from streamqid.anonymize.verify import audit
from tests.unit.anonymize import brute
from tests.unit.anonymize.papers import microdata

if TYPE_CHECKING:
    from collections.abc import Hashable
    from fractions import Fraction

    from streamqid.anonymize.grouping import Grouping
    from streamqid.anonymize.microdata import Microdata

TABLES = 250
SECONDS = 60.0

Rows = list[tuple[int, ...]]


@st.composite
def tables(draw: st.DrawFn, most: int = 7) -> tuple[Rows, list[int]]:
    """Rows of up to four columns with few values, so that many rows are equal or nearly so, and a sensitive value."""
    m = draw(st.integers(1, 4))
    n = draw(st.integers(1, most))
    values = draw(st.integers(1, 3))
    rows = draw(st.lists(st.tuples(*[st.integers(0, values)] * m), min_size=n, max_size=n))
    sensitive = draw(st.lists(st.integers(0, draw(st.integers(1, 3))), min_size=n, max_size=n))
    return rows, sensitive


def meets(data: Microdata, requirement: Requirement, found: Grouping) -> bool:
    return bool(groups_met(data, requirement, np.arange(data.n), found.labels).all())


@settings(max_examples=TABLES)
@given(tables(), st.integers(2, 4))
def test_k_anonymity(table: tuple[Rows, list[int]], k: int) -> None:
    rows, _ = table
    assume(k <= len(rows))
    data, requirement = microdata(rows), KAnonymity(k)
    best = brute.optimum(rows, brute.large(k))
    assert best is not None
    pool = approximate(data, k)
    assert meets(data, requirement, pool.grouping)
    assert pool.bound <= best <= pool.grouping.cost <= data.m * pool.bound
    assert_all(data, requirement, best)
    outcome = program.solve(data, requirement, SECONDS)
    assert outcome is not None
    assert outcome.grouping is not None
    assert (outcome.grouping.cost, outcome.bound) == (best, best)


@settings(max_examples=TABLES)
@given(tables())
def test_2_diversity(table: tuple[Rows, list[int]]) -> None:
    rows, sensitive = table
    best = brute.optimum(rows, brute.diverse(sensitive))
    assume(best is not None)
    assert best is not None
    data = microdata(rows, sensitive)
    assert_all(data, TwoDiversity(), best)
    groups = pairing.twos_and_threes(data, [np.arange(data.n)])
    assert all(2 <= len(set(data.sensitive[group].tolist())) == len(group) <= 3 for group in groups)
    assert sorted(np.concatenate(groups).tolist()) == list(range(data.n))
    outcome = Matching(data, groups, SECONDS).solve()
    assert outcome.grouping is not None
    assert meets(data, TwoDiversity(), outcome.grouping)
    assert (outcome.grouping.cost, outcome.bound) == (best, best)


@settings(max_examples=TABLES)
@given(tables(), st.fractions(0, 1, max_denominator=12), st.sampled_from(["equal", "ordered"]))
def test_t_closeness(table: tuple[Rows, list[int]], t: Fraction, distance: Literal["equal", "ordered"]) -> None:
    rows, sensitive = table
    best = brute.optimum(rows, brute.close(sensitive, t, ordered=distance == "ordered"))
    assert best is not None
    data = microdata(rows, sensitive)
    requirement = TCloseness(float(t), distance, np.bincount(data.sensitive))
    assert_all(data, requirement, best)
    outcome = program.solve(data, requirement, SECONDS)
    assert outcome is not None
    assert outcome.grouping is not None
    assert meets(data, requirement, outcome.grouping)
    assert (outcome.grouping.cost, outcome.bound) == (best, best)


@settings(max_examples=TABLES)
@given(tables(most=12), st.booleans())
def test_the_last_audit_measures_what_the_definition_says(table: tuple[Rows, list[int]], ordered: bool) -> None:
    rows, sensitive = table
    # Several values may have one rank, as 5 and 5.0 have.
    ranks = {value: rank for rank, value in enumerate(sorted(set(sensitive)))}
    order: dict[Hashable, int] | None = dict(ranks.items()) if ordered else None
    classes = [[i for i, row in enumerate(rows) if row == one] for one in set(rows)]
    found = audit(rows, sensitive, order)
    assert found.farthest == max(brute.distance(group, sensitive, ordered=ordered) for group in classes)
    assert (found.smallest, found.classes) == (min(map(len, classes)), len(classes))
    if ordered:
        spelt = [(value, i % 2) for i, value in enumerate(sensitive)]
        assert audit(rows, spelt, {one: ranks[one[0]] for one in spelt}).farthest == found.farthest


def assert_all(data: Microdata, requirement: Requirement, best: int) -> None:
    """What holds for each requirement alike."""
    exact = subsets.optimum(data, requirement)
    assert exact is not None
    assert exact.cost == best
    assert meets(data, requirement, exact)
    split = descend(data, requirement)
    assert meets(data, requirement, split)
    assert split.cost >= best
    assert least_cost(data, requirement) <= best
    chosen = solve(data, requirement, SECONDS)
    assert (chosen.grouping.cost, chosen.optimal) == (best, True)
    assert meets(data, requirement, chosen.grouping)


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(13, 22), st.integers(2, 5))
def test_matching_and_program_agree_on_larger_tables(seed: int, n: int, values: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [tuple(row) for row in rng.integers(0, 4, (n, 4)).tolist()]
    sensitive = rng.integers(0, values, n).tolist()
    data = microdata(rows, sensitive)
    assume(2 * np.bincount(data.sensitive).max() <= n)
    chosen = solve(data, TwoDiversity(), SECONDS)
    outcome = program.solve(data, TwoDiversity(), SECONDS)
    assert outcome is not None
    assert outcome.grouping is not None
    assert chosen.optimal
    assert outcome.grouping.cost == outcome.bound == chosen.grouping.cost
