"""Hildebrant et al. 2022: keys from all pairs of a few tuples."""

from __future__ import annotations

import pytest

from streamqid.errors import UsageError
from streamqid.measures.bounds import tuple_key_tuples
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.optimal_key import optimal_key_of_tuples
from streamqid.problems.sizes import key_capacity
from tests.unit.problems.asking import key, mask, numbers
from tests.unit.sampling.plain import evidence_of

UNIQUE = [(i % 10, i // 10 % 10, i // 100) for i in range(3000)]


def test_the_promise_is_that_of_the_formula() -> None:
    answer = key(UNIQUE, rule=Rule.TUPLES, epsilon=0.05)
    assert answer.met
    assert not answer.exact
    assert answer.separation is not None
    assert answer.separation.lower is not None
    assert answer.separation.lower >= 0.95
    assert answer.sample_unit == "tuples"
    assert tuple_key_tuples(3, 0.05, 0.05) <= answer.sample < 70
    assert "at least 95 %" in answer.guarantee


def test_keys_tend_to_be_longer_than_by_pairs() -> None:
    rows = [(i % 300, i // 300) for i in range(9000)]
    by_pairs, by_tuples = (
        sum(len(key(rows, rule=rule, seed=seed).columns) for seed in range(10)) for rule in (Rule.PAPER, Rule.TUPLES)
    )
    assert by_tuples > by_pairs


def test_repeats_on_all_columns_weaken_the_promise() -> None:
    answer = key([(i // 2,) for i in range(5000)], rule=Rule.TUPLES, epsilon=0.002, seed=2)
    assert not answer.met
    assert answer.separation is not None
    assert 0.9 < (answer.separation.lower or 0.0) < 0.998
    assert answer.guarantee.endswith("ask for a larger epsilon, or by the rule paper.")


def test_many_duplicates_leave_nothing_certain() -> None:
    answer = key([(i % 3,) for i in range(500)], rule=Rule.TUPLES, epsilon=0.05)
    assert not answer.met
    assert "nothing is certain" in answer.guarantee


@pytest.mark.parametrize(("capacity", "met"), [(100, False), (400, True)])
def test_equal_tuples_bound_what_all_columns_add(capacity: int, met: bool) -> None:
    answer = key([(1, 2)] * 500, rule=Rule.TUPLES, epsilon=0.05, capacity=capacity)
    assert (answer.columns, answer.met, answer.exact) == ([], met, False)
    assert answer.guarantee.startswith("All columns seen together add at most")


def test_the_lightest_key_of_the_tuples_is_no_larger_than_the_greedy_one() -> None:
    question = KeyQuestion(Measure.SEPARATION, 0.05, 0.05, Rule.TUPLES, [1.0] * 3)
    two = KeyQuestion(Measure.SEPARATION, 0.05, 0.05, Rule.TUPLES, [1.0] * 2)
    for seed in range(5):
        evidence = evidence_of(UNIQUE, seed, key_capacity(3, question))
        answer, greedy = optimal_key_of_tuples(evidence, question), minimum_key(evidence, question)
        assert len(answer.columns) <= len(greedy.columns) == len(answer.optimality.greedy)
        assert (answer.met, answer.sample) == (greedy.met, greedy.sample)
    assert optimal_key_of_tuples(evidence_of([(1, 2), (1, 3)], 0, 100), two).exact


def test_what_it_cannot_answer_is_refused() -> None:
    with pytest.raises(UsageError, match="keys by separation, without beta"):
        key(UNIQUE, Measure.DISTINCT, Rule.TUPLES)
    with pytest.raises(UsageError, match="keys by separation, without beta"):
        key(UNIQUE, rule=Rule.TUPLES, beta=0.5)
    with pytest.raises(UsageError, match="is for keys"):
        mask(UNIQUE, rule=Rule.TUPLES)
    assert numbers(key([(0, 1), (0, 2)], rule=Rule.TUPLES).columns) == [1]
