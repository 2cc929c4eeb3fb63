"""Quasi-identifiers against k-anonymity equal brute force over all column sets and all orders of dropping."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from streamqid.problems.qid import anonymity_test, minimal_qid, minimum_qid
from streamqid.problems.qid_answer import Exposes
from tests.property.every_set import BATCHES, tables

if TYPE_CHECKING:
    import numpy as np

SEVERAL = settings(max_examples=100)
WEIGHTS = [1.0, 1.0, 2.0, 0.5, 3.0]


def drawn(rng: np.random.Generator) -> tuple[int, Exposes]:
    return int(rng.integers(2, 5)), list(Exposes)[rng.integers(2)]


@SEVERAL
@given(BATCHES)
def test_the_verdict_on_a_set(seed: int) -> None:
    for small, rng in tables(seed):
        k, number = int(rng.integers(2, 5)), int(rng.integers(len(small.sets)))
        answer = anonymity_test(small.table, [j for j in range(small.m) if number >> j & 1], k)
        below = small.below(k)[number]
        assert answer.qid == (below > 0)
        assert answer.exposed.estimate == pytest.approx(below / small.n)
        assert answer.smallest_group == small.sizes[number].min()


@SEVERAL
@given(BATCHES)
def test_the_minimum(seed: int) -> None:
    for small, rng in tables(seed):
        (k, whom), weights = drawn(rng), rng.choice(WEIGHTS, small.m).tolist()
        below = small.below(k)
        answer = minimum_qid(small.table, k, weights, whom)
        assert answer.anonymous == (below[-1] == 0)
        assert answer.exposed_by_all.estimate == pytest.approx(below[-1] / small.n)
        if not below[-1]:
            assert answer.columns is None
            continue
        need = 1 if whom is Exposes.SOME else below[-1]
        lightest = small.weigh(weights)[below >= need].min()
        assert answer.columns is not None
        assert answer.optimality is not None
        chosen = small.number(answer.columns)
        assert below[chosen] >= need
        assert small.weigh(weights)[chosen] == pytest.approx(lightest)
        assert answer.optimality.optimal
        assert answer.optimality.bound == pytest.approx(lightest)
        assert answer.optimality.greedy_weight >= lightest - 1e-9


@SEVERAL
@given(BATCHES)
def test_the_descent(seed: int) -> None:
    """It equals the paper's algorithm, which begins anew after every drop, and no column can be left out."""
    for small, rng in tables(seed):
        (k, whom), order = drawn(rng), rng.permutation(small.m).tolist()
        below = small.below(k)
        answer = minimal_qid(small.table, k, order, whom)
        if not below[-1]:
            assert (answer.columns, answer.anonymous) == (None, True)
            continue
        need, fields = 1 if whom is Exposes.SOME else below[-1], int(small.sets[-1])
        while True:
            nexts = [fields & ~(1 << j) for j in order if fields >> j & 1]
            found = next((one for one in nexts if below[one] >= need), None)
            if found is None:
                break
            fields = found
        assert answer.columns is not None
        assert small.number(answer.columns) == fields
