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
