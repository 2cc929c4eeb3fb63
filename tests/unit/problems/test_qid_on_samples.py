"""Yuan and Wang on samples: bounds that hold for every small table, verdicts that are never a plain no."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from math import comb

import numpy as np
import pytest

from streamqid.measures.partition import Table
from streamqid.problems.qid_answer import Exposes
from streamqid.problems.qid_on_samples import anonymity_test, exposed_estimate, minimal_qid, minimum_qid
from tests.unit.measures.groups import group_of_rows, partitions
from tests.unit.problems.asking import numbers
from tests.unit.sampling.plain import evidence_of

UNIQUE = [(i % 60, i // 60, i % 2) for i in range(3600)]
"""The first two columns together identify every row."""
PAIRS = [(i // 2 if i < 900 else i,) for i in range(3000)]
"""Three of ten rows have a twin."""


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("n", range(2, 9))
def test_the_interval_fails_with_probability_at_most_delta_for_every_table(n: int, k: int) -> None:
    informative = 0
    for sizes in partitions(n):
        rows, true = group_of_rows(sizes), sum(size for size in sizes if size < k) / n
        for size in range(1, n + 1):
            seen = Counter(tuple(sorted(sample)) for sample in combinations(rows, size))
            for delta in (0.9, 0.5, 0.2):
                failed = 0
                for sample, times in seen.items():
                    here = Table(("c",), np.array([sample], np.int32), (n,)).partition([0])
                    share = exposed_estimate(here, k, n, delta)
                    informative += share.lower is not None
                    assert share.upper is not None
                    failed += times * ((share.lower or 0.0) > true + 1e-12 or share.upper < true - 1e-12)
                assert failed <= delta * comb(n, size), (sizes, size, delta)
    assert informative or n < 4


def test_a_set_without_repeats_is_proven_to_be_a_qid() -> None:
    answer = anonymity_test(evidence_of(UNIQUE, 1, 1500), [0, 1], 2, 0.01)
    assert answer.qid is True
    assert answer.smallest_group is None
    assert not answer.exact
    assert (answer.exposed.lower or 0.0) > 0.9
    assert "is a quasi-identifier: at least" in answer.guarantee


@pytest.mark.parametrize("columns", [[0], [2]])
def test_otherwise_the_verdict_is_unknown_and_never_no(columns: list[int]) -> None:
    answer = anonymity_test(evidence_of(UNIQUE, 1, 1500), columns, 2, 0.01)
    assert (answer.qid, answer.exposed.lower) == (None, None)
    assert answer.exposed.upper is not None
    assert answer.exposed.upper < 0.05
    assert answer.guarantee.startswith("Unknown: the sample cannot tell")


def test_the_same_repeats_prove_more_for_a_larger_k() -> None:
    """A group of ten takes nine repeats, a group of two only one."""
    evidence = evidence_of(PAIRS, 1, 1500)
    two, ten = (anonymity_test(evidence, [0], k, 0.01).exposed.lower or 0.0 for k in (2, 10))
    assert 0.3 < two < 0.7
    assert two < ten < 1.0


def test_the_minimum_and_the_minimal_set_that_the_sample_proves() -> None:
    evidence = evidence_of(UNIQUE, 1, 1500)
    least = minimum_qid(evidence, 2, 0.01, [1.0] * 3)
    assert least.columns is not None
    assert numbers(least.columns) == [0, 1]
    assert least.optimality is not None
    assert least.optimality.optimal
    assert (least.exact, least.anonymous, least.exposes) == (False, False, Exposes.SOME)
    assert "Among the sets that the sample proves: it is an optimum" in least.guarantee
    minimal = minimal_qid(evidence, 2, 0.01)
    assert minimal.columns == least.columns
    assert minimal.guarantee.endswith("No column of it can be left out without losing the proof.")
    assert (minimal.exposed.lower or 0.0) > 0.5
    assert math.isclose(minimal.exposed.confidence, 0.99)


def test_a_sample_that_proves_nothing_says_so() -> None:
    evidence = evidence_of(UNIQUE, 1, 30)
    for answer in (minimum_qid(evidence, 2, 0.01, [1.0] * 3), minimal_qid(evidence, 2, 0.01)):
        assert (answer.columns, answer.anonymous) == (None, None)
        assert answer.guarantee.startswith("Unknown: the sample proves no column set to be a quasi-identifier")


def test_a_sample_that_holds_the_table_is_exact() -> None:
    evidence = evidence_of([(1, 2), (1, 3), (1, 3)], 0, 100)
    assert anonymity_test(evidence, [0], 3, 0.01).qid is False
    assert anonymity_test(evidence, [1], 2, 0.01).qid is True
    for answer in (minimum_qid(evidence, 2, 0.01, [1.0] * 2), minimal_qid(evidence, 2, 0.01)):
        assert answer.exact
        assert numbers(answer.columns or []) == [1]
