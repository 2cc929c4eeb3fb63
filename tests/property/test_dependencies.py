"""Dependencies, the sets that follow from them and their metrics equal brute force on small tables."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.measures.dependence import agreement, g3, gains
from streamqid.measures.disclosure import average_group_records, disclosure_probability
from streamqid.problems.baselines import smallest_sets
from streamqid.problems.declared import (
    Dependency,
    closure,
    declared_quasi_identifiers,
    dependency,
    minimal_cover,
    without_supersets,
)
from streamqid.problems.instance import instance_dependencies, instance_quasi_identifiers
from tests.unit.problems.whole_tables import TABLES, Rows, classes, lost_rows, seen, subsets, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NAMES = "ABCDEK"
SIDES = st.sets(st.sampled_from(NAMES), min_size=1, max_size=3)
DECLARED = st.lists(st.builds(dependency, SIDES, SIDES), max_size=6)


def all_determined(attributes: Iterable[str], dependencies: Sequence[Dependency]) -> set[str]:
    """Return the closure by as many rounds as there are names, each over all dependencies."""
    found = set(attributes)
    for _ in NAMES:
        for d in dependencies:
            if all(a in found for a in d.left):
                found.update(d.right)
    return found


@settings(max_examples=500)
@given(TABLES, st.data(), st.booleans())
def test_g3_and_the_determined_classes(rows: Rows, data: st.DataObject, missing_differ: bool) -> None:
    table, plain = whole(rows, missing_differ=missing_differ), seen(rows, missing_differ=missing_differ)
    columns = st.sets(st.integers(0, len(rows[0]) - 1))
    left, right = sorted(data.draw(columns)), sorted(data.draw(columns))
    assert g3(table, left, right) == pytest.approx(lost_rows(plain, left, right) / len(rows))
    one = [g for g in classes(plain, left).values() if len({tuple(plain[i][j] for j in right) for i in g}) == 1]
    found = agreement(table, table.partition(left), right)
    assert (found.determined, found.determined_rows) == (len(one), sum(map(len, one)))


@settings(max_examples=200)
@given(TABLES)
def test_the_gain_lies_between_no_help_and_a_dependency(rows: Rows) -> None:
    table = whole(rows)
    for i in range(len(rows[0])):
        for j, gain in enumerate(gains(table, i)):
            blind, guided = lost_rows(rows, [], [j]), lost_rows(rows, [i], [j])
            assert gain == pytest.approx(1 - guided / blind if blind else 0)


@settings(max_examples=500)
@given(TABLES, st.sampled_from([0.0, 0.1, 0.3]), st.integers(0, 3), st.booleans())
def test_instance_dependencies(rows: Rows, threshold: float, most: int, missing_differ: bool) -> None:
    plain, m = seen(rows, missing_differ=missing_differ), len(rows[0])
    expected = set()
    for right in range(m):
        good = [
            frozenset(left)
            for left in subsets([j for j in range(m) if j != right], most)
            if lost_rows(plain, left, [right]) / len(rows) <= threshold
        ]
        expected |= {(left, right) for left in good if not any(other < left for other in good)}
    found = instance_dependencies(whole(rows, missing_differ=missing_differ), threshold, most)
    assert {(frozenset(d.left), d.right) for d in found} == expected
    assert len(found) == len(expected)
    assert all(d.error == pytest.approx(lost_rows(plain, d.left, [d.right]) / len(rows)) for d in found)


@settings(max_examples=500)
@given(TABLES, st.data(), st.integers(1, 3), st.booleans())
def test_sets_that_single_out_an_identifier(rows: Rows, data: st.DataObject, most: int, missing_differ: bool) -> None:
    plain, m = seen(rows, missing_differ=missing_differ), len(rows[0])
    identifiers = sorted(data.draw(st.sets(st.integers(0, m - 1), max_size=2)))
    others = [j for j in range(m) if j not in identifiers]
    good = {}
    for columns in subsets(others, most):
        groups = classes(plain, columns).values()
        person = [{tuple(plain[i][j] for j in identifiers) if identifiers else i for i in g} for g in groups]
        alone = [g for g, who in zip(groups, person, strict=True) if len(who) == 1]
        if columns and alone:
            good[frozenset(columns)] = (len(alone), sum(map(len, alone)))
    expected = {s: counts for s, counts in good.items() if not any(other < s for other in good)}
    found = instance_quasi_identifiers(whole(rows, missing_differ=missing_differ), identifiers, most=most)
    assert {frozenset(s.columns): (s.values, s.rows) for s in found} == expected


@settings(max_examples=500)
@given(DECLARED)
def test_a_minimal_cover_has_the_same_closures_and_no_part_to_spare(given_set: list[Dependency]) -> None:
    cover = minimal_cover(given_set)
    for attributes in chain.from_iterable(combinations(NAMES, size) for size in range(len(NAMES) + 1)):
        assert closure(attributes, cover) == closure(attributes, given_set) == all_determined(attributes, given_set)
    for d in cover:
        assert len(d.right) == 1
        assert not d.right <= closure(d.left, [other for other in cover if other != d])
        assert all(not d.right <= closure(d.left - {a}, cover) for a in d.left)


@settings(max_examples=500)
@given(DECLARED, st.sampled_from(["K", "KE"]))
def test_declared_quasi_identifiers(given_set: list[Dependency], identifiers: str) -> None:
    others = [a for a in NAMES if a not in identifiers]
    sets = chain.from_iterable(combinations(others, size) for size in range(1, len(others) + 1))
    good = [frozenset(s) for s in sets if set(identifiers) <= all_determined(s, given_set)]
    expected = {s for s in good if not any(other < s for other in good)}
    found = declared_quasi_identifiers(given_set, identifiers)
    assert set(found) == expected
    assert found == without_supersets(found)


@settings(max_examples=500)
@given(TABLES, st.data())
def test_average_group_records_and_disclosure_probability(rows: Rows, data: st.DataObject) -> None:
    table, columns = whole(rows), st.sets(st.integers(0, len(rows[0]) - 1))
    chosen, compared = sorted(data.draw(columns)), sorted(data.draw(columns))
    groups = list(classes(rows, chosen).values())
    probabilities = []
    for group in groups:
        times = Counter(tuple(rows[i][j] for j in compared) for i in group)
        probabilities.append(sum(times[tuple(rows[i][j] for j in compared)] / len(group) for i in group) / len(group))
    assert average_group_records(table.partition(chosen)) == pytest.approx(len(rows) / len(groups))
    assert disclosure_probability(table, chosen, compared) == pytest.approx(sum(probabilities) / len(groups))


@settings(max_examples=500)
@given(TABLES, st.sampled_from(["groups", "unique_rows"]))
def test_the_smallest_sets_that_reach_what_all_reach(rows: Rows, what: str) -> None:
    table, m = whole(rows), len(rows[0])
    reached = {columns: getattr(table.partition(columns), what) for columns in subsets(range(m), m)}
    good = [columns for columns, count in reached.items() if count == reached[tuple(range(m))]]
    smallest = min(map(len, good))
    found = smallest_sets(table, range(m), lambda here: int(getattr(here, what)), 100)
    assert found is not None
    assert sorted(found) == sorted(columns for columns in good if len(columns) == smallest)
