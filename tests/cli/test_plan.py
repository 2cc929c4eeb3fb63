"""The plan's numbers against the formulas, computed by hand."""

from __future__ import annotations

import math

import pytest

from streamqid import UsageError, plan
from streamqid.measures.bounds import masking_threshold
from streamqid.problems.answer import Measure, PlannedSample, Rule


def planned(problem: str, measure: Measure, rule: Rule, samples: list[PlannedSample]) -> PlannedSample:
    (found,) = [s for s in samples if (s.problem, s.measure, s.rule) == (problem, measure, rule)]
    return found


@pytest.mark.parametrize(("columns", "pairs"), [(14, 14303), (54, 42015), (1, 5296)])
def test_pairs_of_the_separation_key(columns: int, pairs: int) -> None:
    assert pairs == math.ceil(math.log(2**columns / 0.01) / -math.log(1 - 0.001))
    sample = planned("minimum key", Measure.SEPARATION, Rule.PAPER, plan(columns).samples)
    assert (sample.size, sample.unit) == (pairs, "pairs")


def test_tuples_of_the_separation_key_by_all_their_pairs() -> None:
    sample = planned("minimum key", Measure.SEPARATION, Rule.TUPLES, plan(14).samples)
    assert (sample.size, sample.unit) == (584, "tuples")
    t = (math.sqrt(1 + 4 * 0.001 * 584 * 583) - 1) / 2
    assert 2 * 2**14 * (1 + t) * math.exp(-t) <= 0.01
    assert [s.problem for s in plan(14, 1000, beta=0.8).samples if s.rule is Rule.TUPLES] == ["minimum key"]


def test_tuples_of_the_distinct_key() -> None:
    by_hand = math.ceil(math.sqrt(2 * 0.9 / 0.1 * 32561 * math.log(2**14 / 0.01)))
    sample = planned("minimum key", Measure.DISTINCT, Rule.PAPER, plan(14, 32561, epsilon=0.1).samples)
    assert sample.size == by_hand == 2896
    unknown = planned("minimum key", Measure.DISTINCT, Rule.PAPER, plan(14, epsilon=0.1).samples)
    assert (unknown.size, unknown.rows_kept, unknown.bytes) == (None, None, None)


def test_pairs_of_the_beta_separation_set() -> None:
    samples = plan(14, epsilon=0.1, beta=0.8).samples
    paper = planned("minimum beta-separation set", Measure.SEPARATION, Rule.PAPER, samples)
    certified = planned("minimum beta-separation set", Measure.SEPARATION, Rule.CERTIFIED, samples)
    assert paper.size == math.ceil(16 / (0.8 * 0.01) * math.log(2**14 / 0.01))
    assert certified.size == math.ceil(16 / (0.8 * 0.01) * math.log(1 / 0.01))


@pytest.mark.parametrize("measure", list(Measure))
def test_a_planned_masking_reaches_95_percent_of_beta(measure: Measure) -> None:
    size = planned("masking", measure, Rule.PAPER, plan(20, beta=0.8).samples).size
    assert size is not None
    assert masking_threshold(20, 0.8, 0.01, size) >= 0.95 * 0.8 > masking_threshold(20, 0.8, 0.01, size - 1)


def test_the_certified_rule_does_not_depend_on_the_columns() -> None:
    few, many = (plan(columns, 10**6, beta=0.8).samples for columns in (3, 300))
    certified = [(a.size, b.size) for a, b in zip(few, many, strict=True) if a.rule is Rule.CERTIFIED]
    assert len(certified) == 5
    assert all(a == b for a, b in certified)


def test_rows_and_bytes() -> None:
    for sample in plan(14, 10**9, beta=0.8).samples:
        assert sample.size is not None
        assert sample.rows_kept is not None
        rows = sample.size * (2 if (sample.unit, sample.rule) == ("pairs", Rule.CERTIFIED) else 1)
        more = 1.0
        if sample.rule is Rule.PAPER and sample.problem != "masking":
            more = 1.04 if sample.unit == "tuples" else 1.24  # see kept_root and table_capacity
        assert 2 * rows < sample.rows_kept < 2 * (more * rows + 8 * math.sqrt(rows) + 100)
        assert sample.bytes == sample.rows_kept * (25 + 8 * 14)
    assert {sample.rows_kept for sample in plan(14, 100).samples} == {200}


@pytest.mark.parametrize("wrong", [{"columns": 0}, {"columns": 3, "rows": 0}, {"columns": 3, "delta": 0.0}])
def test_ranges(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        plan(**wrong)  # type: ignore[arg-type]
