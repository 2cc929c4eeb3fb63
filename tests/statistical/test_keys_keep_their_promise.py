"""Keys: over 1,000 seeds each, at most δ of the promises are broken (false alarm of each assertion: 1e-6).

Controls: a sampler that loses some of the records that make the ratio bad breaks them far more often.
"""

from __future__ import annotations

import pytest

from streamqid.problems.answer import Measure, Rule
from tests.statistical.promises import SEEDS, allowed, key_trials
from tests.statistical.tables import (
    Tempting,
    duplicate_twins,
    equal_groups,
    many_alike,
    merged_duplicates,
    one_large_group,
    one_large_share,
    twins,
)

SEPARATION, DISTINCT, PAPER, CERTIFIED = Measure.SEPARATION, Measure.DISTINCT, Rule.PAPER, Rule.CERTIFIED
CASES = [
    # A first column that separates just less than 1 - ε = 0.95, alone in tables of 1.4 to 3 times the sample.
    (equal_groups(18, 13), SEPARATION, PAPER, 0.05, None),
    (one_large_group(50, 216), SEPARATION, PAPER, 0.05, None),
    (equal_groups(19, 26), SEPARATION, CERTIFIED, 0.05, None),
    (one_large_group(108, 480), SEPARATION, CERTIFIED, 0.05, None),
    # Twenty such columns, of which the sample that chooses takes the one that looks best in it.
    (many_alike(20, 110, 490), SEPARATION, CERTIFIED, 0.05, None),
    # Duplicates keep all columns below 0.95, and the first column loses just more than 0.05 against them.
    (merged_duplicates(14, 5, 15), SEPARATION, PAPER, 0.05, None),
    (merged_duplicates(14, 5, 35), SEPARATION, CERTIFIED, 0.05, None),
    # A first column that separates just less than (1 - ε)β = 0.56.
    (one_large_share(2000), SEPARATION, PAPER, 0.3, 0.8),
    (one_large_share(2000), SEPARATION, CERTIFIED, 0.3, 0.8),
    # A first column with just less than 0.8 n groups.
    (twins(27, 130), DISTINCT, PAPER, 0.2, None),
    (twins(53, 260), DISTINCT, CERTIFIED, 0.2, None),
    # Every row has a duplicate, and the first column loses just more than 0.2 n groups against all columns.
    (duplicate_twins(27, 130), DISTINCT, PAPER, 0.2, None),
    (duplicate_twins(53, 260), DISTINCT, CERTIFIED, 0.2, None),
]
NAMES = [f"{measure}-{rule}-{'beta-' if beta else ''}{table.name}" for table, measure, rule, _, beta in CASES]


@pytest.mark.parametrize(("table", "measure", "rule", "epsilon", "beta"), CASES, ids=NAMES)
def test_broken_promises_are_at_most_delta(
    table: Tempting, measure: Measure, rule: Rule, epsilon: float, beta: float | None
) -> None:
    seen = key_trials(table, measure, rule, epsilon, beta)
    print(table.name, dict(seen))
    assert seen["asked"] == SEEDS
    assert seen["met"] >= 0.5 * SEEDS  # a program that promises nothing would keep all its promises
    assert seen["broken"] <= allowed(SEEDS)
    assert seen["outside"] <= allowed(SEEDS)


@pytest.mark.parametrize(
    ("table", "measure", "rule", "epsilon", "beta"),
    [case for case in CASES if "one" in case[0].name or "twins" in case[0].name],
)
def test_a_biased_sampler_fails_the_same_test(
    table: Tempting, measure: Measure, rule: Rule, epsilon: float, beta: float | None
) -> None:
    seen = key_trials(table, measure, rule, epsilon, beta, biased=True, seeds=300)
    print(table.name, dict(seen))
    assert seen["broken"] > allowed(300)
