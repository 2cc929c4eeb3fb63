"""What can be published: exactly, and from samples by both rules."""

from __future__ import annotations

import pytest

from streamqid.measures.bounds import masking_threshold
from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from streamqid.sampling.fingerprint import MissingRule
from tests.unit.problems.asking import mask, numbers
from tests.unit.sampling.plain import PEOPLE, distinct_by_count, names, separation_by_pairs

DISTINCT, SEPARATION = Measure.DISTINCT, Measure.SEPARATION
WIDE = [(i % 2, int(i < 30), int(i < 60), 5, i) for i in range(3000)]
"""Separation 0.5, 0.02, 0.04, 0 and 1; distinct 2, 2, 2, 1 and 3000 of 3000."""


def test_masking_of_the_papers_table_1() -> None:
    assert numbers(mask(PEOPLE, DISTINCT, beta=0.8).publish) == [1, 2]
    assert numbers(mask(PEOPLE, beta=0.9).publish) == [1, 2]
    answer = mask(PEOPLE, beta=0.8)
    assert (numbers(answer.publish), numbers(answer.hide), answer.met, answer.exact) == ([1], [0, 2], True, True)
    assert answer.separation is not None
    assert answer.separation.estimate == pytest.approx(0.6)
    assert answer.distinct is None
    assert "60 %" in answer.guarantee


@pytest.mark.parametrize("measure", Measure)
def test_nothing_can_be_published_below_the_smallest_ratio(measure: Measure) -> None:
    answer = mask(PEOPLE, measure, beta=0.35)
    assert (answer.publish, answer.met) == ([], True)
    assert answer.guarantee.startswith("No column stays within 35 %")


def test_the_empty_set_of_a_tiny_table_may_already_have_too_many_different_rows() -> None:
    answer = mask([(1,), (1,)], DISTINCT, beta=0.4)
    assert (answer.publish, answer.met) == ([], False)


@pytest.mark.parametrize("measure", Measure)
def test_the_only_row_of_a_table_is_identified_by_every_column(measure: Measure) -> None:
    answer = mask([(1, 2)], measure, beta=0.5)
    ratio = answer.separation if measure is SEPARATION else answer.distinct
    assert ratio is not None
    assert (answer.publish, answer.met, ratio.estimate) == ([], False, 1.0)
    assert numbers(mask([(1, 2)], measure, beta=0.5, publish=[1]).publish) == [1]


def test_must_hide_and_must_publish_are_obeyed() -> None:
    assert numbers(mask(WIDE, beta=0.6).publish) == [0, 1, 2, 3]
    assert numbers(mask(WIDE, beta=0.6, hide=[3, 1]).publish) == [0, 2]
    assert numbers(mask(WIDE, beta=0.6, publish=[0], hide=[3]).publish) == [0, 1, 2]
    fails = mask(WIDE, beta=0.6, publish=[4])
    assert (4 in numbers(fails.publish), fails.met) == (True, False)
    assert "must be published" in fails.guarantee


