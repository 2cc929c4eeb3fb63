"""The optimum by enumeration of all partitions, in plain Python and fractions: a second opinion on every solver."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence


def cost_of(group: Sequence[Sequence[Hashable]]) -> int:
    """Suppressed cells of one group."""
    return len(group) * sum(len(set(column)) > 1 for column in zip(*group, strict=True))


def optimum(quasi: Sequence[Sequence[Hashable]], allowed: Callable[[Sequence[int]], bool]) -> int | None:
    """The least cost over all partitions into allowed groups (given by row numbers); None if there is none."""
    n = len(quasi)
    costs: dict[int, int | None] = {}
    for members in range(1, 1 << n):
        group = [i for i in range(n) if members >> i & 1]
        costs[members] = cost_of([quasi[i] for i in group]) if allowed(group) else None

    def best(left: int) -> int | None:
        """The first row left goes with every subset of the others: this meets every partition once."""
        if not left:
            return 0
        first, found = left & -left, None
        others = rest = left ^ first
        while True:
            cost = costs[rest | first]
            remaining = None if cost is None else best(others ^ rest)
            if cost is not None and remaining is not None and (found is None or cost + remaining < found):
                found = cost + remaining
            if not rest:
                return found
            rest = (rest - 1) & others

    return best((1 << n) - 1)


def large(k: int) -> Callable[[Sequence[int]], bool]:
    """k-anonymity."""
    return lambda group: len(group) >= k


def diverse(sensitive: Sequence[Hashable]) -> Callable[[Sequence[int]], bool]:
    """2-diversity."""
    return lambda group: 2 * max(Counter(sensitive[i] for i in group).values()) <= len(group)


def distance(group: Sequence[int], sensitive: Sequence[int], *, ordered: bool) -> Fraction:
    """Earth Mover's Distance of a group from all rows, for numbers as sensitive values."""
    values = sorted(set(sensitive))
    differences = [
        Fraction(sum(sensitive[i] == value for i in group), len(group))
        - Fraction(list(sensitive).count(value), len(sensitive))
        for value in values
    ]
    if not ordered:
        return sum((max(difference, Fraction(0)) for difference in differences), Fraction(0))
    moved = passing = Fraction(0)
    for difference in differences:
        passing += difference
        moved += abs(passing)
    return moved / max(len(values) - 1, 1)


def close(sensitive: Sequence[int], t: Fraction, *, ordered: bool) -> Callable[[Sequence[int]], bool]:
    """t-closeness."""
    return lambda group: distance(group, sensitive, ordered=ordered) <= t
