"""Replayed draws are independent uniform draws from the table: shown exactly, by enumeration."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.sampling.pairs import replay


@pytest.mark.parametrize(("n", "k"), [(3, 2), (3, 3), (4, 3), (5, 2), (2, 1), (2, 2), (1, 1)])
def test_the_rows_drawn_are_distributed_as_independent_draws(n: int, k: int) -> None:
    """Over all label sequences and all orders of the sampled rows, both uniform: k draws from k rows."""
    replayed: Counter[tuple[int, ...]] = Counter()
    samples = list(permutations(range(n), k))
    for labels in product(range(n), repeat=k):
        positions = replay(np.array(labels, np.int64)).tolist()
        for sample in samples:
            replayed[tuple(sample[i] for i in positions)] += 1
    probability = {rows: Fraction(times, n**k * len(samples)) for rows, times in replayed.items()}
    assert probability == {rows: Fraction(1, n**k) for rows in product(range(n), repeat=k)}


@pytest.mark.parametrize(("n", "pairs"), [(2, 2), (3, 2), (4, 1)])
def test_pairs_of_two_labels_are_independent_uniform_pairs_of_different_rows(n: int, pairs: int) -> None:
    """The labels of ``pairs_inside_b``: left of n, right of the n - 1 others."""
    others = [(left, right + (right >= left)) for left in range(n) for right in range(n - 1)]
    drawn: Counter[tuple[int, ...]] = Counter()
    for labels in product(others, repeat=pairs):
        positions = replay(np.array(labels, np.int64).ravel()).tolist()
        for order in permutations(range(n)):
            drawn[tuple(order[i] for i in positions)] += 1
    assert len(drawn) == (n * (n - 1)) ** pairs
    assert len(set(drawn.values())) == 1
    assert all(rows[i] != rows[i + 1] for rows in drawn for i in range(0, 2 * pairs, 2))


@given(st.lists(st.integers(0, 12), max_size=40))
def test_labels_become_rows_in_order_of_first_appearance(labels: list[int]) -> None:
    seen: dict[int, int] = {}
    assert replay(np.array(labels, np.int64)).tolist() == [seen.setdefault(label, len(seen)) for label in labels]
