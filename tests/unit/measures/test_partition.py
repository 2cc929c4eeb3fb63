"""The partition of rows by columns against counting."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.measures.partition import Partition, pairs_within, partition_by_all, table_of
from streamqid.sampling.priority import mix64
from tests.unit.sampling.plain import fingerprints, names, project

if TYPE_CHECKING:
    from collections.abc import Hashable

    from streamqid.measures.partition import Table

Rows = list[tuple[int | None, ...]]
ROWS: st.SearchStrategy[Rows] = st.integers(1, 5).flatmap(
    lambda m: st.lists(st.tuples(*[st.none() | st.integers(0, 4)] * m), max_size=30)
)


def table(rows: Rows, *, missing_differ: bool = False) -> Table:
    m = len(rows[0]) if rows else 2
    return table_of(tuple(names(m)), fingerprints(rows, m), missing_differ=missing_differ)


def told_apart(rows: Rows) -> list[tuple[Hashable, ...]]:
    """Replace every missing value by one of its own."""
    return [tuple((i, j) if v is None else v for j, v in enumerate(row)) for i, row in enumerate(rows)]


def assert_counts(partition: Partition, rows: list[tuple[Hashable, ...]]) -> None:
    counts = sorted(Counter(rows).values())
    assert partition.n == len(rows)
    assert partition.all_sizes().tolist() == counts
    assert partition.groups == len(counts)
    assert partition.unique_rows == counts.count(1)
    assert partition.unseparated == sum(c * (c - 1) // 2 for c in counts)
    members: dict[int, set[tuple[Hashable, ...]]] = {}
    for row, group in zip(partition.rows.tolist(), partition.group.tolist(), strict=True):
        members.setdefault(group, set()).add(rows[row])
    assert all(len(values) == 1 for values in members.values())
    assert sorted(members) == list(range(len(partition.sizes)))
    assert np.array_equal(np.bincount(partition.group, minlength=len(partition.sizes)), partition.sizes)


@given(ROWS, st.data())
def test_groups_are_those_of_equal_rows(rows: Rows, data: st.DataObject) -> None:
    whole = table(rows)
    columns = data.draw(st.lists(st.integers(0, len(whole.columns) - 1), unique=True))
    assert_counts(whole.partition(columns), project(rows, columns))


@given(ROWS, st.data())
def test_a_missing_value_may_differ_from_every_other(rows: Rows, data: st.DataObject) -> None:
    whole = table(rows, missing_differ=True)
    columns = data.draw(st.lists(st.integers(0, len(whole.columns) - 1), unique=True))
    assert_counts(whole.partition(columns), project(told_apart(rows), columns))


@pytest.mark.parametrize("n", [2, 3, 50, 3000])
@pytest.mark.parametrize("few", [1, 2, 40, 1000])
@pytest.mark.parametrize("many", [1, 3, 200, 10**9])
def test_few_and_many_values_are_counted_alike(n: int, few: int, many: int) -> None:
    """Some of these shapes are counted in a table of slots, some by sorting."""
    rng = np.random.default_rng([n, few, many])
    rows: Rows = list(zip(rng.integers(0, few, n).tolist(), rng.integers(0, many, n).tolist(), strict=True))
    whole = table(rows)
    for first, second in ((0, 1), (1, 0)):
        before = whole.partition([first])
        ahead = before.refined_sizes(whole.codes[second], whole.sizes[second])
        after = before.refine(whole.codes[second], whole.sizes[second])
        assert_counts(before, project(rows, [first]))
        assert_counts(after, project(rows, [0, 1]))
        assert sorted(ahead[ahead > 1].tolist()) == sorted(after.sizes.tolist())
        assert int(ahead.sum()) == len(before.rows)
        assert pairs_within(ahead) == after.unseparated


@pytest.mark.parametrize(("n", "groups", "unique"), [(0, 0, 0), (1, 1, 1), (2, 1, 0), (5, 1, 0)])
def test_no_column_makes_one_group(n: int, groups: int, unique: int) -> None:
    partition = Partition.trivial(n)
    assert (partition.groups, partition.unique_rows, partition.unseparated) == (groups, unique, n * (n - 1) // 2)


def test_an_empty_table_stays_empty() -> None:
    empty = table([])
    assert empty.n == 0
    assert empty.partition([0, 1]).groups == 0
    assert Partition.trivial(0).refined_sizes(empty.codes[0], empty.sizes[0]).size == 0


def test_rows_leave_the_largest_part_of_their_group() -> None:
    groups, split = np.array([0, 0, 0, 1, 1, 2, 3, 3], np.int32), np.array([0, 1, 1, 2, 2, 2, 0, 1], np.int32)
    leaving, staying = Partition.trivial(8).refine(groups, 4).leaving(split, 3)
    assert len(leaving) == len(staying) == 2
    assert leaving[0] == 0
    assert staying[0] in (1, 2)
    assert {int(leaving[1]), int(staying[1])} == {5, 6}, "places among the rows that are not alone"


def test_codes_number_the_values_of_each_column() -> None:
    whole = table([(7, 1), (9, 1), (7, None)])
    assert whole.sizes == (2, 2)
    assert whole.n == 3
    assert (whole.codes < np.array(whole.sizes)[:, None]).all()
    assert table([(None,), (None,), (3,)], missing_differ=True).sizes == (4,)


@given(st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * 3), max_size=30), st.booleans(), st.integers(1, 20))
def test_mixed_fingerprints_are_grouped_as_plain_ones(rows: Rows, missing_differ: bool, head: int) -> None:
    """Real fingerprints are spread over all 64 bits, which takes a shorter way through ``table_of``."""
    plain = fingerprints(rows, 3)
    mixed = np.where(plain == 0, plain, mix64(5, plain.ravel()).reshape(plain.shape))
    expected = told_apart(rows) if missing_differ else rows
    whole = table_of(tuple(names(3)), mixed, missing_differ=missing_differ)
    assert_counts(whole.partition([0, 2]), project(expected, [0, 2]))
    assert_counts(whole.head(head).partition([1, 2]), project(expected[:head], [1, 2]))
    assert_counts(partition_by_all(mixed, missing_differ=missing_differ), project(expected, range(3)))


def test_two_thousand_columns_and_many_values_do_not_overflow() -> None:
    rng = np.random.default_rng(1)
    wide = rng.integers(1, 3, (50, 2000)).astype(np.uint64)
    partition = table_of(tuple(names(2000)), wide).partition(range(2000))
    assert partition.groups == len(np.unique(wide, axis=0))
    tall = rng.integers(1, 10**6, (200_000, 2)).astype(np.uint64)
    assert table_of(("a", "b"), tall).partition([0, 1]).groups == len({*map(tuple, tall.tolist())})


def test_pairs_of_a_billion_equal_rows_are_counted_exactly() -> None:
    assert pairs_within(np.array([10**9])) == 10**9 * (10**9 - 1) // 2
    assert pairs_within(np.array([], np.int64)) == 0
