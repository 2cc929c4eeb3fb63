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

CLAIMS = 3
"""Claims that a key by distinct ratio may make on its tuples by the paper's rule, each with its part of δ."""
SPARE_ROWS = 16
"""Rows kept beyond the pairs that a formula asks for, since a row is never paired with itself."""
READABLE = 0.9
"""Share of the records of a table that can be read, at least: as long as it holds, the rule paper has its pairs."""


def key_pairs(columns: int, question: KeyQuestion) -> int:
    """Return the number of independent pairs, or of tuples by that rule, that a key by separation is judged on."""
    if question.beta is not None:
        # The certified rule pays for one set instead of 2^m.
        paid = columns if question.rule is Rule.PAPER else 0
        return beta_pairs(paid, question.beta, question.epsilon, question.paid_delta)
    if question.rule is Rule.TUPLES:
        return tuple_key_tuples(columns, question.epsilon, question.paid_delta)
    if question.rule is Rule.PAPER:
        return separation_key_pairs(columns, question.epsilon, question.paid_delta)
    return math.ceil(certified_units(question.paid_delta) / question.epsilon)


def key_root(columns: int, question: KeyQuestion) -> float:
    """Return the number of tuples per sqrt(n) that a key by distinct ratio is judged on."""
    if question.rule is Rule.PAPER:
        return distinct_key_root(columns, question.epsilon, question.paid_delta)
    return math.sqrt(certified_units(question.paid_delta, tuples=True) / question.epsilon)


def kept_root(columns: int, question: KeyQuestion) -> float:
    """Return the number of tuples per sqrt(n) that are kept for a key by distinct ratio.

    By the paper's rule somewhat more than its formula: sqrt(2/ε · ln(2^m · 3/δ)), so that the promise against all
    columns, which is needed when rows are duplicates, holds with ε as well.
    """
    if question.rule is Rule.PAPER:
        # A little more for whole numbers of rows.
        return 1.0005 * math.sqrt(2.0 / question.epsilon * log_subsets(columns, question.paid_delta / CLAIMS))
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


def table_capacity(columns: int, question: KeyQuestion) -> Capacity:
    """Return the capacity for a table of which a tenth of the records may turn out to be unreadable.

    A pair needs two readable rows, and the paper's rule keeps its promise on no fewer pairs than its formula asks for;
    of more it takes the first ones.  Tuples by that rule need no spare, since their bound is about twice as sharp
    as the formula; the certified rule judges on whatever there is; the rule tuples would find longer keys.
    """
    capacity = key_capacity(columns, question)
    if question.measure is Measure.DISTINCT or question.rule is not Rule.PAPER:
        return capacity
    return Capacity(math.ceil(capacity.floor / READABLE**2))
