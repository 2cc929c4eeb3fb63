"""What is asked of a masking, and what a solver found."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.errors import UsageError
from streamqid.problems.answer import Rule
from streamqid.problems.greedy import mask_chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import Contribution, Measure
    from streamqid.problems.greedy import PairCover, Refinement

BEYOND = 0.1
"""Share of δ that is spent on the claim that the columns that must be published exceed β, where there are any."""


@dataclass(frozen=True, slots=True)
class MaskQuestion:
    """A large set is asked for whose ratio is at most β, except with probability δ.

    ``weights`` are the utilities of the columns; ``must_publish`` and ``must_hide`` are numbers of columns.
    ``part`` is the share of δ that one rule may spend: less than 1 where the sample decides which rule answers.
    """

    measure: Measure
    beta: float
    delta: float
    rule: Rule
    weights: Sequence[float]
    must_publish: Sequence[int] = ()
    must_hide: Sequence[int] = ()
    part: float = 1.0

    def __post_init__(self) -> None:
        if self.rule is Rule.TUPLES:
            msg = "The rule tuples is for keys: ask for a masking by the rule paper or certified."
            raise UsageError(msg)

    @property
    def within_delta(self) -> float:
        """Probability with which a set may be said to stay within β wrongly."""
        return self.delta * self.part * (1.0 - BEYOND if self.must_publish else 1.0)

    @property
    def beyond_delta(self) -> float:
        """Probability with which the columns that must be published may be said to exceed β wrongly."""
        return self.delta * self.part * BEYOND

    @property
    def log_rules(self) -> float:
        """What an interval beside the sentence, which has a δ of its own, pays for the rules that could answer."""
        return -math.log(self.part)

    def chain(self, state: PairCover | Refinement, limit: float) -> list[int]:
        """Return the greedy chain on a state, up to a limit of its ratio; 0 says that nothing can be promised."""
        if not limit:
            return list(self.must_publish)
        fixed = {*self.must_publish, *self.must_hide}
        allowed = [j for j in range(len(self.weights)) if j not in fixed]
        return mask_chain(state, self.weights, self.must_publish, allowed, limit)


@dataclass(frozen=True, slots=True)
class FoundMask:
    """Columns to publish, and whether their ratio is promised to be at most β."""

    chosen: list[int]
    ratio: Estimate
    """If not ``met``, a lower bound above β says that even the columns that must be published exceed it."""
    met: bool
    sample: int
    added: list[Contribution]
    log_choices: float = 0.0
    """ln of the number of sets, and rules, that could have been chosen by looking at sample B."""
