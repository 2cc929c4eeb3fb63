"""What a set must count to reach a ratio, in whole pairs or rows: a rounded ratio would miss a count that just does."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from streamqid.problems.greedy import state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.partition import Table
    from streamqid.problems.answer import Measure


def counts_of_prefixes(table: Table, measure: Measure, chain: Sequence[int]) -> tuple[list[int], int]:
    """Return what each prefix of a chain reaches, the empty one first, and what there is to reach."""
    state = state_of(table, measure)
    counts = [state.count]
    for j in chain:
        state.add(j)
        counts.append(state.count)
    return counts, state.total


def asked_count(total: int, epsilon: float, beta: float | None = None) -> int:
    """Return the count that the ratio 1 - ε, or β, takes, by the decimals that were written.

    >>> asked_count(10, 0.7), asked_count(10, 0.0, 0.35)
    (3, 4)
    """
    return math.ceil((1 - exactly(epsilon) if beta is None else exactly(beta)) * total)


def needed_count(best: int, total: int, epsilon: float, beta: float | None = None) -> int:
    """Return the count that a set must reach, given that of all columns.

    Where all columns fall short of 1 - ε, the set may lose the share ε against them; of β it may lose nothing.

    >>> needed_count(8, 10, 0.1), needed_count(8, 10, 0.0, 0.9)
    (7, 8)
    """
    need = asked_count(total, epsilon, beta)
    if need <= best:
        return need
    return best if beta is not None else best - math.floor(exactly(epsilon) * total)


def exactly(value: float) -> Fraction:
    """Return a ratio by the decimals that were written; one of numpy is written as a number, too."""
    return Fraction(repr(float(value)))
