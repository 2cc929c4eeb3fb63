"""Questions about small tables, with the sample that the formulas ask for unless another one is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.answer import KeyAnswer, MaskAnswer, Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.sizes import key_capacity
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MissingRule
from tests.unit.sampling.plain import evidence_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

Row = tuple["Hashable", ...]


def key(
    rows: Sequence[Sequence[Hashable]],
    measure: Measure = Measure.SEPARATION,
    rule: Rule = Rule.PAPER,
    *,
    epsilon: float = 0.1,
    delta: float = 0.05,
    beta: float | None = None,
    weights: Sequence[float] | None = None,
    capacity: int | None = None,
    seed: int = 0,
    missing: MissingRule = MissingRule.VALUE,
) -> KeyAnswer:
    """Ask for a key of a table."""
    m = len(rows[0]) if rows else 1
    question = KeyQuestion(measure, epsilon, delta, rule, weights or [1.0] * m, beta)
    size = key_capacity(m, question) if capacity is None else Capacity(capacity)
    return minimum_key(evidence_of(rows, seed, size, missing, columns=m), question)


def mask(
    rows: Sequence[Sequence[Hashable]],
    measure: Measure = Measure.SEPARATION,
    rule: Rule = Rule.PAPER,
    *,
    beta: float = 0.5,
    delta: float = 0.05,
    weights: Sequence[float] | None = None,
    publish: Sequence[int] = (),
    hide: Sequence[int] = (),
    capacity: int = 10_000,
    seed: int = 0,
    missing: MissingRule = MissingRule.VALUE,
) -> MaskAnswer:
    """Ask what can be published of a table; the default capacity holds it whole."""
    m = len(rows[0]) if rows else 1
    question = MaskQuestion(measure, beta, delta, rule, weights or [1.0] * m, publish, hide)
    return masking(evidence_of(rows, seed, capacity, missing, columns=m), question)


def numbers(columns: Sequence[str]) -> list[int]:
    """Return the numbers of named columns."""
    return [int(name[1:]) for name in columns]
