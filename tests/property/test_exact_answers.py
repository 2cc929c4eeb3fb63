"""Answers over a whole table equal brute force, with duplicates, ties, constant columns and missing values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings

from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from streamqid.problems.check import check
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.optimal_key import optimal_key_of_tuples
from streamqid.sampling.fingerprint import MISSING, MissingRule
from tests.property.every_set import BATCHES, Small, tables
from tests.unit.sampling.plain import sampler_of

if TYPE_CHECKING:
    from streamqid.problems.answer import KeyAnswer
    from streamqid.sampling.pairs import Evidence

MANY, SEVERAL = settings(max_examples=100), settings(max_examples=50)
EPSILONS, DELTA, EDGE = [0.01, 0.1, 0.4], 0.05, 1e-9
WEIGHTS = [1.0, 1.0, 2.0, 0.5, 3.0]


def evidence_on(small: Small, rng: np.random.Generator, capacity: int = 100) -> Evidence:
    """Return a sample; a capacity of at least the rows makes it the whole table."""
    rule = MissingRule.EQUAL if small.rule is MissingRule.VALUE and rng.integers(2) else small.rule
    return sampler_of(small.prints, int(rng.integers(2**32)), capacity, rule).evidence().select(small.names)


def asked(evidence: Evidence, measure: Measure, rule: Rule, epsilon: float, beta: float | None = None) -> KeyAnswer:
    return minimum_key(evidence, KeyQuestion(measure, epsilon, DELTA, rule, [1.0] * len(evidence.columns), beta))


@SEVERAL
@given(BATCHES)
def test_a_key_by_separation(seed: int) -> None:
    for small, rng in tables(seed):
        evidence, epsilon, ratio = evidence_on(small, rng), float(rng.choice(EPSILONS)), small.separation
        shared = 1 - small.below(2)[-1] / small.n
        for rule in Rule:
            answer = asked(evidence, Measure.SEPARATION, rule, epsilon)
            reached, best = ratio[small.number(answer.columns)], ratio[-1]
            assert answer.exact
            assert answer.met
            assert answer.separation is not None
            assert answer.separation.estimate == pytest.approx(reached)
            if rule is not Rule.CERTIFIED:
                assert reached == pytest.approx(best)
            else:
                assert reached >= min(1 - epsilon, best - epsilon) - EDGE
            assert answer.inseparable.estimate == pytest.approx(shared)
            assert answer.inseparable_rows == small.n - small.below(2)[-1]


@SEVERAL
@given(BATCHES)
def test_a_key_by_distinct_ratio(seed: int) -> None:
    for small, rng in tables(seed):
        evidence, epsilon, ratio = evidence_on(small, rng), float(rng.choice(EPSILONS)), small.distinct
        for rule in GENERAL_RULES:
            answer = asked(evidence, Measure.DISTINCT, rule, epsilon)
            reached = ratio[small.number(answer.columns)]
            assert answer.distinct is not None
            assert answer.distinct.estimate == pytest.approx(reached)
            if rule is Rule.PAPER:
                assert reached == pytest.approx(ratio[-1])
            else:
                assert reached >= min(1 - epsilon, ratio[-1] - epsilon) - EDGE


@SEVERAL
@given(BATCHES)
def test_a_beta_separation_set_is_the_shortest_prefix_of_the_key(seed: int) -> None:
    for small, rng in tables(seed):
        evidence, beta, ratio = evidence_on(small, rng), float(rng.choice([0.05, 0.3, 0.55, 0.9])), small.separation
        whole = asked(evidence, Measure.SEPARATION, Rule.PAPER, 0.1).columns
        for rule in GENERAL_RULES:
            answer = asked(evidence, Measure.SEPARATION, rule, 0.1, beta)
            chosen = answer.columns
            assert chosen == whole[: len(chosen)]
            assert answer.met == (ratio[small.number(chosen)] >= 0.9 * beta - EDGE)
            if chosen:
                assert ratio[small.number(chosen[:-1])] < min(beta, ratio[small.number(whole)])


def seen_in(evidence: Evidence) -> Small:
    """Return the rows of sample A as a table of their own."""
    prints = evidence.a.fingerprints
    cells = np.where(prints == MISSING, -1, np.searchsorted(np.unique(prints), prints))
    return Small(cells, missing_differ=evidence.missing_differ)


@MANY
@given(BATCHES)
def test_a_key_by_the_rule_tuples_separates_all_pairs_of_its_tuples(seed: int) -> None:
    """Of a part of the rows: the greedy set within its ratio to the optimum, and the lightest set exactly."""
    for small, rng in tables(seed, rows=20):
        evidence = evidence_on(small, rng, capacity=int(rng.integers(2, 12)))
        if evidence.whole:
            continue
        seen, weights = seen_in(evidence), rng.choice(WEIGHTS, small.m).tolist()
        question = KeyQuestion(Measure.SEPARATION, float(rng.choice(EPSILONS)), DELTA, Rule.TUPLES, weights)
        greedy, optimum = minimum_key(evidence, question), optimal_key_of_tuples(evidence, question)
        apart, weight = seen.separation == seen.separation[-1], seen.weigh(weights)
        least = weight[apart].min()
        assert apart[small.number(greedy.columns)]
        assert apart[small.number(optimum.columns)]
        assert weight[small.number(greedy.columns)] <= (1 + math.log(max(1, seen.pairs))) * least + EDGE
        assert weight[small.number(optimum.columns)] == pytest.approx(least)
        assert optimum.optimality.optimal
        assert greedy.sample == optimum.sample == seen.n
        assert greedy.separation is not None
        assert greedy.separation.estimate == pytest.approx(seen.separation[-1])


@MANY
@given(BATCHES)
def test_a_mask_is_within_beta_and_maximal(seed: int) -> None:
    for small, rng in tables(seed):
        evidence, beta = evidence_on(small, rng), float(rng.uniform(0.1, 1.0))
        measure, rule = list(Measure)[rng.integers(2)], list(GENERAL_RULES)[rng.integers(len(GENERAL_RULES))]
        answer = masking(evidence, MaskQuestion(measure, beta, DELTA, rule, [1.0] * small.m))
        told = answer.separation if measure is Measure.SEPARATION else answer.distinct
        published, hidden = small.number(answer.publish), [small.number([column]) for column in answer.hide]
        assert told is not None
        assert told.estimate == pytest.approx(small.ratio(measure)[published])
        assert answer.met == (told.estimate <= beta)
        assert answer.met or not published
        assert published + sum(hidden) == small.sets[-1]
        if small.n > 1:
            assert all(small.ratio(measure)[published | one] > beta - EDGE for one in hidden)


@MANY
@given(BATCHES)
def test_a_check_measures_what_counting_measures(seed: int) -> None:
    for small, rng in tables(seed):
        number = int(rng.integers(1, len(small.sets)))
        columns = rng.permutation([name for j, name in enumerate(small.names) if number >> j & 1]).tolist()
        answer = check(evidence_on(small, rng), columns, DELTA)
        sizes = small.sizes[number][small.first[number]]
        assert answer.separation.estimate == pytest.approx(small.separation[number])
        assert answer.distinct.estimate == pytest.approx(small.distinct[number])
        assert answer.unique_rows.estimate == pytest.approx(small.below(2)[number] / small.n)
        assert answer.group_sizes is not None
        assert (answer.group_sizes.groups, answer.group_sizes.smallest) == (len(sizes), sizes.min())
        assert (answer.group_sizes.largest, answer.group_sizes.rows_below_5) == (sizes.max(), small.below(5)[number])
