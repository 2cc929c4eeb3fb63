"""How large a sample each question needs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.bounds import (
    beta_pairs,
    certified_units,
    distinct_key_root,
    log_subsets,
    separation_key_pairs,
    tuple_key_tuples,
)
from streamqid.problems.answer import Measure, Rule
from streamqid.sampling.capacity import Capacity

if TYPE_CHECKING:
    from streamqid.problems.key_question import KeyQuestion

SPARE_ROWS = 16
"""Rows kept beyond the pairs that a formula asks for, since a row is never paired with itself."""


def key_pairs(columns: int, question: KeyQuestion) -> int:
    """Return the number of independent pairs, or of tuples by that rule, that a key by separation is judged on."""
    if question.beta is not None:
        # The certified rule pays for one set instead of 2^m.
        paid = columns if question.rule is Rule.PAPER else 0
        return beta_pairs(paid, question.beta, question.epsilon, question.delta)
    if question.rule is Rule.TUPLES:
        return tuple_key_tuples(columns, question.epsilon, question.delta)
    if question.rule is Rule.PAPER:
        return separation_key_pairs(columns, question.epsilon, question.delta)
    return math.ceil(certified_units(question.delta) / question.epsilon)


def key_root(columns: int, question: KeyQuestion) -> float:
    """Return the number of tuples per sqrt(n) that a key by distinct ratio is judged on."""
    if question.rule is Rule.PAPER:
        return distinct_key_root(columns, question.epsilon, question.delta)
    return math.sqrt(certified_units(question.delta, tuples=True) / question.epsilon)


def kept_root(columns: int, question: KeyQuestion) -> float:
    """Return the number of tuples per sqrt(n) that are kept for a key by distinct ratio.

    By the paper's rule somewhat more than its formula: sqrt(2/ε · ln(2^m · 2/δ)), so that the promise against all
    columns, which is needed when rows are duplicates, holds with ε as well.
    """
    if question.rule is Rule.PAPER:
        # A little more for whole numbers of rows.
        return 1.0005 * math.sqrt(2.0 / question.epsilon * log_subsets(columns, question.delta / 2))
    return key_root(columns, question)


def key_tuples(columns: int, n: int, question: KeyQuestion) -> int:
    """Return the number of tuples that a key by distinct ratio is judged on, of n rows."""
    return math.ceil(kept_root(columns, question) * math.sqrt(n))


def key_capacity(columns: int, question: KeyQuestion) -> Capacity:
    """Return the capacity of A and of B that a key needs.

    The paper's pairs take one row of A and one of B; certified pairs take two rows of B; tuples are rows of A.
    """
    if question.measure is Measure.DISTINCT:
        return Capacity(SPARE_ROWS, kept_root(columns, question))
    rows_per_pair = 2 if question.rule is Rule.CERTIFIED else 1
    return Capacity(rows_per_pair * key_pairs(columns, question) + SPARE_ROWS)
