"""An audit of the rows as they will be published, in plain Python and exact arithmetic.

It shares no code with what made the rows: no codes, no partition, no numpy.  Equal rows are one class, as a reader
sees them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

TOLERANCE = Fraction(1, 10**9)
"""By how much a distance may pass a limit that was given as a decimal number."""


@dataclass(frozen=True, slots=True)
class Audit:
    """What the classes of equal rows keep."""

    rows: int
    classes: int
    smallest: int
    """Rows of the smallest class."""
    most_frequent: Fraction
    """Largest share of one sensitive value in a class."""
    farthest: Fraction
    """Largest Earth Mover's Distance of a class from the whole table."""

    def keeps(self, k: int | None = None, l: int | None = None, t: float | None = None) -> bool:  # noqa: E741
        """Tell whether the classes keep what was asked for."""
        return (
            (k is None or self.smallest >= k)
            and (l is None or self.most_frequent * l <= 1)
            and (t is None or self.farthest <= Fraction(t) + TOLERANCE)
        )


def audit(
    published: Iterable[Hashable], sensitive: Sequence[Hashable], order: Mapping[Hashable, int] | None = None
) -> Audit:
    """Return what the published rows keep.

    Parameters
    ----------
    published
        The quasi-identifiers of each row as they are published; or the group of each row, to audit a partition.
    sensitive
        The sensitive value of each row.
    order
        Rank of each sensitive value, from 0, for the ordered distance; by default all values are equally far apart.
    """
    whole = Counter(sensitive)
    classes: dict[Hashable, Counter[Hashable]] = {}
    for row, value in zip(published, sensitive, strict=True):
        classes.setdefault(row, Counter())[value] += 1
    sizes = [counts.total() for counts in classes.values()]
    if order is None:
        farthest = max(_moved(counts, whole) for counts in classes.values())
    else:
        ranks = _Ranks(whole, order)
        farthest = max(ranks.moved(counts) for counts in classes.values())
    return Audit(
        rows=len(sensitive),
        classes=len(classes),
        smallest=min(sizes),
        most_frequent=max(
            Fraction(max(counts.values()), size) for counts, size in zip(classes.values(), sizes, strict=True)
        ),
        farthest=farthest,
    )


def _moved(counts: Counter[Hashable], whole: Counter[Hashable]) -> Fraction:
    """Return half the sum of the differences of all shares, over the common denominator."""
    size, n = counts.total(), whole.total()
    differences = sum(abs(n * count - size * whole[value]) for value, count in counts.items())
    elsewhere = size * (n - sum(whole[value] for value in counts))
    return Fraction(differences + elsewhere, 2 * size * n)


class _Ranks:
    """The whole table in the order of its sensitive values."""

    def __init__(self, whole: Counter[Hashable], order: Mapping[Hashable, int]) -> None:
        self._order, self._n, self._last = order, whole.total(), max(order.values())
        rows = [0] * (self._last + 1)
        for value, count in whole.items():
            rows[order[value]] += count
        self._below = list(accumulate(rows))
        """Rows up to each rank."""
        self._area = list(accumulate(self._below, initial=0))
        """The sum of these before each rank."""

    def moved(self, counts: Counter[Hashable]) -> Fraction:
        """Return what passes between neighbouring ranks, in steps of which the longest way has one less than ranks.

        Between two ranks that occur in the class its rows up to there stay the same, and those of the table grow: up to
        one place the class has the larger share, and from there on the smaller one.
        """
        held: Counter[int] = Counter()
        for value, count in counts.items():
            held[self._order[value]] += count
        size = counts.total()
        here = moved = start = 0
        for rank in (*sorted(held), self._last):
            level = self._n * here
            turn = bisect_left(self._below, -(-level // size), start, rank)
            moved += level * (turn - start) - size * (self._area[turn] - self._area[start])
            moved += size * (self._area[rank] - self._area[turn]) - level * (rank - turn)
            here, start = here + held[rank], rank
        return Fraction(moved, max(self._last, 1) * size * self._n)
