"""What a solver sees: pairs, and columns chosen from it."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.sampling.fingerprint import MISSING, MissingRule
from tests.unit.sampling.plain import evidence_of, names


@pytest.mark.parametrize(("n", "k"), [(2, 1), (2, 2), (3, 2), (5, 4), (5, 5), (30, 7), (40, 40), (1000, 60)])
def test_a_row_is_never_paired_with_itself(n: int, k: int) -> None:
    """In a table of unique rows a pair that no column separates would be a row with itself."""
    rows = [(i,) for i in range(n)]
    for seed in range(30):
        evidence = evidence_of(rows, seed, k)
        assert evidence.pairs(k).all()
        assert evidence.pairs(10 * k).all()
        assert evidence.pairs_inside_b(k // 2).all()


@pytest.mark.parametrize(("n", "k"), [(50, 40), (1000, 66), (10**4, 66)])
def test_as_many_pairs_come_as_the_sample_can_give(n: int, k: int) -> None:
    rows = [(i % 3, i) for i in range(n)]
    for seed in range(20):
        evidence = evidence_of(rows, seed, k)
        assert evidence.pairs(k - 16).shape == (2, k - 16)
        assert k - 16 <= evidence.pairs(k).shape[1] <= k
        assert evidence.pairs_inside_b(k // 2).shape == (2, k // 2)
        assert evidence.pairs(0).shape == evidence.pairs_inside_b(0).shape == (2, 0)


def test_pairs_are_separated_by_the_columns_in_which_they_differ() -> None:
    evidence = evidence_of([(i % 2, 7, i) for i in range(20)], 3, 20)
    for pairs in (evidence.pairs(20), evidence.pairs_inside_b(10)):
        assert 0 < pairs[0].mean() < 1
        assert not pairs[1].any()
        assert pairs[2].all()


def test_pairs_inside_b_do_not_depend_on_a() -> None:
    small, large = (evidence_of([(i % 5,) for i in range(300)], 1, 40) for _ in range(2))
    emptied = type(large)(
        columns=large.columns,
        n=large.n,
        records=large.records,
        a=evidence_of([], 1, 40, columns=1).a,
        b=large.b,
        whole=large.whole,
        missing_differ=large.missing_differ,
        secret=large.secret,
    )
    assert np.array_equal(small.pairs_inside_b(20), emptied.pairs_inside_b(20))
    assert emptied.pairs(20).shape == (1, 0)


@pytest.mark.parametrize(
    ("rule", "separated"), [(MissingRule.VALUE, False), (MissingRule.EQUAL, False), (MissingRule.DISTINCT, True)]
)
def test_two_missing_values_are_separated_only_by_the_rule_distinct(rule: MissingRule, separated: bool) -> None:
    evidence = evidence_of([(None, 1)] * 30, 1, 20, rule)
    for pairs in (evidence.pairs(20), evidence.pairs_inside_b(10)):
        assert pairs.shape[1] >= 10
        assert (pairs[0] == separated).all()
        assert not pairs[1].any()


def test_a_missing_value_differs_from_a_present_one_under_every_rule() -> None:
    for rule in MissingRule:
        pairs = evidence_of([(None, 1), (5, 1)], 1, 2, rule).pairs(2)
        assert pairs.shape[1] == 2
        assert pairs[0].all()


def test_selected_columns_come_in_the_order_asked_for_and_unseen_ones_are_missing() -> None:
    evidence = evidence_of([(i, i % 3) for i in range(9)], 0, 9)
    first, second = names(2)
    chosen = evidence.select([second, "unseen", first])
    assert chosen.columns == (second, "unseen", first)
    for sample, whole in ((chosen.a, evidence.a), (chosen.b, evidence.b)):
        assert np.array_equal(sample.fingerprints[:, [2, 0]], whole.fingerprints)
        assert (sample.fingerprints[:, 1] == MISSING).all()
        assert np.array_equal(sample.identity, whole.identity)
    assert evidence.select([]).a.fingerprints.shape == (9, 0)
    assert (chosen.n, chosen.whole) == (9, True)


def test_a_table_of_one_row_has_no_pair() -> None:
    evidence = evidence_of([(1, 2)])
    assert evidence.pairs(5).shape == evidence.pairs_inside_b(5).shape == (2, 0)


def test_an_empty_table_has_no_pair() -> None:
    evidence = evidence_of([], columns=2)
    assert (len(evidence.a), len(evidence.b), evidence.n, evidence.whole) == (0, 0, 0, True)
    assert evidence.pairs(5).shape == evidence.pairs_inside_b(5).shape == (2, 0)
