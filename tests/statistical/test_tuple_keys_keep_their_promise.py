"""Hildebrant et al. 2022: tuples with all their pairs reject bad sets, over 1,000 seeds (false alarm of each: 1e-6).

Each bad set may escape with probability δ/2^m.  Control: with a sixth of the tuples it escapes far more often.
"""

from __future__ import annotations

import pytest

from streamqid.measures.bounds import tuple_key_tuples
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.minimum_key import minimum_key
from streamqid.sampling.capacity import Capacity
from tests.statistical.promises import DELTA, EDGE, SEEDS, allowed, chosen, evidence, key_trials
from tests.statistical.tables import Tempting, equal_groups, many_alike, merged_duplicates, one_large_group

EPSILON = 0.05
BORDER = [one_large_group(50, 216), one_large_group(675, 3000), equal_groups(19, 26)]
"""Tables whose first column leaves just more than the share ε of the pairs together; it is the first to be chosen."""
IDS = [table.name for table in BORDER]


def escapes(table: Tempting, tuples: int) -> int:
    """Count the seeds under which a set that leaves more than ε together was not rejected, whatever was promised."""
    m = table.codes.shape[1]
    question = KeyQuestion(Measure.SEPARATION, EPSILON, DELTA, Rule.TUPLES, [1.0] * m)
    answers = (minimum_key(found, question) for found in evidence(table, Capacity(tuples), SEEDS, biased=False))
    return sum(table.separation(chosen(answer)) < 1 - EPSILON - EDGE for answer in answers)


@pytest.mark.parametrize("table", BORDER, ids=IDS)
def test_a_bad_set_escapes_with_probability_at_most_its_part_of_delta(table: Tempting) -> None:
    m = table.codes.shape[1]
    assert table.separation([0]) < 1 - EPSILON
    assert escapes(table, tuple_key_tuples(m, EPSILON, DELTA)) <= allowed(SEEDS, DELTA / 2**m)


@pytest.mark.parametrize("table", BORDER, ids=IDS)
def test_too_few_tuples_fail_the_same_test(table: Tempting) -> None:
    m = table.codes.shape[1]
    assert escapes(table, tuple_key_tuples(m, EPSILON, DELTA) // 6) > allowed(SEEDS, DELTA / 2**m)


@pytest.mark.parametrize("table", [one_large_group(110, 490), many_alike(20, 110, 490)])
def test_broken_promises_are_at_most_delta(table: Tempting) -> None:
    seen = key_trials(table, Measure.SEPARATION, Rule.TUPLES, EPSILON)
    assert seen["met"] >= 0.5 * SEEDS
    assert seen["broken"] <= allowed(SEEDS)
    assert seen["outside"] <= allowed(SEEDS)


def test_intervals_hold_where_rows_repeat() -> None:
    seen = key_trials(merged_duplicates(14, 5, 15), Measure.SEPARATION, Rule.TUPLES, EPSILON)
    assert seen["asked"] == SEEDS
    assert seen["outside"] <= allowed(SEEDS)
