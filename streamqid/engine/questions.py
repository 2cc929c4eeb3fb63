"""What is asked of a stream, by names of columns: which columns exist is only known as records arrive."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamqid.errors import UsageError
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def _weights(columns: Sequence[str], weights: Mapping[str, float]) -> tuple[float, ...]:
    return tuple(weights.get(column, 1.0) for column in columns)


def _numbers(columns: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    return tuple(columns.index(name) for name in dict.fromkeys(names) if name in columns)


@dataclass(frozen=True, slots=True)
class AskKey:
    """Ask for a small column set that identifies nearly every row (see ``problems.minimum_key``)."""

    measure: Measure = Measure.SEPARATION
    epsilon: float = 0.001
    delta: float = 0.01
    rule: Rule = Rule.CERTIFIED
    beta: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.on(())

    def on(self, columns: Sequence[str]) -> KeyQuestion:
        """Return the question about a table with these columns."""
        weights = _weights(columns, self.weights)
        return KeyQuestion(self.measure, self.epsilon, self.delta, self.rule, weights, self.beta)


@dataclass(frozen=True, slots=True)
class AskMask:
    """Ask for a large column set that can be published (see ``problems.masking``).

    A column that must be published or hidden and has not been seen yet is left out of the question.
    """

    measure: Measure = Measure.SEPARATION
    beta: float = 0.8
    delta: float = 0.01
    rule: Rule = Rule.CERTIFIED
    weights: Mapping[str, float] = field(default_factory=dict)
    must_publish: tuple[str, ...] = ()
    must_hide: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.on(())

    def on(self, columns: Sequence[str]) -> MaskQuestion:
        """Return the question about a table with these columns."""
        return MaskQuestion(
            self.measure,
            self.beta,
            self.delta,
            self.rule,
            _weights(columns, self.weights),
            _numbers(columns, self.must_publish),
            _numbers(columns, self.must_hide),
        )


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """Columns that are published together today, and the separation that they may have at most.

    ``delta`` is the probability with which the interval of one verdict may miss the truth.
    """

    name: str
    columns: tuple[str, ...]
    limit: float
    delta: float = 0.01

    def __post_init__(self) -> None:
        if not self.columns:
            msg = f"The published set {self.name!r} has no columns: name at least one."
            raise UsageError(msg)
        if not (0.0 < self.limit <= 1.0 and 0.0 < self.delta < 1.0):
            msg = f"The limit and the delta of the published set {self.name!r} must lie between 0 and 1."
            raise UsageError(msg)
