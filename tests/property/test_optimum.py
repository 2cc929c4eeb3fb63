"""Exact solvers equal brute force over all column sets: ties, duplicates, constant columns, missing values, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from streamqid.problems.answer import Measure, Rule
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.optimal_key import optimal_key
from streamqid.problems.optimal_mask import optimal_mask
from tests.property.every_set import BATCHES, tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tests.property.every_set import Small

SEVERAL = settings(max_examples=100)
SHARES = [0.0, 0.01, 0.1, 0.2, 0.4, 0.9]
WEIGHTS = [1.0, 1.0, 2.0, 0.5, 3.0]
EDGE = 1e-9


def lightest(small: Small, weights: list[float], good: NDArray[np.bool_]) -> float:
    return float(small.weigh(weights)[good].min())


@SEVERAL
@given(BATCHES)
def test_the_lightest_key(seed: int) -> None:
    for small, rng in tables(seed):
        weights, measure = rng.choice(WEIGHTS, small.m).tolist(), list(Measure)[rng.integers(2)]
        epsilon, ratio = float(rng.choice(SHARES)), small.ratio(measure)
        answer = optimal_key(small.table, weights, measure, epsilon)
        wanted = 1 - epsilon if ratio[-1] >= 1 - epsilon - EDGE else ratio[-1] - epsilon
        least = lightest(small, weights, ratio >= wanted - EDGE)
        chosen, greedy = small.number(answer.columns), small.number(answer.optimality.greedy)
        assert min(ratio[chosen], ratio[greedy]) >= wanted - EDGE
        assert small.weigh(weights)[chosen] == pytest.approx(least)
        assert answer.optimality.optimal
        assert answer.optimality.bound == answer.optimality.weight == pytest.approx(least)
        assert answer.optimality.greedy_weight >= least - EDGE
        assert answer.separation.estimate == pytest.approx(small.separation[chosen])
        assert answer.distinct.estimate == pytest.approx(small.distinct[chosen])


@SEVERAL
@given(BATCHES)
def test_the_smallest_beta_separation_set(seed: int) -> None:
    for small, rng in tables(seed):
        weights, beta = [1.0] * small.m, float(rng.choice([0.2, 0.5, 0.75, 0.9, 1.0]))
        answer = optimal_key(small.table, weights, beta=beta)
        wanted = min(beta, small.separation[-1])
        assert len(answer.columns) == lightest(small, weights, small.separation >= wanted - EDGE)
        assert small.separation[small.number(answer.columns)] >= wanted - EDGE
        assert answer.met == (wanted >= beta - EDGE)


@SEVERAL
@given(BATCHES)
def test_the_heaviest_mask(seed: int) -> None:
    for small, rng in tables(seed):
        weights, measure = rng.choice(WEIGHTS, small.m).tolist(), list(Measure)[rng.integers(2)]
        beta, role = float(rng.choice([0.05, 0.3, 0.5, 0.6, 0.8, 1.0])), rng.choice(5, small.m)
        must, never = (np.flatnonzero(role == what).tolist() for what in range(2))
        answer = optimal_mask(small.table, MaskQuestion(measure, beta, 0.01, Rule.PAPER, weights, must, never))
        shown, hidden = (sum(1 << j for j in some) for some in (must, never))
        allowed = (small.sets & shown == shown) & (small.sets & hidden == 0) & (small.ratio(measure) <= beta + EDGE)
        published = small.number(answer.publish)
        assert published + small.number(answer.hide) == small.sets[-1]
        if small.n == 1 or not allowed.any():
            assert published == shown
            assert answer.met == (small.ratio(measure)[shown] <= beta + EDGE)
            continue
        heaviest = float(small.weigh(weights)[allowed].max())
        assert answer.met
        assert allowed[published]
        assert answer.optimality.optimal
        assert answer.optimality.weight == pytest.approx(heaviest)
        assert small.weigh(weights)[published] == pytest.approx(heaviest)
        assert answer.optimality.greedy_weight <= heaviest + EDGE
