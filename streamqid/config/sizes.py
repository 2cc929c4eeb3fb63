"""How large the samples of a stream are, and the memory that they take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.config.section import mistake
from streamqid.measures.bounds import log_subsets
from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.sizes import kept_root, key_capacity
from streamqid.reading import COPIES, row_bytes
from streamqid.sampling.capacity import SLACK_SIGMAS, Capacity
from streamqid.sampling.groups import group_bytes

if TYPE_CHECKING:
    from streamqid.config.asking import KeyProblemConfig, MaskProblemConfig, ProblemsConfig
    from streamqid.config.reading import SamplingConfig

MARGIN = 0.05
"""Sets whose ratio is at most (1 - MARGIN)·β can be published from a sample of the size that masking asks for."""
FEWEST_ROWS = 200
"""With fewer rows nothing worth knowing can be promised."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the samples of a stream hold, with the most memory that they take."""

    capacity: Capacity
    wanted: int
    """Rows that the promises need; more than the floor of the capacity where memory ends before."""
    columns: int
    """Columns that memory is planned for."""
    nbytes: int
    """Bytes of landmark samples, panes and counts together, in the worst moment and when all have grown to the end."""


def sizes_of(sampling: SamplingConfig, problems: ProblemsConfig, columns: int, panes: int, counted: int) -> Sizes:
    """Return the sizes of the samples of so many columns and panes, with counts of so many sets.

    Raises a mistake when memory does not hold any.
    """
    # Two samples of each pane and of the whole, and the copies that exist while candidates are merged into one.
    per_row = 2 * (panes + COPIES) * row_bytes(columns)
    counts = counted * (panes + 1) * group_bytes(sampling.groups)
    if counts >= sampling.memory:
        what = f"but {sampling.groups} groups of each counted set in {panes} panes need {counts}"
        raise mistake("sampling.memory", f"is {sampling.memory} bytes, {what}: allow more, or hold fewer groups")
    room = sampling.memory - counts
    ceiling = _rows_within(room // per_row)
    wanted = sampling.rows if sampling.rows is not None else _needed_rows(sampling, problems, columns)
    if ceiling < min(wanted, FEWEST_ROWS):
        least = per_row * _retained(min(wanted, FEWEST_ROWS))
        least += counts
        needed = f"but {columns} columns in {panes} panes need at least {least}"
        raise mistake("sampling.memory", f"is {sampling.memory} bytes, {needed}: allow more, or fewer columns or panes")
    root = _needed_root(sampling, problems, columns) if sampling.distinct else 0.0
    # Saved state depends on the capacity, so it names no ceiling that does not matter.
    capacity = Capacity(min(wanted, ceiling), root, ceiling if root else None)
    return Sizes(capacity, wanted, columns, counts + per_row * _retained(ceiling if root else capacity.floor))


def _needed_rows(sampling: SamplingConfig, problems: ProblemsConfig, columns: int) -> int:
    """Return the rows of A and of B that keys by separation and masking need, by the rules that are asked for."""
    epsilon, delta, beta = sampling.epsilon, sampling.delta, sampling.beta
    questions = [KeyQuestion(Measure.SEPARATION, epsilon, delta, rule, ()) for rule in _rules(problems.key)]
    rows = [key_capacity(columns, question).floor for question in questions]
    for rule in _rules(problems.mask):
        paid = log_subsets(columns if rule is Rule.PAPER else 0, delta)
        pairs = math.ceil(2.0 * paid / (MARGIN**2 * beta))
        rows.append(pairs if rule is Rule.PAPER else 2 * pairs)
    return max(rows)


def _needed_root(sampling: SamplingConfig, problems: ProblemsConfig, columns: int) -> float:
    """Return the rows per root of n that keys by distinct ratio need."""
    epsilon, delta = sampling.epsilon, sampling.delta
    rules = _rules(problems.key) & set(GENERAL_RULES)
    questions = [KeyQuestion(Measure.DISTINCT, epsilon, delta, rule, ()) for rule in rules]
    return max(kept_root(columns, question) for question in questions)


def _rules(problem: KeyProblemConfig | MaskProblemConfig | None) -> set[Rule]:
    """Return the rule of a problem, and the certified one: so a question can be added without other samples."""
    return {Rule.CERTIFIED} if problem is None else {Rule.CERTIFIED, problem.rule}


def _retained(rows: int) -> int:
    """Return how many rows are held for a sample of so many, with its slack."""
    return math.ceil(rows + SLACK_SIGMAS * math.sqrt(rows) + 20.0)


def _rows_within(retained: int) -> int:
    """Return the largest sample for which so many rows are held at most."""
    low, high = 0, max(0, retained)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if _retained(middle) <= retained else (low, middle - 1)
    return low
