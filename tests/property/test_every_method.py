"""Every method of ``detect`` equals brute force over all column sets: sets, their measures, and every verdict."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from streamqid.problems.articulation import articulation
from streamqid.problems.baselines import dpi, f2cic, fpcv, qia, sqia
from streamqid.problems.declared import closure, dependency
from streamqid.problems.dependencies import dependencies
from streamqid.problems.detect_question import NEARLY_UNIQUE, DetectQuestion, nearly_unique
from streamqid.problems.findings import Finding, Verdict
from streamqid.problems.set_methods import by_k_anonymity, by_minimal_sets
from tests.property.every_set import BATCHES, Roles, Small, tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

MANY = settings(max_examples=100)


def asked(small: Small, rng: np.random.Generator, **known: object) -> DetectQuestion:
    """Ask about a table with random roles."""
    roles = Roles.drawn(small.m, rng)
    return DetectQuestion(
        small.table,
        [1.0] * small.m,
        identifiers=roles.identifiers,
        sensitive=roles.sensitive,
        unique=nearly_unique(small.table, roles.sensitive),
        **known,  # type: ignore[arg-type]
    )


def among(small: Small, question: DetectQuestion) -> NDArray[np.bool_]:
    """Whether a set has no identifier: neither a declared one nor a column that is nearly unique."""
    alone = small.distinct[1 << np.arange(small.m)] > NEARLY_UNIQUE
    barred = set(question.identifiers) | {j for j in np.flatnonzero(alone) if j not in question.sensitive}
    named = sum(1 << int(j) for j in barred) if small.n > 1 else sum(1 << j for j in question.identifiers)
    outside: NDArray[np.bool_] = (small.sets & named) == 0
    return outside


def told(small: Small, question: DetectQuestion, found: Finding) -> set[int]:
    """Return the sets of a finding, after checking their measures and that the verdicts follow from them."""
    sets = [small.number(one.columns) for one in found.sets]
    assert len(set(sets)) == len(sets)
    for number, one in zip(sets, found.sets, strict=True):
        assert one.separation == pytest.approx(small.separation[number])
        assert one.distinct == pytest.approx(small.distinct[number])
        assert one.unique_rows == small.below(2)[number]
        assert one.rows_below_k == small.below(question.k)[number]
    union = int(np.bitwise_or.reduce(sets)) if sets else 0
    for j, judged in enumerate(found.columns):
        if j in question.identifiers:
            assert judged.verdict is Verdict.IDENTIFIER
        else:
            assert (judged.verdict is Verdict.QUASI_IDENTIFIER) == bool(union >> j & 1)
    return set(sets)


@MANY
@given(BATCHES)
def test_minimal_sets_and_k_anonymity(seed: int) -> None:
    for small, rng in tables(seed):
        question = asked(small, rng, k=int(rng.integers(2, 5)), epsilon=float(rng.choice([0.01, 0.2, 0.5])))
        inside = among(small, question)
        found = by_minimal_sets(question)
        if inside.sum() == 1:
            assert not found.judged
            continue
        good = inside & (small.separation >= 1.0 - question.epsilon - 1e-9)  # type: ignore[operator]
        assert told(small, question, found) == small.minimal(good)
        found = by_k_anonymity(question)
        exposing = small.sets[inside & (small.below(question.k) > 0)]
        sizes = np.bitwise_count(exposing)
        sets = told(small, question, found)
        if len(sizes):
            assert len(sets) == 1
            assert sets <= set(exposing[sizes == sizes.min()].tolist())
        else:
            assert not sets
            assert {judged.verdict for judged in found.columns} <= {
                Verdict.IDENTIFIER,
                Verdict.SENSITIVE,
                Verdict.HARMLESS,
            }


def singling(small: Small, identifiers: tuple[int, ...], inside: NDArray[np.bool_], most: int) -> set[int]:
    """Return the minimal sets some value of which belongs to one identifier, or to one row."""
    who = sum(1 << j for j in identifiers)
    person = small.sizes[small.sets | who] if who else np.ones_like(small.sizes)
    single = (small.sizes == person).any(axis=1)
    few = np.bitwise_count(small.sets) <= most
    return small.minimal(inside & single & few & (small.sets > 0))


@MANY
@given(BATCHES)
def test_dependencies_and_partial_unique_sets(seed: int) -> None:
    for small, rng in tables(seed):
        given_set = [
            dependency(rng.choice(small.names, rng.integers(1, 3)).tolist(), [str(rng.choice(small.names))])
            for _ in range(rng.integers(4))
        ]
        question = asked(small, rng, most=int(rng.integers(1, 4)), dependencies=tuple(given_set))
        inside, who = among(small, question), question.name(question.identifiers)
        free = (small.sets & small.number(who)) == 0
        declared = np.array(
            [
                bool(who) and set(who) <= closure([name for j, name in enumerate(small.names) if x >> j & 1], given_set)
                for x in small.sets
            ]
        )
        good = np.zeros(len(small.sets), np.bool_)
        good[list(singling(small, question.identifiers, inside, question.most))] = True
        good |= declared & free & (small.sets > 0)
        assert told(small, question, dependencies(question)) == small.minimal(good)
        assert told(small, question, f2cic(question)) == singling(small, (), inside, question.most)


@MANY
@given(BATCHES)
def test_smallest_sets_with_all_values_or_all_unique_rows(seed: int) -> None:
    for small, rng in tables(seed):
        question = asked(small, rng)
        inside = among(small, question)
        for method, count in ((sqia, small.first.sum(axis=1)), (dpi, small.below(2))):
            good = small.sets[inside & (count == count[inside].max())]
            sizes = np.bitwise_count(good)
            found = method(question)
            if inside.sum() == 1:
                assert not found.judged
                continue
            assert told(small, question, found) == set(good[sizes == sizes.min()].tolist())


@settings(max_examples=25)
@given(BATCHES)
def test_views(seed: int) -> None:
    for small, rng in tables(seed):
        views = [rng.choice(small.names, rng.integers(1, 4)).tolist() for _ in range(rng.integers(4))]
        question = asked(small, rng, views=tuple(map(tuple, views)))
        if not views:
            assert not qia(question).judged
            assert not fpcv(question).judged
            continue
        hidden = small.number({*question.name(question.identifiers), *question.name(question.sensitive)})
        shared = {small.number(set(view)) & ~hidden for view in views} - {0}
        largest = max((one.bit_count() for one in shared), default=0)
        assert told(small, question, qia(question)) == shared
        assert told(small, question, fpcv(question)) == {one for one in shared if one.bit_count() == largest}


def linked(edges: set[tuple[int, int]], m: int, start: int, end: int, without: int = -1) -> bool:
    """Whether a path leads from one column to another around a third."""
    reached = {start}
    for _ in range(m):
        reached |= {b for a, b in edges if a in reached and without not in (a, b)}
    return end in reached


@MANY
@given(BATCHES)
def test_articulation(seed: int) -> None:
    for small, rng in tables(seed):
        some = [pair for pair in combinations(range(small.m), 2) if rng.random() < 0.5] if rng.random() < 0.5 else []
        threshold = float(rng.choice([0.2, 0.5, 1.0]))
        question = asked(
            small, rng, edges=tuple((small.names[a], small.names[b]) for a, b in some), threshold=threshold
        )
        found = articulation(question)
        if not question.identifiers or not question.sensitive:
            assert not found.judged
            continue
        edges = set(some) if some else set(related(small, threshold))
        edges |= {(b, a) for a, b in edges}
        cut, near = 0, 0
        for start, end in product(question.identifiers, question.sensitive):
            others = [j for j in range(small.m) if j not in (start, end)]
            if linked(edges, small.m, start, end):
                cut |= sum(1 << j for j in others if not linked(edges, small.m, start, end, j))
            near |= sum(1 << j for j in others if (start, j) in edges and linked(edges, small.m, j, end, start))
        assert found.graph is not None
        assert {(e.a, e.b) for e in found.graph.edges} <= {(small.names[a], small.names[b]) for a, b in edges}
        assert len(found.graph.edges) == len(edges) // 2
        assert (small.number(found.graph.articulation), small.number(found.graph.adjacent)) == (cut, near)
        named = (cut | near) & ~sum(1 << j for j in question.identifiers)
        assert told(small, question, found) == {1 << j for j in range(small.m) if named >> j & 1}


def related(small: Small, threshold: float) -> Iterator[tuple[int, int]]:
    """Yield the pairs of columns of which one removes so many of the errors in guessing the other."""
    for i, j in combinations(range(small.m), 2):
        if max(gain(small, i, j), gain(small, j, i)) >= threshold:
            yield i, j


def gain(small: Small, left: int, right: int) -> float:
    """Goodman and Kruskal's λ, from the sizes of groups: a class keeps the rows of its largest part."""
    both, whole = small.sizes[1 << left | 1 << right], small.sizes[1 << right]
    head = small.first[1 << left]
    same = small.table.codes[left][:, None] == small.table.codes[left]
    kept = sum(int(both[same[i]].max()) for i in np.flatnonzero(head))
    blind = small.n - int(whole.max())
    return (blind - small.n + kept) / blind if blind else 0.0