def test_weights_change_what_is_published() -> None:
    rows = [(i % 2, i // 2 % 2) for i in range(40)]
    chosen = [numbers(mask(rows, beta=0.6, weights=w).publish) for w in ([1.0, 1.0], [1.0, 2.0])]
    assert chosen == [[0], [1]]


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_a_sample_publishes_what_is_certain_and_hides_the_rest(measure: Measure, rule: Rule) -> None:
    answer = mask(WIDE, measure, rule, beta=0.7, capacity=1000)
    assert (answer.exact, answer.met, answer.hide) == (False, True, ["c0004"])
    assert numbers(answer.publish) == [0, 1, 2, 3]
    ratio = answer.separation if measure is SEPARATION else answer.distinct
    assert ratio is not None
    assert ratio.upper is not None
    assert ratio.estimate <= ratio.upper <= 0.7
    assert ratio.confidence == 0.95
    oracle = separation_by_pairs if measure is SEPARATION else distinct_by_count
    assert oracle(WIDE[::5], range(4)) <= 0.7
    assert (answer.sample_unit, answer.rows) == ("pairs" if measure is SEPARATION else "tuples", 3000)
    assert "confidence 95 %" in answer.guarantee


def test_the_certified_rule_publishes_more_from_the_same_sample() -> None:
    rows = [(*(int(i % 40 == j) for j in range(12)), i) for i in range(3000)]
    paper, certified = (mask(rows, rule=rule, beta=0.3, capacity=1200) for rule in (Rule.PAPER, Rule.CERTIFIED))
    assert len(paper.publish) < len(certified.publish)
    for answer in (paper, certified):
        assert answer.met
        assert separation_by_pairs(rows[:400], numbers(answer.publish)) <= 0.3


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_from_a_sample_must_publish_may_fail_and_says_so(measure: Measure, rule: Rule) -> None:
    answer = mask(WIDE, measure, rule, beta=0.6, capacity=1000, publish=[4], hide=[3])
    assert (numbers(answer.publish), answer.met) == ([4], False)
    assert answer.guarantee.startswith("Even the columns that must be published exceed 60 %")
    ratio = answer.separation if measure is SEPARATION else answer.distinct
    assert ratio is not None
    assert ratio.lower is not None
    assert 0.6 < ratio.lower < (ratio.upper or 0.0) == 1.0
    unsure = mask(WIDE, measure, rule, beta=0.999, capacity=1000, publish=[4], hide=[3])
    assert not unsure.met
    assert unsure.guarantee.startswith("Unknown: the columns that must be published are not certain to stay")


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_a_tiny_sample_of_tuples_cannot_say_that_must_publish_exceeds(rule: Rule) -> None:
    answer = mask(WIDE, DISTINCT, rule, beta=0.6, capacity=20, publish=[4])
    assert answer.distinct is not None
    assert (answer.met, answer.distinct.lower) == (False, None)
    assert answer.guarantee.startswith("Unknown")


def test_the_bound_on_unique_rows_pays_for_what_b_could_choose() -> None:
    """By the paper's rule on tuples only A chooses; otherwise B does too, among all sets or those of the chain."""
    rows = [(*(int(i % 40 == j) for j in range(12)), i) for i in range(3000)]
    uppers = {}
    for measure in Measure:
        for rule in GENERAL_RULES:
            answer = mask(rows, measure, rule, beta=0.5, capacity=1200, publish=[0], hide=range(4, 13))
            uppers[measure, rule] = answer.unique_rows.upper or 0.0
            assert answer.publish == names(4)
    assert uppers[SEPARATION, Rule.PAPER] > uppers[SEPARATION, Rule.CERTIFIED] > uppers[DISTINCT, Rule.PAPER]


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_from_a_sample_must_publish_may_hold(measure: Measure, rule: Rule) -> None:
    answer = mask(WIDE, measure, rule, beta=0.7, capacity=1000, publish=[0], hide=[1])
    assert (numbers(answer.publish), answer.met) == ([0, 2, 3], True)


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("measure", Measure)
def test_a_sample_that_is_too_small_publishes_nothing_that_varies(measure: Measure, rule: Rule) -> None:
    answer = mask([(i,) for i in range(300)], measure, rule, beta=0.3, capacity=8)
    assert answer.publish == []
    assert "sample more rows" in answer.guarantee


@pytest.mark.parametrize("capacity", [10_000, 1000])
@pytest.mark.parametrize(("missing", "published"), [(MissingRule.EQUAL, [0, 1]), (MissingRule.DISTINCT, [1])])
def test_the_missing_rule_decides(missing: MissingRule, published: list[int], capacity: int) -> None:
    rows = [(None, i % 2) for i in range(3000)]
    for measure in Measure:
        for rule in GENERAL_RULES:
            answer = mask(rows, measure, rule, beta=0.6, capacity=capacity, missing=missing)
            assert numbers(answer.publish) == published


def test_the_papers_choice_stays_within_its_own_threshold() -> None:
    rows = [(*(int(i % 50 == j) for j in range(20)),) for i in range(3000)]
    for seed in range(5):
        answer = mask(rows, beta=0.5, capacity=1500, seed=seed)
        assert answer.separation is not None
        assert answer.separation.estimate <= masking_threshold(20, 0.5, 0.05, answer.sample)
        assert answer.met


@pytest.mark.parametrize("rule", GENERAL_RULES)
@pytest.mark.parametrize("capacity", [1000, 10_000])
def test_where_everything_must_be_hidden_nothing_is_published(rule: Rule, capacity: int) -> None:
    answer = mask(WIDE, rule=rule, beta=0.6, hide=range(5), capacity=capacity)
    assert (answer.publish, len(answer.hide), answer.met) == ([], 5, True)
    assert "must be hidden" in answer.guarantee
