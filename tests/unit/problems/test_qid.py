"""What is said of a table in which no column set exposes anybody."""

from __future__ import annotations

from streamqid.problems.qid import minimal_qid, minimum_qid
from tests.unit.problems.whole_tables import Rows, whole


def test_a_table_without_small_groups_has_no_quasi_identifier() -> None:
    rows: Rows = [*[(0, 0)] * 3, *[(1, 0)] * 3]
    table = whole(rows)
    for answer in (minimal_qid(table, 3), minimum_qid(table, 3, [1.0, 1.0])):
        assert (answer.columns, answer.anonymous, answer.exact) == (None, True, True)
    for exposing in (minimal_qid(table, 4), minimum_qid(table, 4, [1.0, 1.0])):
        assert (exposing.columns, exposing.anonymous) == (["a"], False)


def test_an_exact_share_is_rounded_to_the_nearest() -> None:
    rows: Rows = [*[(0, 0)] * 4, *[(1, 0)] * 3, *[(i, 0) for i in range(2, 7)]]
    assert "{a} is a quasi-identifier: 66.7 % of the rows" in minimal_qid(whole(rows), 4).guarantee
