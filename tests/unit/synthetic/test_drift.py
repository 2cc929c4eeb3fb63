"""What a drift changes, and from which row to which."""

from __future__ import annotations

from collections import Counter
from typing import cast

import numpy as np
import pytest

from streamqid.records import ABSENT
from streamqid.synthetic import Drift, DriftKind, Population, default_drift, truth
from tests.unit.synthetic.peopling import column

AGE_SEX_REGION = ("age", "sex", "region")


@pytest.mark.parametrize("kind", DriftKind)
def test_a_drift_begins_and_ends_exactly_at_its_rows(kind: DriftKind) -> None:
    plain, drifting = (
        Population(seed=6),
        Population(seed=6, drifts=(Drift(kind, "region", 300, until_row=600),)),
    )
    outside: object = ABSENT if kind is DriftKind.NEW else None
    before, inside, after = (column(drifting, "region", a, b) for a, b in ((0, 300), (300, 600), (600, 900)))
    usual = [column(plain, "region", a, b) for a, b in ((0, 300), (300, 600), (600, 900))]
    if kind is DriftKind.NEW:
        assert (set(before), inside, set(after)) == ({ABSENT}, usual[1], {ABSENT})
        return
    assert (before, after) == (usual[0], usual[2])
    if kind is DriftKind.MISSING:
        assert set(inside) == {outside}
    elif kind is DriftKind.FINER:
        assert [str(value).split("-")[0] for value in inside] == usual[1]
        assert len(set(inside)) > 250
    else:
        assert max(Counter(inside).values()) < 0.5 * max(Counter(usual[1]).values())


def test_a_ramp_touches_ever_more_rows() -> None:
    population = Population(seed=7, drifts=(Drift(DriftKind.FINER, "zip", 1_000, over=10_000),))
    fine = np.array(["-" in str(value) for value in column(population, "zip", 0, 12_000)])
    assert not fine[:1_000].any()
    assert fine[11_000:].all()
    # Hoeffding: each half is off by more than 0.04 with a probability below 2 exp(-2 n t²) = 2.3e-7 for
    # n = 5000 and t = 0.04; both: a false alarm below 5e-7.
    assert [fine[1_000:6_000].mean(), fine[6_000:11_000].mean()] == pytest.approx([0.25, 0.75], abs=0.04)


def test_the_default_drift_turns_a_safe_set_into_an_identifying_one() -> None:
    population = Population(seed=1, drifts=(default_drift(20_000),))
    segments = cast("list[dict[str, list[dict[str, float]]]]", truth(population, 20_000, [AGE_SEX_REGION])["segments"])
    before, after = (segment["sets"][0] for segment in segments)
    assert before["separation"] < 0.985
    assert before["unique_rows"] < 50
    assert after["separation"] > 0.9995
    assert after["unique_rows"] > 9_000
