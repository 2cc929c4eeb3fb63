"""Rows of covering programs hold what they must, and no more than is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.partition import Table
from streamqid.problems import cuts
from streamqid.problems.answer import Measure
from streamqid.problems.cuts import Differences, Reaching, Within
from streamqid.problems.greedy import Refinement, state_of
from tests.unit.problems.whole_tables import whole

if TYPE_CHECKING:
    import pytest


def square() -> Table:
    """Return the places (i, j) of a 6 x 6 square, which a third column, the first by gain, splits finer."""
    i, j = np.divmod(np.arange(36, dtype=np.int32), 6)
    return Table(("i", "j", "finer"), np.stack([i, j, i // 2 * 3 + j // 2]), (6, 6, 9))


def test_pairs_that_no_column_separates_are_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first pairs that are looked at are equal rows; the difference set is in a later part."""
    monkeypatch.setattr(cuts, "LOOKED_AT", 2)
    rows = Differences(whole([(0, 0), (0, 0), (0, 0), (0, 1)]))([0])
    assert [row.tolist() for row in rows] == [[0.0, 1.0]]
    assert Differences(whole([(0, 0), (0, 0), (0, 0)]))([0]) == []


def test_a_set_that_stays_short_is_made_as_large_as_possible() -> None:
    """The third column alone leaves 54 pairs together; one more of the others still leaves some."""
    table = square()
    everything = state_of(table, Measure.SEPARATION).total
    rows = Reaching(lambda: Refinement(table), 3, everything, submodular=False)([2])
    assert [row.tolist() for row in rows] == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


def test_a_set_beyond_the_limit_is_made_as_small_as_possible() -> None:
    """All three columns are taken by gain; the first of them is not needed to separate everything."""
    table = square()
    most = state_of(table, Measure.SEPARATION).total - 1
    rows = Within(lambda: Refinement(table), 3, most, submodular=False)([])
    assert [row.tolist() for row in rows] == [[1.0, 1.0, 0.0]]
