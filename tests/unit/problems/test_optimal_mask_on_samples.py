"""The heaviest masking that a sample proves, against all column sets; articulation points on a sample."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.measures.bounds import drawn_share_bound, log_subsets, share_bound
from streamqid.measures.partition import table_of
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.articulation_on_samples import articulation_on_samples
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.optimal_mask_on_samples import optimal_mask_on_samples
from streamqid.sampling.secret import Secret
from tests.unit.engine.windows import window

if TYPE_CHECKING:
    from streamqid.sampling.pairs import Evidence

ROWS, SIZES = 20_000, (2, 3, 4, 6, 30, 400)
RNG = np.random.default_rng(3)
CODES = {f"c{j}": RNG.integers(size, size=ROWS) for j, size in enumerate(SIZES)}
WEIGHTS = (1.0, 2.0, 1.0, 3.0, 1.5, 1.0)


def heaviest(evidence: Evidence, question: MaskQuestion) -> float:
    """Try all sets that hold what must be published and nothing that must be hidden."""
    m, level = len(evidence.columns), -log_subsets(len(evidence.columns), question.delta)
    pairs = evidence.pairs(len(evidence.a))
    table = table_of(evidence.columns, evidence.a.fingerprints)
    best = 0.0
    for size in range(m + 1):
        for chosen in itertools.combinations(range(m), size):
            if set(question.must_hide) & set(chosen) or not set(question.must_publish) <= set(chosen):
                continue
            if question.measure is Measure.SEPARATION:
                upper = share_bound(int(pairs[list(chosen)].any(axis=0).sum()), pairs.shape[1], level, "upper")
            else:
                upper = drawn_share_bound(table.partition(chosen).groups, table.n, level)
            if upper <= question.beta:
                best = max(best, sum(question.weights[j] for j in chosen))
    return best


@pytest.mark.parametrize("measure", list(Measure))
@pytest.mark.parametrize("beta", [0.3, 0.7, 0.9])
@pytest.mark.parametrize(("publish", "hide"), [((), ()), ((0,), (3,))])
def test_no_set_that_the_sample_proves_is_heavier(
    measure: Measure, beta: float, publish: tuple[int, ...], hide: tuple[int, ...]
) -> None:
    question = MaskQuestion(measure, beta, 0.05, Rule.PAPER, WEIGHTS, publish, hide)
    for seed in range(5):
        evidence = window(CODES, capacity=300, secret=Secret.from_seed(seed)).evidence
        answer = optimal_mask_on_samples(evidence, question)
        best = heaviest(evidence, question)
        weight = sum(WEIGHTS[evidence.columns.index(name)] for name in answer.publish)
        if answer.met:
            assert weight == pytest.approx(best)
            assert answer.optimality.optimal
            assert answer.optimality.weight == pytest.approx(weight)
            assert answer.optimality.greedy_weight <= weight + 1e-9
        else:
            assert best == 0.0
            assert [evidence.columns.index(name) for name in answer.publish] == list(publish)
        assert {*answer.publish} | {*answer.hide} == set(evidence.columns)
        assert (answer.rule, answer.delta, answer.exact) == (Rule.PAPER, 0.05, False)


def test_a_sample_too_small_for_any_promise_publishes_nothing() -> None:
    evidence = window(CODES, capacity=5).evidence
    question = MaskQuestion(Measure.SEPARATION, 0.3, 0.05, Rule.PAPER, WEIGHTS)
    answer = optimal_mask_on_samples(evidence, question)
    assert answer.publish == []
    assert "No column is certain to stay within 30 %" in answer.guarantee


def test_a_whole_table_is_exact() -> None:
    question = MaskQuestion(Measure.SEPARATION, 0.7, 0.05, Rule.PAPER, WEIGHTS)
    answer = optimal_mask_on_samples(window({k: v[:100] for k, v in CODES.items()}).evidence, question)
    assert (answer.exact, answer.rule) == (True, None)


RELATED = {"id": np.arange(ROWS) % 900, "zip": np.arange(ROWS) % 900 // 9, "ill": np.arange(ROWS) % 900 // 90}


def test_derived_relations_are_of_the_sample_only() -> None:
    sampled = articulation_on_samples(window(RELATED, capacity=500).evidence, ["id"], ["ill"])
    assert (sampled.holds, sampled.exact) == ("of the sample only", False)
    assert "(of the sample only)" in sampled.guarantee
    few = {name: column[:1800] for name, column in RELATED.items()}
    assert articulation_on_samples(window(few).evidence, ["id"], ["ill"]).holds == "of every row"


def test_declared_relations_need_no_rows() -> None:
    evidence = window({"id": RELATED["id"], "ill": RELATED["ill"]}, capacity=500).evidence
    answer = articulation_on_samples(evidence, ["id"], ["ill"], [("id", "town"), ("town", "ill")])
    assert (answer.quasi, answer.holds) == (["town"], "of the declared relations")
    assert answer.guarantee.startswith("{town} stands between")
    assert "No path" in articulation_on_samples(evidence, ["id"], ["ill"], [("id", "town")]).guarantee
    direct = articulation_on_samples(evidence, ["id"], ["ill"], [("id", "ill")])
    assert direct.guarantee.startswith("No column stands")
    missing = articulation_on_samples(evidence, ["nobody"], ["ill"])
    assert (missing.graph, missing.guarantee) == (None, "Unknown: no identifier, or no sensitive column, was seen yet.")
