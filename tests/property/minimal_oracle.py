"""All minimal sets by counting every column set of a small table."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING

from streamqid.problems.answer import Measure
from tests.unit.sampling.plain import project

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from streamqid.problems.minimal_question import MinimalQuestion


def cost(rows: Sequence[Sequence[Hashable]], columns: Sequence[int], measure: Measure) -> int:
    """Look at every pair of rows, or count the different rows."""
    seen = project(rows, columns)
    if measure is Measure.SEPARATION:
        return sum(a == b for a, b in combinations(seen, 2))
    return len(seen) - len(set(seen))


def reaching(rows: Sequence[Sequence[Hashable]], question: MinimalQuestion) -> dict[frozenset[int], int]:
    """Return every column set that the question accepts, with its cost."""
    n, m = len(rows), len(rows[0])
    total = n * (n - 1) // 2 if question.measure is Measure.SEPARATION else n
    asked = Fraction(str(question.epsilon)) if question.beta is None else 1 - Fraction(str(question.beta))
    most = cost(rows, range(m), question.measure) if question.keys else asked * total
    sets = (columns for size in range(m + 1) for columns in combinations(range(m), size))
    costs = {frozenset(columns): cost(rows, columns, question.measure) for columns in sets}
    return {columns: c for columns, c in costs.items() if c <= most}


def minimal(rows: Sequence[Sequence[Hashable]], question: MinimalQuestion) -> dict[frozenset[int], int]:
    """Return the minimal ones among them."""
    sets = reaching(rows, question)
    return {x: c for x, c in sets.items() if not any(y < x for y in sets)}
