"""The documents that exact solvers return: an optimum, or how far from it the answer may be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Answer, Contribution, Document, Measure, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.problems.programs import Cover


class Optimality(Document):
    """How good a set is among all sets that meet the same demand, on every row or on the sample.

    Sets whose weights differ by less than 1e-5 of the heaviest column that the best set could hold count as equal.
    """

    optimal: bool
    """Whether no set is better; false when time ran out before that was proven."""
    weight: float
    """Weight of the set: the number of its columns, unless columns have weights."""
    bound: float
    """No set that meets the demand is lighter, or, where a large one is asked for, heavier."""
    gap: float
    """Distance of the weight from the bound, as a share of the larger one; 0 when optimal."""
    time_limit: float
    """Seconds that the solver was given."""
    greedy: list[str]
    """What the greedy algorithm chooses on the same table."""
    greedy_weight: float


class OptimalKeyAnswer(Answer):
    """The lightest column set that identifies nearly every row."""

    problem: Literal["optimal key", "optimal beta-separation set"]
    measure: Measure
    rule: Rule | None = None
    """How a sample earns the promise; None when every row was counted."""
    epsilon: float
    """Share of the pairs or rows that may stay together; 0 asks for a key."""
    delta: float = 0.0
    """Probability that the promise is broken; 0 when every row was counted."""
    beta: float | None = None
    columns: list[str]
    met: bool
    """Whether the ratio asked for is reached, or, where equal rows put it out of reach, that of all columns."""
    separation: Estimate
    distinct: Estimate
    inseparable_rows: int
    """Rows that equal another row on all columns, so that no column set can tell them apart; on a sample, about."""
    contributions: list[Contribution]
    optimality: Optimality


class OptimalMaskAnswer(Answer):
    """The heaviest column set that can be published: its ratio is at most β."""

    problem: Literal["optimal masking"] = "optimal masking"
    measure: Measure
    rule: Rule | None = None
    """How a sample earns the promise; None when every row was counted."""
    beta: float
    delta: float = 0.0
    """Probability that the promise is broken; 0 when every row was counted."""
    publish: list[str]
    hide: list[str]
    met: bool
    separation: Estimate
    distinct: Estimate
    unique_rows: Estimate
    """Share of rows that are unique on the published columns."""
    contributions: list[Contribution]
    optimality: Optimality


def optimality_of(
    columns: Sequence[str], cover: Cover, greedy: Sequence[int], weights: Sequence[float], seconds: float
) -> Optimality:
    """Return how good a light set is."""
    return Optimality(
        optimal=cover.optimal,
        weight=cover.weight,
        bound=cover.bound,
        gap=0.0 if cover.optimal else 1.0 - cover.bound / cover.weight,
        time_limit=seconds,
        greedy=[columns[j] for j in greedy],
        greedy_weight=float(sum(weights[j] for j in greedy)),
    )
