"""Costs, distances and optima of the paper's tables."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from streamqid.anonymize import matching, program, subsets
from streamqid.anonymize.choosing import solve
from streamqid.anonymize.grouping import grouping
from streamqid.anonymize.requirements import KAnonymity, Requirement, TCloseness, TwoDiversity
from streamqid.anonymize.verify import audit
from tests.unit.anonymize import brute
from tests.unit.anonymize.papers import DISEASE, QUASI, TABLE_2, TABLE_3, TABLE_5, labels_of, microdata

ALONE, WITH_DISEASE = microdata(QUASI), microdata(QUASI, DISEASE)
WHOLE = np.bincount(WITH_DISEASE.sensitive)
OPTIMA: list[tuple[Requirement, int]] = [
    (KAnonymity(2), 46),
    (KAnonymity(3), 54),
    (TwoDiversity(), 50),
    (TCloseness(0.3, "equal", WHOLE), 52),
    (TCloseness(0.1, "equal", WHOLE), 64),
]


@pytest.mark.parametrize(
    ("partition", "costs", "total"),
    [(TABLE_2, [15, 24, 15], 54), (TABLE_3, [10, 28, 10, 12], 60), (TABLE_5, [21, 28, 18], 67)],
)
def test_what_a_partition_costs(partition: list[tuple[int, ...]], costs: list[int], total: int) -> None:
    found = grouping(ALONE, labels_of(partition))
    assert (found.sizes * found.suppressed.sum(axis=1)).tolist() == costs
    assert found.cost == found.mask().sum() == total
    assert [brute.cost_of([QUASI[i - 1] for i in group]) for group in partition] == costs


@pytest.mark.parametrize(
    ("partition", "smallest", "most_frequent", "farthest"),
    [(TABLE_2, 3, 1, "3/5"), (TABLE_3, 2, "1/2", "2/5"), (TABLE_5, 3, "1/2", "1/10")],
)
def test_what_a_partition_keeps(
    partition: list[tuple[int, ...]], smallest: int, most_frequent: int | str, farthest: str
) -> None:
    found = audit(labels_of(partition).tolist(), DISEASE)
    assert (found.smallest, found.most_frequent, found.farthest) == (
        smallest,
        Fraction(most_frequent),
        Fraction(farthest),
    )


def test_limits_are_met_exactly_and_no_more() -> None:
    by_partition = audit(labels_of(TABLE_5).tolist(), DISEASE)
    assert by_partition.keeps(t=0.1)
    assert not by_partition.keeps(t=0.0999)
    assert audit(labels_of(TABLE_3).tolist(), DISEASE).keeps(l=2)
    assert not audit(labels_of(TABLE_2).tolist(), DISEASE).keeps(l=2)
    assert audit(labels_of(TABLE_2).tolist(), DISEASE).keeps(k=3)
    assert not audit(labels_of(TABLE_2).tolist(), DISEASE).keeps(k=4)


def test_a_reader_sees_the_first_two_groups_of_table_5_as_one() -> None:
    mask = grouping(ALONE, labels_of(TABLE_5)).mask()
    rows = [
        tuple("*" if hide else cell for hide, cell in zip(*row, strict=True)) for row in zip(mask, QUASI, strict=True)
    ]
    seen = audit(rows, DISEASE)
    assert (seen.classes, seen.farthest) == (2, Fraction(1, 15))


@pytest.mark.parametrize(("requirement", "cost"), OPTIMA)
def test_every_exact_solver_finds_the_optimum(requirement: Requirement, cost: int) -> None:
    data = ALONE if isinstance(requirement, KAnonymity) else WITH_DISEASE
    exact = subsets.optimum(data, requirement)
    assert exact is not None
    assert exact.cost == cost
    outcome = program.solve(data, requirement, 60.0)
    assert outcome is not None
    assert outcome.grouping is not None
    assert (outcome.grouping.cost, outcome.bound) == (cost, cost)
    chosen = solve(data, requirement, 60.0)
    assert (chosen.grouping.cost, chosen.bound, chosen.optimal) == (cost, cost, True)


def test_the_matching_finds_the_optimum() -> None:
    groups = [np.array(group) - 1 for group in ((1, 2), (3, 4), (5, 8), (6, 9), (7, 10))]
    outcome = matching.Matching(WITH_DISEASE, groups, 60.0).solve()
    assert outcome.grouping is not None
    assert (outcome.grouping.cost, outcome.bound) == (50, 50)
