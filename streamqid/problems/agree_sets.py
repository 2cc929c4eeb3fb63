"""The cost of all 2^m column sets at once, from the agree sets of pairs of rows: of some, as a guess, or of all.

The agree set of a pair holds the columns on which its two rows are equal; a set does not separate the pair if the
agree set holds all its columns.  A guess decides which sets are counted first, never what is answered.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from streamqid.problems.lattice import Lattice, sum_over_supersets

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.measures.partition import Table

PAIRS = 20_000
"""Pairs that are drawn from those that agree on each column."""
LOOKED_AT = 1 << 16
"""Rows of a larger table from which they are drawn."""
ROWS = 200
"""Rows that are compared with all rows above them."""
RELIABLE = 5
"""Repeated rows among them from which on their share says more than the pairs do."""
HELD = 1 << 22
"""Agree sets that are collected before they are counted."""


def agree_counts(agree: NDArray[np.bool_], weights: NDArray[np.float64] | None = None) -> NDArray[np.number]:
    """Return, for each of the 2^m sets, the number (or weight) of pairs that agree on all its columns.

    Element [j, i] says whether pair i agrees on column j.
    """
    counts = np.bincount(_numbers(agree), weights, minlength=1 << len(agree))
    sum_over_supersets(counts)
    return counts


def _numbers(agree: NDArray[np.bool_]) -> NDArray[np.int64]:
    numbers = np.zeros(agree.shape[1], np.int32)
    for j, on in enumerate(agree):
        numbers |= on.astype(np.int32) << np.int32(j)
    return numbers.astype(np.int64)


def counted_unseparated(table: Table) -> NDArray[np.int64]:
    """Return the number of unseparated pairs of each set, exactly: every pair of rows is looked at.

    Pairs are taken by the distance of their rows, so that a column is compared with itself, moved by it.  The columns
    stand eight to a byte: doubling the bytes and adding a bit is what numpy does fastest.
    """
    n, m = table.codes.shape[1], len(table.columns)
    columns = [column.astype(np.min_scalar_type(size)) for column, size in zip(table.codes, table.sizes, strict=True)]
    held = np.zeros(max(n, HELD), np.uint32)
    parts = held.view(np.uint8).reshape(-1, held.itemsize)[:, :: 1 if sys.byteorder == "little" else -1]
    counts, filled = np.zeros(1 << m, np.int64), 0
    for distance in range(1, n):
        pairs = n - distance
        if filled + pairs > len(held):
            counts += np.bincount(held[:filled], minlength=1 << m)
            filled = 0
        for first in range(0, m, 8):
            byte = np.zeros(pairs, np.uint8)
            for column in reversed(columns[first : first + 8]):
                byte += byte
                byte |= (column[distance:] == column[:-distance]).view(np.uint8)
            parts[filled : filled + pairs, first // 8] = byte
        filled += pairs
    counts += np.bincount(held[:filled], minlength=1 << m)
    sum_over_supersets(counts)
    return counts


def guessed_unseparated(table: Table, rng: np.random.Generator) -> NDArray[np.number]:
    """Estimate the number of unseparated pairs of each set but the empty one.

    Pairs are drawn from those that agree on column j, for each j.  A pair that agrees on the columns A is drawn
    at the rate Σ_{j in A} k_j over the pairs that agree on j; with the inverse as its weight the sums are unbiased.
    """
    rows = np.arange(table.n)
    if table.n > LOOKED_AT:
        rows = np.sort(rng.choice(table.n, LOOKED_AT, replace=False))
    codes = table.codes[:, rows]
    drawn = [_pairs_agreeing(column, size, rng) for column, size in zip(codes, table.sizes, strict=True)]
    left, right = (np.concatenate([pairs[side] for pairs, _ in drawn]) for side in (0, 1))
    agree = np.array([column[left] == column[right] for column in codes])
    rate = np.array([rate for _, rate in drawn]) @ agree
    return agree_counts(agree, (table.n / max(1, len(rows))) ** 2 / rate)


def _pairs_agreeing(column: NDArray[np.int32], size: int, rng: np.random.Generator) -> tuple[NDArray[np.int64], float]:
    """Draw pairs of rows that agree on a column; return them and the rate at which each was drawn."""
    counts = np.bincount(column, minlength=size)
    ordered = np.cumsum(counts * (counts - 1))
    agreeing = int(ordered[-1]) // 2
    if not agreeing:
        return np.empty((2, 0), np.int64), 0.0
    k = min(PAIRS, agreeing)
    group = np.searchsorted(ordered, rng.integers(ordered[-1], size=k), side="right")
    one = (rng.random(k) * counts[group]).astype(np.int64)
    other = (rng.random(k) * (counts[group] - 1)).astype(np.int64)
    other += other >= one
    start = (np.cumsum(counts) - counts)[group]
    # Of at most 16 bits numpy sorts by counting, several times faster.
    place = np.argsort(column.astype(np.min_scalar_type(size)), kind="stable")
    return place[np.stack([start + one, start + other])], k / agreeing


def guessed_repeats(table: Table, pairs: NDArray[np.number], rng: np.random.Generator) -> NDArray[np.number]:
    """Estimate the number of rows that equal a row above them on each set; ``pairs`` are the guessed pairs.

    Where hardly any row of those looked at repeats another, the pairs tell more: few pairs are few repeats.
    """
    lattice, looked_at = Lattice(len(table.columns)), min(ROWS, table.n)
    repeated = np.zeros(1 << lattice.m, np.int32)
    for row in rng.choice(table.n, looked_at, replace=False):
        agree = table.codes[:, :row] == table.codes[:, row : row + 1]
        repeated += lattice.flags(lattice.down(lattice.family(_numbers(agree))))
    share = table.n / max(1, looked_at)
    return np.where(repeated < RELIABLE, np.minimum(pairs, RELIABLE * share), repeated * share)
