"""Every small table, as the sizes of its groups, and the exact distribution of what a sample of it shows."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def partitions(n: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the integer partitions of n: the group sizes of all tables of n rows."""
    if n == 0:
        yield ()
    for first in range(min(n, largest or n), 0, -1):
        for rest in partitions(n - first, first):
            yield (first, *rest)


def group_of_rows(sizes: tuple[int, ...]) -> list[int]:
    """Return the group number of each row."""
    return [group for group, size in enumerate(sizes) for _ in range(size)]


@cache
def groups_in_sample(sizes: tuple[int, ...], k: int) -> dict[tuple[int, int], Fraction]:
    """Return the probability of each (groups, unique rows) of a uniform sample of k rows, over all of them."""
    rows = group_of_rows(sizes)
    seen: Counter[tuple[int, int]] = Counter()
    for sample in combinations(rows, k):
        counts = Counter(sample).values()
        seen[len(counts), sum(count == 1 for count in counts)] += 1
    total = comb(len(rows), k)
    return {outcome: Fraction(times, total) for outcome, times in seen.items()}
