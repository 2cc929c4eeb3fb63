"""The library's exact optima and quasi-identifiers: how tables are read, and what is refused."""

from __future__ import annotations

import pytest

import streamqid
from streamqid import UsageError

PEOPLE = [
    {"age": 20, "sex": "F", "state": "CA"},
    {"age": 30, "sex": "F", "state": "CA"},
    {"age": 40, "sex": "F", "state": "TX"},
    {"age": 20, "sex": "M", "state": "NY"},
    {"age": 40, "sex": "M", "state": "CA"},
]
"""Motwani and Xu, Table 1."""
MANY = [{"a": i % 60, "b": i // 60, "c": i % 2} for i in range(3600)]


def test_table_1_has_a_minimum_key_of_two_columns() -> None:
    answer = streamqid.optimal_keys(PEOPLE, epsilon=0.0, seed=3)
    assert set(answer.columns) in ({"age", "sex"}, {"age", "state"})
    assert (answer.separation.estimate, answer.distinct.estimate, answer.seed) == (1.0, 1.0, 3)
    heavy = streamqid.optimal_keys(PEOPLE, epsilon=0.0, weights={"sex": 2.0})
    assert heavy.columns == ["age", "state"]


def test_table_1_has_a_minimum_beta_separation_set() -> None:
    answer = streamqid.optimal_keys(PEOPLE, beta=0.9)
    assert (len(answer.columns), answer.problem, answer.epsilon) == (2, "optimal beta-separation set", 0.0)
    assert streamqid.optimal_keys(PEOPLE, beta=0.8).columns == ["age"]


def test_table_1_the_optimal_masking_for_distinct_is_sex_and_state() -> None:
    answer = streamqid.optimal_mask(PEOPLE, measure="distinct", beta=0.8)
    assert (answer.publish, answer.hide, answer.met) == (["sex", "state"], ["age"], True)


def test_columns_that_must_be_published_may_exceed_beta() -> None:
    answer = streamqid.optimal_mask(PEOPLE, beta=0.7, must_publish=["age"], must_hide=["sex"])
    assert (answer.publish, answer.met) == (["age"], False)
    assert answer.guarantee.startswith("Even the columns that must be published exceed 70 %")
    assert "optimum" not in answer.guarantee


def test_a_row_alone() -> None:
    assert streamqid.optimal_keys(PEOPLE[:1]).columns == []
    assert streamqid.optimal_mask(PEOPLE[:1]).publish == []


def test_samples_are_used_when_asked_for() -> None:
    verdict = streamqid.anonymity_test(MANY, ["a", "b"], k=2, sample=1500, seed=1)
    assert (verdict.qid, verdict.exact, verdict.sample) == (True, False, 1500)
    assert streamqid.minimum_qid(MANY, k=2, sample=1500, seed=1).columns == ["a", "b"]
    assert streamqid.minimal_qid(MANY, k=2, sample=1500, seed=1, drop=["c"]).columns == ["a", "b"]


def test_the_order_of_dropping_decides() -> None:
    rows = [{"a": i, "b": i, "c": i} for i in range(4)]
    assert streamqid.minimal_qid(rows).columns == ["a"]
    assert streamqid.minimal_qid(rows, drop=["a", "b"]).columns == ["c"]
    assert streamqid.minimal_qid(rows, drop=["a"]).columns == ["b"]


def test_the_optimum_on_tuples_keeps_the_promise_of_the_rule() -> None:
    answer = streamqid.optimal_keys(MANY, epsilon=0.05, rule="tuples", seed=1)
    assert (answer.columns, answer.exact, answer.met, answer.delta) == (["a", "b"], False, True, 0.01)
    assert (answer.separation.lower or 0.0) >= 0.95
    assert (answer.sample_unit, answer.optimality.optimal) == ("tuples", True)
    assert "Among the sets that separate the sample: it is an optimum" in answer.guarantee


def test_the_optimum_on_a_sample_that_holds_the_table_is_exact() -> None:
    answer = streamqid.optimal_keys(PEOPLE, epsilon=0.001, rule="tuples")
    assert (len(answer.columns), answer.exact) == (2, True)


def test_columns_that_come_late_are_refused_by_the_rule_tuples() -> None:
    rows = [{"a": i} for i in range(2000)] + [{"a": i, "b": 1} for i in range(2000)]
    with pytest.raises(UsageError, match="must know the columns beforehand"):
        streamqid.optimal_keys(rows, epsilon=0.01, rule="tuples", seed=1)


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: streamqid.optimal_keys(PEOPLE, measure="size"), "The measure is one of separation, distinct, not"),
        (lambda: streamqid.minimum_qid(PEOPLE, exposes="none"), "The choice of exposes is one of some, every, not"),
        (lambda: streamqid.minimum_qid(PEOPLE, time_limit=float("inf")), "positive number of seconds, not inf"),
        (lambda: streamqid.optimal_keys(PEOPLE, time_limit="5"), "positive number of seconds"),  # type: ignore[arg-type]
        (lambda: streamqid.anonymity_test(PEOPLE, "age"), "columns takes a list of names"),
        (lambda: streamqid.anonymity_test(PEOPLE, ["agee"]), "'age'"),
        (lambda: streamqid.minimal_qid(PEOPLE, drop=["agee"], sample=3), "'age'"),
        (lambda: streamqid.minimum_qid(PEOPLE, k=2.5), "k must be a whole number"),  # type: ignore[arg-type]
        (lambda: streamqid.minimal_qid(PEOPLE, sample=0), "number of sampled rows must be at least 1, not 0"),
        (lambda: streamqid.optimal_keys(PEOPLE, rule="paper"), "leave out the rule 'paper'"),
        (lambda: streamqid.optimal_keys(PEOPLE, memory=8), "does not fit into 8 bytes"),
    ],
)
def test_mistakes(ask: object, sentence: str) -> None:
    assert callable(ask)
    with pytest.raises(UsageError, match=sentence):
        ask()


def test_fewer_rows_than_k_are_exposed_by_the_empty_column_set() -> None:
    minimal, minimum = (find(PEOPLE, k=6) for find in (streamqid.minimal_qid, streamqid.minimum_qid))
    assert minimal.columns == minimum.columns == []
    assert minimal.guarantee.startswith("The empty column set is a quasi-identifier: 100 % of the rows")
    assert minimal.guarantee.endswith("Whatever is published, there are too few rows.")
    assert streamqid.minimal_qid(PEOPLE, k=5).anonymous is False
