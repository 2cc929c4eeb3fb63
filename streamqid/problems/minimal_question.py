"""What is asked of all minimal sets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.problems.needed import exactly

if TYPE_CHECKING:
    from collections.abc import Sequence
    from fractions import Fraction

    from streamqid.problems.answer import Measure


@dataclass(frozen=True, slots=True)
class MinimalQuestion:
    """All minimal sets are asked for whose ratio is at least 1 - ε, or β when β is given.

    With ε = 0 these are the minimal keys: the sets that tell apart every two rows that all columns tell apart.
    δ is the probability that an answer from samples, or one that samples helped to find, is wrong.
    """

    measure: Measure
    epsilon: float
    delta: float
    weights: Sequence[float]
    beta: float | None = None
    max_size: int | None = None
    max_sets: int | None = None

    @property
    def keys(self) -> bool:
        """Whether minimal keys are asked for."""
        return self.beta is None and not self.epsilon

    @property
    def slack(self) -> Fraction:
        """The share of the pairs or rows that a set may leave, by the decimals that were written."""
        return exactly(self.epsilon) if self.beta is None else 1 - exactly(self.beta)

    @property
    def target(self) -> float:
        """The ratio that a set must reach."""
        return float(1 - self.slack)

    def limit(self, total: int) -> int:
        """Return the largest cost, of this total, that a set may have."""
        return math.floor(self.slack * total)
