"""Intervals of ``check``: over 1,000 seeds each holds the truth but for a share δ (false alarm of each: 1e-6).

Control: a sampler that loses some records by their values leaves the truth outside.
"""

from __future__ import annotations

from collections import Counter

import pytest

from streamqid.problems.check import check
from streamqid.sampling.capacity import Capacity
from tests.statistical.promises import DELTA, SEEDS, allowed, evidence, outside
from tests.statistical.tables import (
    Tempting,
    equal_groups,
    merged_duplicates,
    one_large_group,
    singles_and_a_crowd,
    twins,
    two_halves,
)
from tests.unit.sampling.plain import names

CASES = [
    (two_halves(60), 1, 40),
    (equal_groups(18, 13), 0, 150),
    (one_large_group(50, 216), 0, 100),
    (merged_duplicates(14, 5, 15), 0, 100),
    (singles_and_a_crowd(150, 300), 1, 200),
    (twins(53, 260), 0, 150),
]
NAMES = [table.name for table, _, _ in CASES]


def trials(table: Tempting, column: int, sample: int, seeds: int, *, biased: bool) -> Counter[str]:
    """Count the intervals that do not hold the truth: of the measures, and of what another column would add."""
    other = 1 - column
    gain = table.separation([0, 1]) - table.separation([column])
    seen: Counter[str] = Counter()
    for found in evidence(table, Capacity(sample), seeds, biased=biased):
        answer = check(found, [names(2)[column]], DELTA)
        seen["separation"] += outside(answer.separation, table.separation([column]))
        seen["distinct"] += outside(answer.distinct, table.distinct([column]))
        seen["unique"] += outside(answer.unique_rows, table.unique([column]))
        seen["contribution"] += outside(answer.contributions[other].change, gain)
    return seen


@pytest.mark.parametrize(("table", "column", "sample"), CASES, ids=NAMES)
def test_each_interval_holds_the_truth_but_for_delta(table: Tempting, column: int, sample: int) -> None:
    seen = trials(table, column, sample, SEEDS, biased=False)
    print(table.name, dict(seen))
    for measure in ("separation", "distinct", "unique", "contribution"):
        assert seen[measure] <= allowed(SEEDS), measure


def test_a_biased_sampler_fails_for_every_measure() -> None:
    failed: set[str] = set()
    for table, column, sample in CASES:
        seen = trials(table, column, sample, 100, biased=True)
        failed |= {measure for measure, count in seen.items() if count > allowed(100)}
    assert failed >= {"separation", "distinct", "unique", "contribution"}
