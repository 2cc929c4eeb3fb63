"""What-if answers on samples that are small enough to check."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.engine.closeness import closeness
from streamqid.engine.documents import VerdictState
from streamqid.engine.questions import AskMask, Limit, PublishedSet, Quantity
from streamqid.engine.whatif import Basis
from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Measure
from streamqid.problems.check import check
from streamqid.problems.masking import masking
from tests.unit.sampling.plain import evidence_of, names

if TYPE_CHECKING:
    from collections.abc import Sequence

HALF, THIRD, NUMBER = names(3)
ROWS = [(i % 2, i % 3, i) for i in range(300)]
LIMITS = (
    Limit(Quantity.SEPARATION, 0.9),
    Limit(Quantity.DISTINCT, 0.5),
    Limit(Quantity.UNIQUE_ROWS, 0.1),
    Limit(Quantity.SMALL_GROUPS, 0.1, k=5),
    Limit(Quantity.SMALLEST_GROUP, 50),
)
ALL = PublishedSet("all", (HALF,), LIMITS, delta=0.05)
GROUPS = PublishedSet("groups", (HALF,), LIMITS[3:])


def basis(rows: Sequence[tuple[int, ...]], capacity: int = 1_000, ask: AskMask | None = None) -> Basis:
    evidence = evidence_of(rows, capacity=capacity, columns=3)
    return Basis("id", "people", "all", len(rows), None, evidence, ask or AskMask(beta=0.8), (ALL, GROUPS))


def test_every_limit_is_judged_exactly_on_a_whole_table() -> None:
    answer = basis(ROWS).what_if([HALF, THIRD], "all")
    assert [(one.quantity, one.state) for one in answer.findings] == [(one.quantity, "safe") for one in LIMITS]
    assert answer.state is VerdictState.SAFE
    found = {one.quantity: one.estimate.estimate for one in answer.findings if one.estimate is not None}
    assert found[Quantity.SEPARATION] == pytest.approx(1 - 6 * 50 * 49 / (300 * 299))
    assert found[Quantity.DISTINCT] == pytest.approx(6 / 300)
    assert (found[Quantity.UNIQUE_ROWS], found[Quantity.SMALL_GROUPS], found[Quantity.SMALLEST_GROUP]) == (0, 0, 50)
    assert "exact" in answer.sentence
    unsafe = basis(ROWS).what_if([NUMBER], "all")
    assert {one.state for one in unsafe.findings} == {VerdictState.UNSAFE}


@pytest.mark.parametrize("capacity", [1_000, 400])
def test_closeness_is_measured_as_in_a_window(capacity: int) -> None:
    # The first of ten groups has one value of HALF only: half of the rows of all others have it.
    rows = [(i // 10 % 2 if i % 10 else 0, i % 10, i) for i in range(800)]
    limits = (Limit(Quantity.CLOSENESS, 0.05, sensitive=HALF, t=0.3), Limit(Quantity.SEPARATION, 0.99))
    published = PublishedSet("close", (THIRD, HALF), limits, delta=0.1)
    evidence = evidence_of(rows, capacity=capacity, columns=3)
    here = Basis("id", "people", "all", len(rows), None, evidence, AskMask(), (published,))
    answer = here.what_if([THIRD, HALF], "close")
    assert answer.findings[0].estimate == closeness(evidence, [THIRD, HALF], limits[0], 0.05)
    if evidence.whole:
        assert answer.findings[0].estimate == Estimate.exact(0.1)
        assert answer.state is VerdictState.UNSAFE
    assert here.what_if([THIRD], "close").findings[0].estimate == answer.findings[0].estimate
    assert here.what_if([HALF], "close").findings[0].state is VerdictState.SAFE, "all rows are one group"
    gone = Basis("id", "people", "all", len(rows), None, evidence.select([THIRD]), AskMask(), (published,))
    assert gone.what_if([THIRD], "close").state is VerdictState.UNKNOWN


def test_a_sample_shares_delta_among_the_limits_and_says_what_it_cannot_tell() -> None:
    here = basis([(i % 2, i % 3, i) for i in range(3_000)], 600)
    answer = here.what_if([HALF, THIRD], "all")
    assert answer.check == check(here.evidence, [HALF, THIRD], 0.01)
    assert answer.delta == 0.05
    states = {one.quantity: one.state for one in answer.findings}
    assert states[Quantity.SEPARATION] is VerdictState.SAFE
    assert states[Quantity.SMALL_GROUPS] is VerdictState.SAFE
    assert states[Quantity.SMALLEST_GROUP] is VerdictState.UNKNOWN
    assert answer.state is VerdictState.UNKNOWN
    assert "nothing is known about the smallest group" in answer.sentence


def test_without_a_published_set_the_limit_of_the_masking_counts() -> None:
    answer = basis(ROWS, ask=AskMask(Measure.DISTINCT, beta=0.01, delta=0.2)).what_if([HALF, THIRD])
    assert [(one.quantity, one.limit, one.state) for one in answer.findings] == [("distinct", 0.01, "unsafe")]
    assert (answer.like, answer.rule) == (None, "one set")
    assert "not for the best of many" in answer.conditions


@pytest.mark.parametrize(("rows", "measured"), [(0, False), (1, False), (5, True), (14, True)])
def test_too_few_rows_are_unknown(rows: int, measured: bool) -> None:
    answer = basis(ROWS[:rows]).what_if([HALF])
    assert (answer.state, answer.findings) == (VerdictState.UNKNOWN, [])
    assert (answer.check is not None) == measured
    assert "100 pairs" in answer.sentence
    assert (basis(ROWS[:rows]).safe_set([HALF]).answer is not None) == measured
    assert len(basis(ROWS[:rows]).columns().columns) == (3 if rows else 0)


def test_the_safe_set_is_the_masking_with_these_columns() -> None:
    ask = AskMask(beta=0.6, must_hide=(HALF, THIRD))
    here = basis(ROWS, ask=ask)
    found = here.safe_set([HALF])
    kept = AskMask(beta=0.6, must_publish=(HALF,), must_hide=(THIRD,))
    assert found.answer == masking(here.evidence, kept.on(here.evidence.columns))
    assert found.answer is not None
    assert found.answer.publish == [HALF]
    liked = here.safe_set([], "all").answer
    assert liked is not None
    assert here.safe_set([], "all").other_limits == [limit.measure for limit in LIMITS[1:]], "a masking keeps one limit"
    assert here.safe_set([], "groups").other_limits == ["small_groups_below_5", "smallest_group"]
    assert found.other_limits == []
    assert (liked.beta, liked.delta, liked.measure) == (0.9, 0.05, "separation")
    other = here.safe_set([], "groups").answer
    assert other is not None
    assert other.beta == 0.6, "a masking cannot keep limits of groups"


def test_no_column_at_all_separates_nothing() -> None:
    answer = basis(ROWS).what_if([])
    assert answer.state is VerdictState.SAFE
    assert answer.check is not None
    assert answer.check.separation.estimate == 0.0
