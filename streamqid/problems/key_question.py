"""What is asked of a key, and what a solver found."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamqid.errors import UsageError
from streamqid.problems.answer import Measure, Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import Contribution

RATIO = 0.1
"""Share of δ that the certified rule spends on the ratio of a set where it judges what the set loses."""


@dataclass(frozen=True, slots=True)
class KeyQuestion:
    """A set is asked for whose ratio is at least 1 - ε, or (1 - ε)β when β is given, except with probability δ.

    ``part`` is the share of δ that one rule may spend: less than 1 where the sample decides which rule answers.
    """

    measure: Measure
    epsilon: float
    delta: float
    rule: Rule
    weights: Sequence[float]
    beta: float | None = None
    part: float = 1.0

    def __post_init__(self) -> None:
        if self.rule is Rule.TUPLES and (self.measure is not Measure.SEPARATION or self.beta is not None):
            msg = "The rule tuples finds keys by separation, without beta: use the rule paper or certified."
            raise UsageError(msg)

    def on(self, weights: Sequence[float], rule: Rule) -> KeyQuestion:
        """Return the question for columns with these weights, by this rule."""
        return replace(self, weights=weights, rule=rule)

    @property
    def paid_delta(self) -> float:
        """Probability with which the rule may break the promise of the sentence."""
        return self.delta * self.part

    @property
    def loss_delta(self) -> float:
        """The part of it for what a set loses against all columns, by the certified rule."""
        return self.paid_delta * (1.0 - RATIO)

    @property
    def ratio_delta(self) -> float:
        """The rest of it, for the ratio of that set."""
        return self.paid_delta * RATIO

    @property
    def log_rules(self) -> float:
        """What an interval beside the sentence, which has a δ of its own, pays for the rules that could answer."""
        return -math.log(self.part)

    @property
    def target(self) -> float:
        """The ratio that is to be promised."""
        return 1.0 - self.epsilon if self.beta is None else (1.0 - self.epsilon) * self.beta

    @property
    def slack(self) -> float:
        """The share of pairs or rows that may stay unseparated."""
        return 1.0 - self.target


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A chosen set with the promise that holds for it."""

    chosen: list[int]
    ratio: Estimate
    promised: float | None
    """The ratio is at least this; None when only ``lost`` is promised, or nothing."""
    lost: float | None
    """All columns together have a ratio higher by at most this; None when that is not promised."""
    met: bool
    sample: int
    added: list[Contribution]
