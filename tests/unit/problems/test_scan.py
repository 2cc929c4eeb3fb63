"""The overview: every column's risk, and advice that follows from the answers inside."""

from __future__ import annotations

import pytest

from streamqid.problems.answer import Measure, Rule, ScanAnswer
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.scan import scan
from tests.unit.sampling.plain import PEOPLE, distinct_by_count, evidence_of, separation_by_pairs

MIXED = [(i, i % 2, 5, i % 10) for i in range(400)]


def ask(rows: list[tuple[object, ...]], capacity: int, beta: float = 0.6) -> ScanAnswer:
    weights = [1.0] * len(rows[0])
    key = KeyQuestion(Measure.SEPARATION, 0.1, 0.05, Rule.CERTIFIED, weights)
    mask = MaskQuestion(Measure.SEPARATION, beta, 0.05, Rule.CERTIFIED, weights)
    return scan(evidence_of(rows, 0, capacity), key, mask)


def test_risks_of_the_papers_table_1_are_exact_and_add_up_to_one() -> None:
    answer = ask(list(PEOPLE), 100)
    risks = {risk.column: risk for risk in answer.columns}
    assert answer.exact
    for j, name in enumerate(sorted(risks)):
        assert risks[name].separation.estimate == pytest.approx(separation_by_pairs(PEOPLE, [j]))
        assert risks[name].distinct.estimate == pytest.approx(distinct_by_count(PEOPLE, [j]))
        assert risks[name].risk.confidence == 1.0
    assert sum(risk.risk.estimate for risk in answer.columns) == pytest.approx(1.0)
    assert [risk.column for risk in answer.columns] == ["c0000", "c0001", "c0002"]
    # Two of ten pairs stay together by age: 2.32 of 4.32 bits, half a pair standing for none.
    assert risks["c0000"].risk.estimate == pytest.approx(2.3219 / 4.3219, abs=1e-3)


def test_risks_from_a_sample_have_bounds_except_the_share() -> None:
    answer = ask(list(MIXED), 150)
    assert (answer.exact, answer.sample, answer.rows) == (False, 150, 400)
    for risk in answer.columns:
        assert risk.separation.lower is not None
        assert risk.separation.lower <= risk.separation.estimate
        assert (risk.risk.lower, risk.risk.upper, risk.risk.confidence) == (None, None, 0.0)
    assert sum(risk.risk.estimate for risk in answer.columns) == pytest.approx(1.0)
    assert answer.columns[0].column == "c0000"


@pytest.mark.parametrize("capacity", [350, 1000])
def test_advice_names_identifiers_and_what_can_be_published(capacity: int) -> None:
    answer = ask(list(MIXED), capacity)
    assert answer.advice[0].startswith("c0000 is nearly unique by itself")
    assert "of 4 columns can be published within" in answer.advice[-1]
    assert answer.key.columns == ["c0000"]
    assert set(answer.mask.publish) >= {"c0001", "c0002"}
    assert answer.key.guarantee in answer.guarantee
    assert answer.mask.guarantee in answer.guarantee


@pytest.mark.parametrize("capacity", [350, 1000])
def test_advice_names_a_key_of_several_columns(capacity: int) -> None:
    rows: list[tuple[object, ...]] = [(i % 4, i // 4 % 4, i % 3) for i in range(400)]
    answer = ask(rows, capacity)
    assert len(answer.key.columns) > 1
    assert any(line.startswith(f"Do not publish {{{', '.join(answer.key.columns)}}}") for line in answer.advice)
    assert not any("nearly unique" in line for line in answer.advice)


def test_no_advice_where_nothing_is_identified_or_published() -> None:
    assert not any("Do not publish" in line for line in ask([(1, 1)] * 6, 100).advice)
    nothing = ask([(i % 2,) for i in range(6)], 100, beta=0.1)
    assert not any("can be published" in line for line in nothing.advice)


@pytest.mark.parametrize("rows", [[(1, 1)] * 6, [(1, 1)]])
def test_columns_that_tell_nothing_apart_have_no_share_of_risk(rows: list[tuple[object, ...]]) -> None:
    """Of one row the columns tell nothing apart either."""
    assert [risk.risk.estimate for risk in ask(rows, 100).columns] == [0.0, 0.0]
