"""The bound on a distribution, and rows in far groups where there is little to count."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from streamqid.measures.bounds import distribution_bound
from streamqid.measures.closeness import Cells, common_values, far_rows, far_rows_estimate

NOTHING = Cells(np.empty(0, np.int64), np.empty(0, np.int64), 0)


def test_no_rows_say_nothing() -> None:
    assert far_rows(NOTHING, 0.1) == 0.0
    assert len(common_values(NOTHING)) == 0
    assert far_rows_estimate(NOTHING, common_values(NOTHING), 10, 0.1, 0.05) is None
    assert distribution_bound(2, 0, math.log(0.05)) == 1.0
    assert distribution_bound(2, 1, math.log(0.05)) == 1.0


@pytest.mark.parametrize(("rows", "drawn"), [(40, 30), (400, 40)])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_a_share_of_two_values_leaves_the_bound_with_probability_at_most_delta(
    rows: int, drawn: int, share: float
) -> None:
    delta = 0.05
    width = distribution_bound(2, drawn, math.log(delta))
    hits = np.arange(drawn + 1)
    beyond = np.abs(hits / drawn - share) > width
    assert stats.hypergeom.pmf(hits, rows, round(share * rows), drawn)[beyond].sum() <= delta


def test_a_bound_of_a_third_would_be_left_too_often() -> None:
    hits, width = np.arange(41), distribution_bound(2, 40, math.log(0.05))
    assert stats.hypergeom.pmf(hits, 400, 200, 40)[np.abs(hits / 40 - 0.5) > width / 3].sum() > 0.05


def test_rare_values_are_taken_together_where_groups_are_small() -> None:
    value = np.concatenate([np.zeros(500, np.int64), 1 + np.arange(500) % 250])
    small = Cells(np.arange(1000) // 10, value, 251)
    large = Cells(np.zeros(1000, np.int64), value, 251)
    assert list(common_values(small)) == [0]
    assert len(common_values(large)) > 100
