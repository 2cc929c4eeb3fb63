"""t-closeness of a published set, and the audit figures of its groups."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.engine.documents import VerdictState
from streamqid.engine.judge import judge
from streamqid.engine.proposals import propose
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.errors import UsageError
from streamqid.measures.closeness import Cells, far_rows
from streamqid.measures.estimate import Estimate
from tests.unit.engine.windows import window

ROWS = 40_000
RNG = np.random.default_rng(1)
GROUP = np.arange(ROWS) % 10
EVEN = RNG.integers(4, size=ROWS)
ONE_SIDED = np.where(GROUP == 0, 0, EVEN)
"""Group 0, a tenth of the rows, has one value: its distance is about 0.68, that of the others about 0.07."""


def limited(t: float, share: float, *columns: str) -> PublishedSet:
    return PublishedSet("p", columns or ("g",), (Limit(Quantity.CLOSENESS, share, sensitive="s", t=t),))


@pytest.mark.parametrize(
    ("values", "t", "share", "state"),
    [
        (EVEN, 0.4, 0.05, VerdictState.SAFE),
        (EVEN, 0.4, 0.0, VerdictState.AT_RISK),
        (ONE_SIDED, 0.4, 0.05, VerdictState.UNSAFE),
        (ONE_SIDED, 0.4, 0.0, VerdictState.UNSAFE),
        (ONE_SIDED, 0.4, 0.2, VerdictState.SAFE),
    ],
)
def test_the_share_of_far_rows_is_judged(values: np.ndarray, t: float, share: float, state: VerdictState) -> None:
    for columns in (("g",), ("g", "s")):
        verdict = judge(limited(t, share, *columns), window({"g": GROUP, "s": values}, capacity=4000), 1)
        assert verdict.state is state
        assert f"further than {t:g} from s in all rows" in verdict.sentence
        assert verdict.findings[0].measure == "closeness_of_s"


def test_groups_of_few_sampled_rows_say_nothing() -> None:
    codes = {"g": np.arange(ROWS) // 2, "s": EVEN}
    verdict = judge(limited(0.3, 0.5), window(codes), 1)
    assert (verdict.state, verdict.findings[0].estimate) == (VerdictState.UNKNOWN, None)


def test_a_whole_window_is_exact() -> None:
    codes = {"g": np.repeat([0, 1], [50, 150]), "s": np.concatenate([np.zeros(50), np.arange(150) % 2])}
    here = window({name: column.astype(np.int64) for name, column in codes.items()})
    verdict = judge(limited(0.3, 0.1), here, 1)
    # 125 of 200 rows have the first value, all 50 of the first group: distance 0.375; the other's is 0.125.
    assert verdict.findings[0].estimate == Estimate.exact(0.25)
    assert verdict.state is VerdictState.UNSAFE
    assert judge(limited(0.375, 0.0), here, 1).state is VerdictState.SAFE


def test_a_sensitive_column_that_is_gone_is_unknown() -> None:
    verdict = judge(limited(0.3, 0.1), window({"g": GROUP[:1000]}), 1)
    assert verdict.sentence == "Unknown: column 's' does not occur in this window."


WARD = np.where(RNG.random(ROWS) < 0.2, 0, 1 + EVEN % 2)
"""Tells much of the sensitive value, whichever group a row is in."""
CODES = {"g": GROUP, "ward": WARD, "s": EVEN}


def truly_far(columns: list[str], t: float) -> float:
    """The share of rows in far groups, counted."""
    codes = np.unique(np.stack([CODES[c] for c in columns]), axis=1, return_inverse=True)[1].reshape(-1)
    return far_rows(Cells(codes, EVEN, 4), t)


@pytest.mark.parametrize("rows", [ROWS, 1_500])
@pytest.mark.parametrize("others", [(), (Limit(Quantity.SEPARATION, 0.98),)])
def test_what_is_proposed_keeps_the_rows_close(rows: int, others: tuple[Limit, ...]) -> None:
    """Also where the separation has a limit, which the whole set keeps."""
    closeness = Limit(Quantity.CLOSENESS, 0.2, sensitive="s", t=0.3)
    asked = PublishedSet("p", ("g", "ward"), (*others, closeness))
    here = window({name: column[:rows] for name, column in CODES.items()}, capacity=8_000)
    assert judge(asked, here, 1).state is VerdictState.UNSAFE
    found = propose(asked, here, 1)
    assert (found.drop, found.coarsen_to, found.uncertified) == ("ward", None, [])
    assert found.without is not None
    assert found.keep is not None
    assert found.without.columns == found.keep.columns == ["g"]
    assert found.without.bounds[-1].measure == "closeness_of_s"
    assert found.sentence.startswith("Drop ward (confidence")
    assert truly_far(["g", "ward"], 0.3) > 0.5
    assert truly_far(["g"], 0.3) == 0.0


@pytest.mark.parametrize(("share", "columns"), [(0.0, ("g", "ward")), (0.05, ("g",))])
def test_no_part_is_proposed_that_no_sample_can_promise(share: float, columns: tuple[str, ...]) -> None:
    """That no row at all is in a far group; and what a single column could be replaced by."""
    codes = {"g": GROUP, "ward": WARD, "s": ONE_SIDED}
    asked = PublishedSet("p", columns, (Limit(Quantity.CLOSENESS, share, sensitive="s", t=0.4),))
    found = propose(asked, window(codes, capacity=4_000), 1)
    assert (found.drop, found.keep) == (None, None)
    assert "No part of the set is certain" in found.sentence


def test_the_sensitive_column_alone_tells_no_group_from_another() -> None:
    """Whatever else is published with it is what must go."""
    asked = PublishedSet("p", ("g", "s"), (Limit(Quantity.CLOSENESS, 0.0, sensitive="s", t=0.4),))
    found = propose(asked, window({"g": GROUP, "s": ONE_SIDED}, capacity=4_000), 1)
    assert found.drop == "g"
    assert found.without is not None
    assert found.without.bounds[0].estimate == Estimate.exact(0.0)


@pytest.mark.parametrize(
    "limit",
    [
        {"quantity": Quantity.CLOSENESS, "value": 0.1, "sensitive": "s"},
        {"quantity": Quantity.CLOSENESS, "value": 0.1, "t": 0.1},
        {"quantity": Quantity.CLOSENESS, "value": 0.1, "sensitive": "s", "t": 1.0},
        {"quantity": Quantity.SEPARATION, "value": 0.1, "sensitive": "s", "t": 0.1},
        {"quantity": Quantity.CLOSENESS, "value": -0.1, "sensitive": "s", "t": 0.1},
    ],
)
def test_a_limit_that_cannot_be_is_refused(limit: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        Limit(**limit)  # type: ignore[arg-type]


def test_a_set_of_the_sensitive_column_alone_is_refused() -> None:
    with pytest.raises(UsageError, match="name one to group by"):
        limited(0.3, 0.1, "s")


def test_the_audit_tells_the_groups_whatever_the_limits_are() -> None:
    codes = np.concatenate([np.arange(60_000) % 1000, 1000 + np.arange(20_000)])
    published = PublishedSet("p", ("a",), (Limit(Quantity.SEPARATION, 0.9),))
    audit = judge(published, window({"a": codes}, counted=("a",), groups=8000), 1).audit
    assert audit is not None
    assert (audit.k, audit.counted) == (5, True)
    for estimate, true in ((audit.groups, 21_000), (audit.unique_rows, 0.25), (audit.small_groups, 0.25)):
        assert estimate is not None
        assert estimate.lower is not None
        assert estimate.upper is not None
        assert estimate.lower <= true <= estimate.upper
        assert estimate.upper < 1.3 * true
    assert audit.smallest_group is not None
    assert audit.smallest_group.upper == 1.0
    sampled = judge(published, window({"a": codes}), 1).audit
    assert sampled is not None
    assert (sampled.counted, sampled.smallest_group) == (False, None)
