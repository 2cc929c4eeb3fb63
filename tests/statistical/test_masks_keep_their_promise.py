"""Masks: over 1,000 seeds each, at most δ of the promises are broken (false alarm of each assertion: 1e-6).

The second column is always just above β = 0.5, in a table of 1.5 or 3 times the sample.  Controls: a sampler that
loses some of the rarer records publishes it far more often.
"""

from __future__ import annotations

import pytest

from streamqid.problems.answer import Measure, Rule
from tests.statistical.promises import SEEDS, allowed, mask_trials
from tests.statistical.tables import Tempting, singles_and_a_crowd, two_halves

CASES = [
    (two_halves(300), Measure.SEPARATION, Rule.PAPER, 200),
    (two_halves(300), Measure.SEPARATION, Rule.CERTIFIED, 200),
    (two_halves(900), Measure.SEPARATION, Rule.CERTIFIED, 300),
    (singles_and_a_crowd(150, 300), Measure.DISTINCT, Rule.PAPER, 200),
    (singles_and_a_crowd(150, 300), Measure.DISTINCT, Rule.CERTIFIED, 200),
    (singles_and_a_crowd(450, 900), Measure.DISTINCT, Rule.CERTIFIED, 300),
]
NAMES = [f"{measure}-{rule}-{table.name}" for table, measure, rule, _ in CASES]


@pytest.mark.parametrize(("table", "measure", "rule", "sample"), CASES, ids=NAMES)
def test_broken_promises_are_at_most_delta(table: Tempting, measure: Measure, rule: Rule, sample: int) -> None:
    seen = mask_trials(table, measure, rule, 0.5, sample)
    print(table.name, dict(seen))
    assert seen["asked"] == SEEDS
    assert seen["met"] >= 0.5 * SEEDS
    assert seen["broken"] <= allowed(SEEDS)
    assert seen["outside"] <= allowed(SEEDS)


@pytest.mark.parametrize(("table", "measure", "rule", "sample"), CASES, ids=NAMES)
def test_a_biased_sampler_fails_the_same_test(table: Tempting, measure: Measure, rule: Rule, sample: int) -> None:
    seen = mask_trials(table, measure, rule, 0.5, sample, biased=True, seeds=300)
    print(table.name, dict(seen))
    assert seen["broken"] > allowed(300)
