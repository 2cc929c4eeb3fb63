"""Optimal keys of tables with so many pairs of rows that a rounded share would forgive some of them."""

from __future__ import annotations

import numpy as np

from streamqid.measures.partition import Table
from streamqid.problems.optimal_key import optimal_key

ROWS = 1_500_000
"""More than 10^12 pairs."""


def nearly_a_key(*, second: bool) -> Table:
    """Return a table whose first column leaves one pair together, which the second one may separate."""
    first, other = np.arange(ROWS, dtype=np.int32), np.zeros(ROWS, np.int32)
    first[-1], other[-1] = 0, int(second)
    return Table(("first", "second"), np.stack([first, other]), (ROWS - 1, 2))


def test_a_key_of_a_large_table_leaves_no_pair_together() -> None:
    answer = optimal_key(nearly_a_key(second=True), [1.0, 1.0], epsilon=0.0)
    assert (answer.columns, answer.separation.estimate) == (["first", "second"], 1.0)


def test_one_pair_of_equal_rows_in_a_large_table_is_told() -> None:
    answer = optimal_key(nearly_a_key(second=False), [1.0, 1.0], epsilon=0.0)
    assert (answer.columns, answer.met, answer.inseparable_rows) == (["first"], True, 2)
    assert "as well as all columns seen" in answer.guarantee
