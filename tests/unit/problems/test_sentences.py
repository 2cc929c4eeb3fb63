"""Numbers are printed so that they promise no more than they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of
from streamqid.measures.ratios import crowded, unique
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import FoundKey, KeyQuestion
from streamqid.problems.sentences import NAMED_COLUMNS, SINGLES_MOST, key_sentence, names, percent, sure
from streamqid.sampling.priority import mix64


@pytest.mark.parametrize(
    ("share", "down", "up"),
    [
        (0.0, "0 %", "0 %"),
        (1.0, "100 %", "100 %"),
        (0.5, "50 %", "50 %"),
        (0.999, "99.9 %", "99.9 %"),
        (0.998991, "99.899 %", "99.9 %"),
        (0.78953, "78.9 %", "79 %"),
        (0.0123456, "1.23 %", "1.24 %"),
        (1 / 3, "33.3 %", "33.4 %"),
        (2 / 3, "66.6 %", "66.7 %"),
        (0.1, "10 %", "10 %"),
        (0.07, "7 %", "7 %"),
        (0.99995, "99.995 %", "99.995 %"),
        (1e-6, "0.0001 %", "0.0001 %"),
        (1e-15, "0 %", "0.000000001 %"),
        (1 - 1e-15, "99.999999999 %", "100 %"),
    ],
)
def test_percent_rounds_down_or_up(share: float, down: str, up: str) -> None:
    assert (percent(share), percent(share, up=True)) == (down, up)


@given(st.floats(0, 1))
def test_percent_never_promises_more(share: float) -> None:
    """Up to a millionth of the last printed digit, which stands for rounding in floating point."""
    down, up = (float(percent(share, up=way).removesuffix(" %")) / 100 for way in (False, True))
    assert down <= share + 1e-8
    assert up >= share - 1e-8
    assert up - down <= max(0.011 * min(share, 1 - share), 1.1e-11) + 1e-8


@given(st.floats(0, 1), st.floats(0, 1))
def test_percent_keeps_the_order(one: float, other: float) -> None:
    low, high = sorted((one, other))
    for up in (False, True):
        assert float(percent(low, up=up)[:-2]) <= float(percent(high, up=up)[:-2]) + 1e-6


def test_long_sets_are_shortened() -> None:
    assert names(["a"]) == "{a}"
    assert names([]) == "{}"
    many = [f"c{j}" for j in range(NAMED_COLUMNS + 3)]
    assert names(many[:NAMED_COLUMNS]) == "{" + ", ".join(many[:NAMED_COLUMNS]) + "}"
    assert names(many) == "{" + ", ".join(many[:NAMED_COLUMNS]) + ", and 3 more}"


def test_confidence_is_rounded_down() -> None:
    assert sure(None) == "exact: every row was counted"
    assert sure(0.01) == "confidence 99 %"
    assert sure(0.05) == "confidence 95 %"


def test_exact_shares_are_rounded_to_the_nearest() -> None:
    assert [percent(share, exact=True) for share in (0.9909681, 2 / 3, 1 / 3, 0.0, 1.0)] == [
        "99.097 %",
        "66.7 %",
        "33.3 %",
        "0 %",
        "100 %",
    ]


@pytest.mark.parametrize(
    ("measure", "epsilon", "said"),
    [
        (Measure.SEPARATION, 0.01, "nearly"),
        (Measure.SEPARATION, 0.1, ": these columns together tell most pairs of rows apart."),
        (Measure.SEPARATION, 0.4, ": these columns together tell most pairs of rows apart."),
        (Measure.SEPARATION, 0.6, "(confidence 95 %)."),
        (Measure.SEPARATION, 0.999, "(confidence 95 %)."),
        (Measure.DISTINCT, 0.1, ": these columns together single out most rows."),
        (Measure.DISTINCT, 0.3, "(confidence 95 %)."),
    ],
)
def test_the_verdict_says_no_more_than_is_promised(measure: Measure, epsilon: float, said: str) -> None:
    question = KeyQuestion(measure, epsilon, 0.05, Rule.CERTIFIED, [1.0, 1.0])
    ratio = Estimate(estimate=1.0, lower=1.0 - epsilon, upper=1.0, confidence=0.95)
    found = FoundKey([0, 1], ratio, question.target, None, True, 100, [])
    for shared in (False, True):
        sentence = key_sentence(["a", "b"], 1000, question, found, exact=False, crowded=shared)
        assert ("nearly" in sentence) is (said == "nearly")
        assert said == "nearly" or sentence.endswith(said)


@pytest.mark.parametrize(
    ("groups", "n", "many"), [(3000, 200_000, True), (400_000, 20_000_000, True), (10**9, 10**9, False)]
)
def test_rows_that_look_single_in_a_sample_may_be_many(groups: int, n: int, many: bool) -> None:
    """Of 10,000 sampled rows nearly all are alone when there are 400,000 groups of 50."""
    sample = np.random.default_rng(1).integers(0, groups, 10_000).astype(np.uint64)
    here = table_of(("a",), mix64(1, sample)[:, None]).partition([0])
    assert crowded(here, n) is many
    assert (unique(here) > 0.9) is (groups > 3000)


def test_a_distinct_ratio_beyond_three_quarters_singles_out_most_rows() -> None:
    """In all tables of up to ten rows; at three quarters there is one that does not."""
    for n in range(2, 11):
        for sizes in partitions(n, n):
            if len(sizes) / n > SINGLES_MOST:
                assert sizes.count(1) > n / 2
    assert ([2, 2, 1, 1, 1, 1].count(1), 6 / 8) == (4, SINGLES_MOST)


def partitions(n: int, largest: int) -> list[list[int]]:
    """Return all ways to write n as a sum of falling numbers."""
    if not n:
        return [[]]
    return [[first, *rest] for first in range(min(n, largest), 0, -1) for rest in partitions(n - first, first)]


@pytest.mark.parametrize(
    ("rule", "part", "unreadable", "remedy"),
    [
        (Rule.TUPLES, 1.0, False, "by the rule paper"),
        (Rule.CERTIFIED, 0.5, False, "by the rule certified from the start"),
        (Rule.CERTIFIED, 1.0, True, "mend the rows that cannot be read"),
        (Rule.PAPER, 1.0, False, "allow more memory"),
    ],
)
def test_an_unknown_says_what_would_help(rule: Rule, part: float, unreadable: bool, remedy: str) -> None:
    question = KeyQuestion(Measure.SEPARATION, 0.01, 0.05, rule, [1.0], part=part)
    found = FoundKey([0], Estimate(estimate=0.9, lower=0.8, upper=1.0, confidence=0.95), None, None, False, 10, [])
    sentence = key_sentence(["a"], 1000, question, found, exact=False, crowded=False, unreadable=unreadable)
    assert sentence.endswith(f"(nothing is certain, confidence 95 %): ask for a larger epsilon, or {remedy}.")
