"""Families of column sets against Python sets of frozensets."""

from __future__ import annotations

from itertools import chain, combinations

import numpy as np
import pytest

from streamqid.problems.lattice import Family, Lattice, columns_of, sum_over_supersets

Sets = set[frozenset[int]]


def every(m: int) -> Sets:
    return {frozenset(c) for c in chain.from_iterable(combinations(range(m), size) for size in range(m + 1))}


def some(m: int, seed: int) -> Sets:
    rng = np.random.default_rng(seed)
    return {x for x in sorted(every(m), key=sorted) if rng.random() < 0.1}


def packed(lattice: Lattice, sets: Sets) -> Family:
    return lattice.family(np.array([sum(1 << j for j in x) for x in sets], np.int64))


def unpacked(lattice: Lattice, family: Family) -> Sets:
    return {frozenset(np.flatnonzero(row).tolist()) for row in columns_of(lattice.members(family), lattice.m)}


@pytest.mark.parametrize("m", range(1, 10))
def test_closures_and_borders(m: int) -> None:
    lattice, everything, sets = Lattice(m), every(m), some(m, m)
    upper = {x for x in everything if any(y <= x for y in sets)}
    lower = {x for x in everything if any(x <= y for y in sets)}
    assert unpacked(lattice, lattice.every()) == everything
    assert unpacked(lattice, packed(lattice, sets)) == sets
    assert unpacked(lattice, lattice.up(packed(lattice, sets))) == upper
    assert unpacked(lattice, lattice.down(packed(lattice, sets))) == lower
    assert unpacked(lattice, lattice.minimal(packed(lattice, upper))) == {
        x for x in upper if not any(y < x for y in upper)
    }
    assert unpacked(lattice, lattice.maximal(packed(lattice, lower))) == {
        x for x in lower if not any(x < y for y in lower)
    }
    assert unpacked(lattice, lattice.above(packed(lattice, sets))) == {x | {j} for x in sets for j in range(m)} - {
        x for x in sets if not any(x - {j} in sets for j in x)
    }
    assert lattice.count(packed(lattice, sets)) == len(sets)
    assert lattice.sizes().tolist() == [number.bit_count() for number in range(1 << m)]


def test_sums_over_supersets() -> None:
    counts = np.random.default_rng(1).integers(10, size=1 << 6)
    plain = [sum(int(counts[y]) for y in range(64) if x & y == x) for x in range(64)]
    sum_over_supersets(counts)
    assert counts.tolist() == plain
