"""Dependencies, the sets that follow from them and their metrics equal brute force on small tables."""

from __future__ import annotations

from collections import Counter
from itertools import chain, combinations
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

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
from tests.property.every_set import BATCHES, TABLES, tables
from tests.unit.problems.whole_tables import classes, lost_rows, subsets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tests.property.every_set import Small

NAMES = "ABCDEK"
MANY = settings(max_examples=100)


def drawn(of: int, rng: np.random.Generator, most: int | None = None) -> list[int]:
    """Draw some of so many columns, perhaps none."""
    return sorted(rng.choice(of, rng.integers(min(of, of if most is None else most) + 1), replace=False).tolist())


def declared(seed: int) -> Iterator[list[Dependency]]:
    """Yield random sets of dependencies, as many as ``tables`` yields tables."""
    rng = np.random.default_rng(seed)

    def side() -> list[str]:
        return [NAMES[at] for at in rng.permutation(len(NAMES))[: rng.integers(1, 4)]]

    for _ in range(TABLES):
        yield [dependency(side(), side()) for _ in range(rng.integers(7))]


def all_determined(attributes: Iterable[str], dependencies: Sequence[Dependency]) -> set[str]:
    """Return the closure by as many rounds as there are names, each over all dependencies."""
    found = set(attributes)
    for _ in NAMES:
        for d in dependencies:
            if all(a in found for a in d.left):
                found.update(d.right)
    return found


@MANY
@given(BATCHES)
def test_g3_and_the_determined_classes(seed: int) -> None:
    for small, rng in tables(seed):
        left, right = drawn(small.m, rng), drawn(small.m, rng)
        assert g3(small.table, left, right) == pytest.approx(lost_rows(small.rows, left, right) / small.n)
        groups = classes(small.rows, left).values()
        one = [g for g in groups if len({tuple(small.rows[i][j] for j in right) for i in g}) == 1]
        found = agreement(small.table, small.table.partition(left), right)
        assert (found.determined, found.determined_rows) == (len(one), sum(map(len, one)))


@MANY
@given(BATCHES)
def test_the_gain_lies_between_no_help_and_a_dependency(seed: int) -> None:
    for small, rng in tables(seed):
        i = int(rng.integers(small.m))
        for j, gain in enumerate(gains(small.table, i)):
            blind, guided = lost_rows(small.rows, [], [j]), lost_rows(small.rows, [i], [j])
            assert gain == pytest.approx(1 - guided / blind if blind else 0)


@MANY
@given(BATCHES)
def test_instance_dependencies(seed: int) -> None:
    for small, rng in tables(seed, columns=4, rows=12):
        threshold, most, columns = float(rng.choice([0.0, 0.1, 0.3])), int(rng.integers(4)), range(small.m)
        expected = set()
        for right in columns:
            good = [
                frozenset(left)
                for left in subsets([j for j in columns if j != right], most)
                if lost_rows(small.rows, left, [right]) / small.n <= threshold
            ]
            expected |= {(left, right) for left in good if not any(other < left for other in good)}
        found = instance_dependencies(small.table, threshold, most)
        assert {(frozenset(d.left), d.right) for d in found} == expected
        assert len(found) == len(expected)
        assert all(d.error == pytest.approx(lost_rows(small.rows, d.left, [d.right]) / small.n) for d in found)


def singling(small: Small, identifiers: Sequence[int], most: int) -> dict[frozenset[int], tuple[int, int]]:
    """Return the minimal sets some value of which belongs to one person: how many values do, and their rows."""
    good = {}
    for columns in subsets([j for j in range(small.m) if j not in identifiers], most):
        groups = classes(small.rows, columns).values()
        person = [{tuple(small.rows[i][j] for j in identifiers) if identifiers else i for i in g} for g in groups]
        alone = [g for g, who in zip(groups, person, strict=True) if len(who) == 1]
        if columns and alone:
            good[frozenset(columns)] = (len(alone), sum(map(len, alone)))
    return {s: counts for s, counts in good.items() if not any(other < s for other in good)}


@MANY
@given(BATCHES)
def test_algorithm_2_finds_the_sets_that_single_out_an_identifier(seed: int) -> None:
    for small, rng in tables(seed):
        identifiers, most = drawn(small.m, rng, most=2), int(rng.integers(1, 4))
        found = instance_quasi_identifiers(small.table, identifiers, most=most)
        assert {frozenset(s.columns): (s.values, s.rows) for s in found} == singling(small, identifiers, most)


@MANY
@given(BATCHES)
def test_a_minimal_cover_has_the_same_closures_and_no_part_to_spare(seed: int) -> None:
    for given_set in declared(seed):
        cover = minimal_cover(given_set)
        for attributes in chain.from_iterable(combinations(NAMES, size) for size in range(len(NAMES) + 1)):
            assert closure(attributes, cover) == closure(attributes, given_set) == all_determined(attributes, given_set)
        for d in cover:
            assert len(d.right) == 1
            assert not d.right <= closure(d.left, [other for other in cover if other != d])
            assert all(not d.right <= closure(d.left - {a}, cover) for a in d.left)


@MANY
@given(BATCHES)
def test_algorithm_1_finds_the_sets_that_declared_dependencies_make(seed: int) -> None:
    for at, given_set in enumerate(declared(seed)):
        identifiers = "KE"[: 1 + at % 2]
        others = [a for a in NAMES if a not in identifiers]
        sets = chain.from_iterable(combinations(others, size) for size in range(1, len(others) + 1))
        good = [frozenset(s) for s in sets if set(identifiers) <= all_determined(s, given_set)]
        expected = {s for s in good if not any(other < s for other in good)}
        found = declared_quasi_identifiers(given_set, identifiers)
        assert set(found) == expected
        assert found == without_supersets(found)


@MANY
@given(BATCHES)
def test_average_group_records_and_disclosure_probability(seed: int) -> None:
    for small, rng in tables(seed):
        chosen, compared = drawn(small.m, rng), drawn(small.m, rng)
        groups = list(classes(small.rows, chosen).values())
        probabilities = []
        for group in groups:
            shown = [tuple(small.rows[i][j] for j in compared) for i in group]
            times = Counter(shown)
            probabilities.append(sum(times[one] / len(group) for one in shown) / len(group))
        assert average_group_records(small.table.partition(chosen)) == pytest.approx(small.n / len(groups))
        told = disclosure_probability(small.table, chosen, compared)
        assert told == pytest.approx(sum(probabilities) / len(groups))


@MANY
@given(BATCHES)
def test_the_smallest_sets_that_reach_what_all_reach(seed: int) -> None:
    for small, rng in tables(seed):
        what = str(rng.choice(["groups", "unique_rows"]))
        reached = small.first.sum(axis=1) if what == "groups" else small.below(2)
        good = small.sets[reached == reached[-1]]
        sizes = np.bitwise_count(good)
        found = smallest_sets(small.table, range(small.m), attrgetter(what), 100)
        assert found is not None
        assert sorted(sum(1 << j for j in one) for one in found) == sorted(good[sizes == sizes.min()].tolist())
