"""One published set in one window: where the intervals lie, and what is said about it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from streamqid.engine.documents import VerdictState
from streamqid.engine.judge import find, judge, judged_by, level
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.errors import UsageError
from streamqid.measures.estimate import Estimate
from tests.unit.engine.windows import RULE, even, separation, window

SAFE, AT_RISK, UNSAFE, UNKNOWN = VerdictState.SAFE, VerdictState.AT_RISK, VerdictState.UNSAFE, VerdictState.UNKNOWN


@pytest.mark.parametrize(
    ("limit", "state", "words"),
    [(0.95, SAFE, "at most"), (0.9, AT_RISK, "around the limit of 90 %"), (0.8, UNSAFE, "at least")],
)
def test_the_limit_lies_above_inside_or_below_the_interval(limit: float, state: VerdictState, words: str) -> None:
    verdict = judge(separation(limit, "a", "b"), even(50_000, 10), 1)
    assert (verdict.state, verdict.settled, verdict.number) == (state, state, 1)
    assert words in verdict.sentence
    assert "confidence 99 %" in verdict.sentence
    assert verdict.worst == verdict.findings[0]
    assert verdict.rows == 50_000
    assert (verdict.since, verdict.window) == (0.0, RULE.span(0, 0))


def test_a_whole_window_is_judged_exactly() -> None:
    verdict = judge(separation(0.9, "a"), even(1000, 10), 7)
    (finding,) = verdict.findings
    assert finding.estimate == Estimate.exact(1 - 10 * 100 * 99 / (1000 * 999))
    assert verdict.state == UNSAFE
    assert "every row was counted" in verdict.sentence


def test_later_tests_have_wider_intervals_and_all_of_them_together_cost_delta() -> None:
    published, here = separation(0.9, "a"), even(50_000, 10)
    estimates = [judge(published, here, number).findings[0].estimate for number in (1, 2, 100)]
    widths = [e.upper - e.lower for e in estimates if e and e.upper is not None and e.lower is not None]
    assert widths == sorted(widths)
    assert len(set(widths)) == 3
    assert [e.confidence for e in estimates if e] == [pytest.approx(1 - 0.01 / (j * (j + 1))) for j in (1, 2, 100)]
    assert sum(level(0.01, number) for number in range(1, 10_000)) == pytest.approx(0.01, rel=1e-3)


def test_delta_is_split_over_the_limits() -> None:
    limits = (Limit(Quantity.SEPARATION, 0.95), Limit(Quantity.DISTINCT, 0.5))
    verdict = judge(PublishedSet("p", ("a",), limits), even(50_000, 10), 1)
    assert [f.estimate.confidence for f in verdict.findings if f.estimate] == [pytest.approx(1 - 0.01 / 4)] * 2


def test_a_column_that_is_gone_is_unknown() -> None:
    """Which is seen in the sample: so it is a test, or the sample would choose which window is the first one."""
    verdict = judge(separation(0.9, "a", "zip"), even(1000, 10), 1)
    assert (verdict.state, verdict.findings, verdict.number) == (UNKNOWN, [], 1)
    assert verdict.worst is None
    assert verdict.sentence == "Unknown: column 'zip' does not occur in this window."


@pytest.mark.parametrize("rows", [0, 1, 14])
def test_too_few_pairs_are_unknown(rows: int) -> None:
    verdict = judge(separation(0.9, "a"), even(rows, 10), 1)
    assert (verdict.state, verdict.number) == (UNKNOWN, 1)
    assert f"{rows * (rows - 1) // 2} pairs" in verdict.sentence


def test_fifteen_rows_have_pairs_enough() -> None:
    assert judge(separation(0.9, "a"), even(15, 1), 1).state == SAFE


@pytest.mark.parametrize(("rows", "state"), [(299, VerdictState.UNKNOWN), (300, VerdictState.UNSAFE)])
def test_a_window_of_few_rows_is_unknown_where_the_set_asks_for_more(rows: int, state: VerdictState) -> None:
    published = replace(separation(0.5, "a"), min_rows=300)
    verdict = judge(published, even(rows, 100), 3)
    assert (verdict.state, verdict.number) == (state, 3)
    assert ("the window has 299 rows, a verdict on this set needs 300" in verdict.sentence) is (rows == 299)


def test_a_window_that_the_set_was_chosen_from_is_no_evidence() -> None:
    published = PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, 0.5),), fresh_from=20.0)
    verdict = judge(published, even(1000, 10, pane=1), 1)
    assert (verdict.state, verdict.number) == (UNKNOWN, None)
    assert "chosen" in verdict.sentence
    assert judge(published, even(1000, 10, pane=2), 1).state == UNSAFE


@pytest.mark.parametrize(("lower", "upper"), [(None, 0.99), (0.5, None), (None, None)])
def test_a_side_that_is_not_known_is_no_comfort(lower: float | None, upper: float | None) -> None:
    estimate = Estimate(estimate=0.5, lower=lower, upper=upper, confidence=0.99)
    assert find(Limit(Quantity.SEPARATION, 0.9), estimate).state == AT_RISK


def test_a_limit_that_is_met_exactly_is_safe() -> None:
    assert find(Limit(Quantity.SEPARATION, 0.9), Estimate.exact(0.9)).state == SAFE


@pytest.mark.parametrize(
    ("lower", "upper", "state"), [(5.0, 5.0, SAFE), (4.0, 4.0, UNSAFE), (None, 4.0, UNSAFE), (None, 7.0, AT_RISK)]
)
def test_the_smallest_group_may_be_larger(lower: float | None, upper: float, state: VerdictState) -> None:
    estimate = Estimate(estimate=upper, lower=lower, upper=upper, confidence=1.0)
    assert find(Limit(Quantity.SMALLEST_GROUP, 5), estimate).state == state


def test_the_state_is_the_worst_of_all_limits() -> None:
    limits = tuple(Limit(Quantity.SMALL_GROUPS, 0.5, k) for k in (2, 3, 4, 5))
    published = PublishedSet("p", ("a",), limits)

    def measured(*known: float | None) -> VerdictState:
        values = dict(zip((2, 3, 4, 5), known, strict=True))

        def measure(limit: Limit, _: float) -> Estimate | None:
            value = values[limit.k or 0]
            if value == 0.5:
                return Estimate(estimate=0.5, lower=0.4, upper=0.6, confidence=0.9)
            return None if value is None else Estimate.exact(value)

        return judged_by(published, RULE.span(0, 0), 10, 1, measure).state

    assert measured(0.1, 0.1, 0.1, 0.1) == SAFE
    assert measured(0.1, None, 0.1, 0.1) == UNKNOWN
    assert measured(0.1, None, 0.5, 0.1) == AT_RISK
    assert measured(0.1, None, 0.5, 0.9) == UNSAFE


RARE = np.concatenate([np.arange(60_000) % 1000, 1000 + np.arange(20_000)])
"""A quarter of the rows is unique; the others share their value with 59 others each."""


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize(
    ("quantity", "k", "true"),
    [
        (Quantity.DISTINCT, None, 21_000 / 80_000),
        (Quantity.UNIQUE_ROWS, None, 0.25),
        (Quantity.SMALL_GROUPS, 5, 0.25),
    ],
)
def test_shares_by_counted_groups_and_by_the_sample(
    counted: bool, quantity: Quantity, k: int | None, true: float
) -> None:
    here = window({"a": RARE}, counted=("a",) if counted else (), groups=8000)
    published = PublishedSet("p", ("a",), (Limit(quantity, 0.6 * true, k),))
    verdict = judge(published, here, 1)
    (finding,) = verdict.findings
    assert finding.estimate is not None
    assert finding.estimate.upper is not None
    assert finding.estimate.upper >= true
    if counted:
        assert finding.estimate.lower is not None
        assert 0.6 * true < finding.estimate.lower <= true
        assert verdict.state == UNSAFE
    else:
        assert finding.estimate.lower is None
        assert verdict.state == AT_RISK
    loose = PublishedSet("p", ("a",), (Limit(quantity, 1.0, k),))
    assert judge(loose, here, 1).state == SAFE


@pytest.mark.parametrize(
    ("quantity", "k", "true", "words"),
    [
        (Quantity.DISTINCT, None, 0.28, "different values"),
        (Quantity.UNIQUE_ROWS, None, 0.2, "unique on {a}"),
        (Quantity.SMALL_GROUPS, 10, 0.2, "fewer than 10 rows"),
        (Quantity.SMALLEST_GROUP, None, 1.0, "smallest group of rows that are equal on {a} has 1 row, the limit is 2"),
    ],
)
@pytest.mark.parametrize("counted", [True, False])
def test_small_windows_are_exact(quantity: Quantity, k: int | None, true: float, words: str, counted: bool) -> None:
    codes = np.concatenate([np.repeat(np.arange(80), 10), 100 + np.arange(200)])
    here = window({"a": codes}, counted=("a",) if counted else ())
    limit = 2 if quantity is Quantity.SMALLEST_GROUP else 0.1
    verdict = judge(PublishedSet("p", ("a",), (Limit(quantity, limit, k),)), here, 1)
    assert verdict.findings[0].estimate == Estimate.exact(true)
    assert verdict.state == UNSAFE
    assert words in verdict.sentence


def test_the_smallest_group_is_certain_from_one_side_only() -> None:
    published = PublishedSet("p", ("a",), (Limit(Quantity.SMALLEST_GROUP, 5),))
    counted = judge(published, window({"a": RARE}, counted=("a",), groups=500), 1)
    assert counted.state == UNSAFE
    assert "has 1 row at most, the limit is 5" in counted.sentence
    large = np.arange(80_000) % 2000
    held = judge(published, window({"a": large}, counted=("a",), groups=500), 1)
    assert held.state == AT_RISK
    alone = judge(published, window({"a": RARE}), 1)
    assert alone.state == UNKNOWN
    assert alone.sentence == "Unknown: nothing is known about the smallest group of {a}."


@pytest.mark.parametrize(
    ("columns", "limits", "delta"),
    [
        ((), (Limit(Quantity.SEPARATION, 0.9),), 0.1),
        (("a",), (), 0.1),
        (("a",), (Limit(Quantity.SEPARATION, 0.9),), 1.0),
        (("a",), (Limit(Quantity.SEPARATION, 0.9), Limit(Quantity.SEPARATION, 0.8)), 0.1),
    ],
)
def test_a_published_set_that_cannot_be_is_refused(
    columns: tuple[str, ...], limits: tuple[Limit, ...], delta: float
) -> None:
    with pytest.raises(UsageError, match="published set 'p'"):
        PublishedSet("p", columns, limits, delta)


def test_only_columns_of_the_set_must_be_published() -> None:
    with pytest.raises(UsageError, match="not among its columns"):
        PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, 0.9),), must_publish=("b",))


@pytest.mark.parametrize(
    ("quantity", "value", "k"),
    [
        (Quantity.SEPARATION, 0.0, None),
        (Quantity.DISTINCT, 1.1, None),
        (Quantity.SMALLEST_GROUP, 0, None),
        (Quantity.SMALLEST_GROUP, 2.5, None),
        (Quantity.SMALL_GROUPS, 0.1, None),
        (Quantity.SMALL_GROUPS, 0.1, 1),
        (Quantity.UNIQUE_ROWS, 0.1, 5),
    ],
)
def test_a_limit_that_cannot_be_is_refused(quantity: Quantity, value: float, k: int | None) -> None:
    with pytest.raises(UsageError):
        Limit(quantity, value, k)


def test_only_separation_needs_no_counted_groups() -> None:
    assert not separation(0.5, "b", "a").counted
    both = PublishedSet("p", ("b", "a"), (Limit(Quantity.SEPARATION, 0.9), Limit(Quantity.UNIQUE_ROWS, 0.9)))
    assert both.counted
    assert both.grouped_by == ("a", "b")


@pytest.mark.parametrize(("width", "unit"), [(0, "seconds"), (-1, "records"), (1.5, "records"), (np.inf, "seconds")])
def test_a_pane_has_a_width(width: float, unit: str) -> None:
    with pytest.raises(UsageError, match="positive number"):
        PaneRule(width, unit)  # type: ignore[arg-type]
