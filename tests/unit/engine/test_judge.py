from __future__ import annotations

import numpy as np
import pytest

from streamqid.engine.documents import Verdict, VerdictState
from streamqid.engine.judge import Judge, Window, judge, settled, state_of
from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import PublishedSet
from streamqid.errors import UsageError
from streamqid.measures.estimate import Estimate
from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret

RULE = PaneRule(10.0, "seconds")
SECRET = Secret.from_seed(3)


def window(rows: int, groups: int, pane: int = 0, capacity: int = 2000) -> Window:
    """A window of rows in so many equally large groups on column a; column b is constant."""
    sampler = Sampler(SECRET, Capacity(capacity))
    offsets = np.arange(rows)
    fingerprints = np.stack([offsets % groups + 1, np.ones(rows)], axis=1).astype(np.uint64)
    sampler.update(Origin("x"), rows, offsets, ["a", "b"], fingerprints)
    return Window(RULE.span(pane, pane), rows, sampler.evidence())


@pytest.mark.parametrize(
    ("limit", "state", "words"),
    [
        (0.95, VerdictState.SAFE, "at most"),
        (0.9, VerdictState.AT_RISK, "around the limit of 90 %"),
        (0.8, VerdictState.UNSAFE, "at least"),
    ],
)
def test_the_limit_lies_above_inside_or_below_the_interval(limit: float, state: VerdictState, words: str) -> None:
    verdict = judge(PublishedSet("p", ("a", "b"), limit), window(50_000, 10))
    assert verdict.state == state
    assert words in verdict.sentence
    assert "confidence 99 %" in verdict.sentence
    assert verdict.estimate is not None
    assert verdict.rows == 50_000
    assert (verdict.since, verdict.window) == (0.0, RULE.span(0, 0))


def test_a_whole_window_is_judged_exactly() -> None:
    verdict = judge(PublishedSet("p", ("a",), 0.9), window(1000, 10))
    assert verdict.estimate == Estimate.exact(1 - 10 * 100 * 99 / (1000 * 999))
    assert verdict.state == VerdictState.UNSAFE
    assert "every row was counted" in verdict.sentence


def test_a_column_that_is_gone_is_unknown() -> None:
    verdict = judge(PublishedSet("p", ("a", "zip"), 0.9), window(1000, 10))
    assert (verdict.state, verdict.estimate) == (VerdictState.UNKNOWN, None)
    assert verdict.sentence == "Unknown: column 'zip' does not occur in this window."


@pytest.mark.parametrize("rows", [0, 1, 14])
def test_too_few_pairs_are_unknown(rows: int) -> None:
    verdict = judge(PublishedSet("p", ("a",), 0.9), window(rows, 10))
    assert verdict.state == VerdictState.UNKNOWN
    assert f"{rows * (rows - 1) // 2} pairs" in verdict.sentence


def test_fifteen_rows_have_pairs_enough() -> None:
    assert judge(PublishedSet("p", ("a",), 0.9), window(15, 1)).state == VerdictState.SAFE


def test_no_closed_window_is_unknown() -> None:
    (verdict,) = Judge().verdicts([PublishedSet("p", ("a",), 0.9)], [])
    assert (verdict.state, verdict.window, verdict.since) == (VerdictState.UNKNOWN, None, None)
    assert "no window has closed yet" in verdict.sentence


@pytest.mark.parametrize(("lower", "upper"), [(None, 0.99), (0.5, None), (None, None)])
def test_a_side_that_is_not_known_is_no_comfort(lower: float | None, upper: float | None) -> None:
    estimate = Estimate(estimate=0.5, lower=lower, upper=upper, confidence=0.99)
    assert state_of(estimate, 0.9) == VerdictState.AT_RISK


def test_a_limit_that_is_met_exactly_is_safe() -> None:
    assert state_of(Estimate.exact(0.9), 0.9) == VerdictState.SAFE


def test_a_verdict_is_dated_back_to_its_first_window() -> None:
    published = PublishedSet("p", ("a",), 0.95)
    series = [window(1000, groups, pane) for pane, groups in enumerate([100, 10, 100, 100, 100])]
    (verdict,) = Judge().verdicts([published], series)
    assert (verdict.state, verdict.since) == (VerdictState.UNSAFE, 20.0)
    assert verdict.window == RULE.span(4, 4)


def test_a_window_is_judged_again_only_if_it_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[int] = []

    def counted(published: PublishedSet, one: Window) -> Verdict:
        judged.append(one.records)
        return judge(published, one)

    monkeypatch.setattr("streamqid.engine.judge.judge", counted)
    published, judging = [PublishedSet("p", ("a",), 0.95)], Judge()
    judging.verdicts(published, [window(100, 5, 0), window(200, 5, 1)])
    judging.verdicts(published, [window(100, 5, 0), window(201, 5, 1), window(300, 5, 2)])
    assert judged == [100, 200, 201, 300]


def test_a_series_of_one_stands_for_itself() -> None:
    verdict = judge(PublishedSet("p", ("a",), 0.95), window(100, 5, 7))
    assert settled([verdict]) == verdict


@pytest.mark.parametrize(
    ("columns", "limit", "delta"), [((), 0.9, 0.1), (("a",), 0.0, 0.1), (("a",), 1.1, 0.1), (("a",), 0.9, 1.0)]
)
def test_a_published_set_that_cannot_be_is_refused(columns: tuple[str, ...], limit: float, delta: float) -> None:
    with pytest.raises(UsageError, match="published set 'p'"):
        PublishedSet("p", columns, limit, delta)


@pytest.mark.parametrize(("width", "unit"), [(0, "seconds"), (-1, "records"), (1.5, "records"), (np.inf, "seconds")])
def test_a_pane_has_a_width(width: float, unit: str) -> None:
    with pytest.raises(UsageError, match="positive number"):
        PaneRule(width, unit)  # type: ignore[arg-type]
