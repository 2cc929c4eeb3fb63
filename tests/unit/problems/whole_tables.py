"""Whole tables from rows of small values, and the same counts by plain Python."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from streamqid.measures.partition import Table, table_of
from streamqid.sampling.fingerprint import MISSING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Rows = list[tuple[int | None, ...]]
TABLES: st.SearchStrategy[Rows] = st.integers(1, 4).flatmap(
    lambda m: st.lists(st.tuples(*[st.none() | st.integers(0, 3)] * m), min_size=1, max_size=12)
)


def whole(rows: Rows, *, missing_differ: bool = False, columns: str = "abcdefgh") -> Table:
    """Return the table; None is a missing value."""
    cells = [[int(MISSING) if v is None else (v + 1) * 0x9E3779B97F4A7C15 % 2**64 for v in row] for row in rows]
    names = tuple(columns[: len(rows[0])])
    return table_of(names, np.array(cells, np.uint64), missing_differ=missing_differ)


def seen(rows: Rows, *, missing_differ: bool) -> list[tuple[object, ...]]:
    """Return the rows as the missing rule compares them."""
    if not missing_differ:
        return list(rows)
    return [tuple((i, j) if v is None else v for j, v in enumerate(row)) for i, row in enumerate(rows)]


def classes(rows: Sequence[tuple[object, ...]], columns: Iterable[int]) -> dict[object, list[int]]:
    """Return the numbers of the rows with each value."""
    chosen = list(columns)
    found: dict[object, list[int]] = {}
    for i, row in enumerate(rows):
        found.setdefault(tuple(row[j] for j in chosen), []).append(i)
    return found


def lost_rows(rows: Sequence[tuple[object, ...]], left: Iterable[int], right: Sequence[int]) -> int:
    """Return the rows to remove so that left determines right."""
    return sum(
        len(group) - max(Counter(tuple(rows[i][j] for j in right) for i in group).values())
        for group in classes(rows, left).values()
    )


def subsets(columns: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    """Yield all subsets by size."""
    for size in range(most + 1):
        yield from combinations(columns, size)
