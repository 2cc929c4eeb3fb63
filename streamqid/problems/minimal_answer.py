"""The document that holds all minimal sets, and its promise in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Answer, Document, Measure, Rule
from streamqid.problems.sentences import percent, sure

if TYPE_CHECKING:
    from streamqid.problems.minimal_question import MinimalQuestion

Method = Literal["search", "levelwise"]
Problem = Literal["all minimal keys", "all minimal beta-separation sets", "all minimal beta-distinct sets"]


class MinimalSet(Document):
    """A column set that reaches the ratio asked for, while no part of it does."""

    columns: list[str]
    ratio: Estimate
    """Its separation or distinct ratio, as the answer's ``measure`` says."""
    certain: bool
    """Whether it reaches the ratio asked for with the answer's confidence; always so when the answer is exact."""


class MinimalAnswer(Answer):
    """All minimal column sets that identify rows to a given degree.

    From a sample: sets of which every column set that reaches the ratio holds one.
    """

    problem: Problem
    measure: Measure
    rule: Rule | None = None
    """How a sample earns the promise; None when every row was counted."""
    method: Method
    epsilon: float | None
    beta: float
    """The ratio that the sets reach: 1 - ε, or the β asked for.  Keys reach as much as all columns do."""
    delta: float | None
    """Probability that the answer is wrong; None when nothing in it is uncertain."""
    sets: list[MinimalSet]
    """By size (by weight, if columns have weights), and the riskiest first: the one with the highest ratio."""
    complete: bool
    """Whether all minimal sets were looked for."""
    complete_up_to: int | None
    """All minimal sets of at most this many columns are here; None when the search stopped at a number of sets."""
    tested: int
    """Column sets that were counted on the whole table (or sample)."""
    saved: int | None = None
    """Column sets that the levelwise search without pruning would have counted as well."""
    inseparable_rows: int
    """Rows that equal another row on all columns (of those looked at), so that no column set tells them apart."""


def problem_of(question: MinimalQuestion) -> Problem:
    """Return the name of the paper's problem."""
    if question.keys:
        return "all minimal keys"
    if question.measure is Measure.SEPARATION:
        return "all minimal beta-separation sets"
    return "all minimal beta-distinct sets"


def minimal_sentence(
    question: MinimalQuestion, sets: list[MinimalSet], *, up_to: int | None, m: int, delta: float | None, exact: bool
) -> str:
    """Say what was found and whether it is all; ``delta`` is None when nothing is uncertain."""
    what, many = _asked(question), f"{len(sets):,} minimal column set{'' if len(sets) == 1 else 's'}"
    confidence = "certain" if delta is None and not exact else sure(delta)
    if len(sets) == 1 and not sets[0].columns:
        return f"No column {'is' if sets[0].certain else 'may be'} needed to {what} ({confidence})."
    verb, _, rest = what.partition(" ")
    do = f"{verb}{'s' if len(sets) == 1 else ''} {rest}"
    some = sum(found.certain for found in sets)
    surely = "" if exact or question.keys else f", and {some:,} of them do so for certain"
    if up_to is None or any(len(found.columns) > up_to for found in sets):
        those = f"{many} that {do}" if exact else f"{len(sets):,} of the sets that may {what}{surely}"
        smaller = f"but none of at most {_columns(up_to)}" if up_to else "and smaller ones"
        return f"The search stopped at {those} ({confidence}): there may be more, {smaller}."
    size = "" if up_to >= m else f" of at most {_columns(up_to)}"
    if not sets:
        hint = "" if up_to < m else ": ask with epsilon 0 for the sets that separate as much as all columns"
        return f"No column set{size} can {what} ({confidence}){hint}."
    if not exact:
        one = f"one of {len(sets):,} sets" if len(sets) > 1 else "the set found"
        return f"All column sets{size} that {what} hold {one}{surely} ({confidence})."
    them = "it" if len(sets) == 1 else "one of them"
    return f"{many}{size} {do}; every other set{size} that does so holds {them} ({confidence})."


def _columns(number: int) -> str:
    return f"{number} column{'' if number == 1 else 's'}"


def _asked(question: MinimalQuestion) -> str:
    if question.keys:
        return "separate as much as all columns"
    if question.measure is Measure.SEPARATION:
        return f"separate at least {percent(question.target)} of all pairs of rows"
    return f"take at least {percent(question.target)} as many different values as there are rows"
