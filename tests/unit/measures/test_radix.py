import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from streamqid.measures.partition import Table
from streamqid.measures.radix import group_sizes, numbered_groups, row_keys

ROWS = st.lists(st.tuples(*[st.integers(0, 2)] * 3), min_size=1, max_size=30)
SIZES = [(3, 3, 3), (3, 1000, 50_000), (3, 2**31, 2**31), (2**40, 2**40, 3)]
"""Counted in slots, by sorting, in wide numbers, and with a fold where even those run out."""


@given(rows=ROWS, sizes=st.sampled_from(SIZES))
def test_groups_are_those_of_equal_rows(rows: list[tuple[int, ...]], sizes: tuple[int, ...]) -> None:
    table = Table(("a", "b", "c"), np.array(rows, np.int32).T, sizes)
    kinds = sorted({*rows})
    expected = sorted(rows.count(kind) for kind in kinds)
    assert sorted(group_sizes(table, [0, 1, 2]).tolist()) == expected
    number, counts = numbered_groups(table, [0, 1, 2])
    assert sorted(counts.tolist()) == expected
    assert [rows.count(row) for row in rows] == counts[number].tolist()
    assert len(set(zip(rows, number.tolist(), strict=True))) == len(kinds) == len(counts)
    key, slots = row_keys(table, [0, 1, 2])
    assert 0 <= key.min() <= key.max() < slots


def test_no_column_leaves_all_rows_together() -> None:
    table = Table((), np.empty((0, 4), np.int32), ())
    assert group_sizes(table, []).tolist() == [4]
