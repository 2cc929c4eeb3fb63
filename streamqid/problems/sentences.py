"""The promise of an answer in one plain sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.key_question import FoundKey, KeyQuestion
    from streamqid.problems.mask_question import FoundMask, MaskQuestion
    from streamqid.problems.optimum_answer import Optimality

NAMED_COLUMNS = 12
NEARLY_ALL = 0.99
"""Separation from which on nearly all pairs of rows differ."""
SINGLES_MOST = 0.75
"""Distinct ratio beyond which more than half of the rows are alone in their groups."""


def percent(share: float, *, up: bool = False, exact: bool = False) -> str:
    """Print a share so that it promises no more than it is: rounded down, or up for an upper bound.

    An exact share is rounded to the nearest.  Three digits of the distance from 0 or from 1 are shown.

    >>> percent(0.999), percent(0.998991), percent(0.5), percent(1.0), percent(0.78953, up=True)
    ('99.9 %', '99.899 %', '50 %', '100 %', '79 %')
    >>> percent(0.9909681), percent(0.9909681, exact=True)
    ('99.096 %', '99.097 %')
    """
    distance = min(share, 1.0 - share)
    digits = 0 if distance <= 0.0 else max(0, min(9, -math.floor(math.log10(distance) + 1e-9)))
    scaled = share * 100 * 10**digits
    rounded = math.ceil(scaled - 1e-6) if up else math.floor(scaled + 1e-6)
    text = f"{share * 100 if exact else rounded / 10**digits:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def names(columns: Sequence[str]) -> str:
    """Print a set of columns, shortened when it is long."""
    if len(columns) > NAMED_COLUMNS:
        return f"{{{', '.join(columns[:NAMED_COLUMNS])}, and {len(columns) - NAMED_COLUMNS} more}}"
    return f"{{{', '.join(columns)}}}"


def sure(delta: float | None) -> str:
    """Print how sure a sentence is; None for an exact one."""
    return "exact: every row was counted" if delta is None else f"confidence {percent(1.0 - delta)}"


def key_sentence(
    columns: Sequence[str],
    n: int,
    question: KeyQuestion,
    found: FoundKey,
    *,
    exact: bool,
    crowded: bool,
    unreadable: bool = False,
) -> str:
    """Say what is promised about a key.

    ``crowded`` tells that many rows have the same values on it as others, ``unreadable`` that sampled records could
    not be read.
    """
    if n < 2:
        return "The table has one row: there is nothing to tell apart."
    who, confidence = names(columns), sure(None if exact else question.delta)
    if not columns:
        return _no_key(question, found, confidence, exact=exact)
    if found.met and found.lost is None and found.promised is not None:
        verdict = _verdict(columns, question, found.promised, crowded=crowded) if question.beta is None else ""
        fact = _fact(who, question.measure, "" if exact else "at least ", percent(found.promised, exact=exact))
        return f"{fact} ({confidence}){verdict}."
    if found.met and found.lost is not None:
        unit = "pairs" if question.measure == "separation" else "rows"
        loss = "" if not found.lost else f", but for at most {percent(found.lost, up=True, exact=exact)} of the {unit}"
        return (
            f"{who} tells rows apart as well as all columns seen{loss} ({confidence}); "
            f"that any column set reaches {percent(question.target)} is "
            f"{'prevented by' if exact else 'not certain because of'} rows that are equal on all columns."
        )
    if exact:
        return f"No column set reaches {percent(question.target)}: {who} comes as close as all columns ({confidence})."
    known = f"only {percent(found.promised)} is certain" if found.promised is not None else "nothing is certain"
    return (
        f"Unknown: the sample is too small to promise {percent(question.target)} for {who} "
        f"({known}, {confidence}): ask for a larger epsilon, or {_remedy(question, unreadable=unreadable)}."
    )


def _remedy(question: KeyQuestion, *, unreadable: bool) -> str:
    """Say what makes a sample large enough, besides a larger epsilon."""
    if question.rule == "tuples":
        # Rows that are equal on all columns, of which more tuples show more, spoil the promise by tuples.
        return "by the rule paper"
    if question.rule == "certified" and question.part < 1.0:
        # The sample was laid out for the rule that columns which came late have ruled out.
        return "by the rule certified from the start"
    return "mend the rows that cannot be read" if unreadable else "allow more memory"


def _no_key(question: KeyQuestion, found: FoundKey, confidence: str, *, exact: bool) -> str:
    """Say why no column is needed: all of them together tell hardly any rows apart."""
    if exact and not found.lost:
        return "All rows are equal on all columns: no column set tells any two of them apart."
    most = percent(question.slack if found.lost is None else found.lost, up=True, exact=exact)
    return f"All columns seen together add at most {most} {question.measure} over none at all ({confidence})."


def _verdict(columns: Sequence[str], question: KeyQuestion, promised: float, *, crowded: bool) -> str:
    """Say what the promise means for the rows; nothing where it is too weak to mean much."""
    they = "these columns together" if len(columns) > 1 else "this column by itself"
    are = "are" if len(columns) > 1 else "is"
    single = "single" if len(columns) > 1 else "singles"
    tell = "tell" if len(columns) > 1 else "tells"
    if question.measure == "distinct":
        # Each row that is not alone leaves less than one group a row: of n rows in rn groups (2r-1)n or more are alone.
        return f": {they} {single} out most rows" if promised > SINGLES_MOST else ""
    if promised < NEARLY_ALL:
        return f": {they} {tell} most pairs of rows apart" if promised > 1 / 2 else ""
    if crowded:
        return f": {they} {tell} nearly all pairs apart, though many rows share their values"
    return f": {they} {are} nearly a name tag"


def mask_sentence(columns: Sequence[str], question: MaskQuestion, found: FoundMask, *, exact: bool) -> str:
    """Say what is promised about a set of columns to publish."""
    confidence = sure(None if exact else question.delta)
    limit = percent(question.beta)
    if found.sample < 2 and exact:
        return "The table has one row, which every column identifies: publish nothing."
    if not found.met and question.must_publish:
        surely = (found.ratio.lower or 0.0) > question.beta
        what = "Even the columns that must be published exceed"
        if not surely:
            what = "Unknown: the columns that must be published are not certain to stay within"
        return f"{what} {limit} ({confidence}): publish fewer of them, or allow a larger beta."
    if not columns and len(question.must_hide) == len(question.weights):
        return "Every column must be hidden, so nothing is published."
    if not columns:
        if exact:
            return f"No column stays within {limit} ({confidence}): allow a larger beta."
        return f"No column is certain to stay within {limit} ({confidence}): sample more rows, or allow a larger beta."
    upper = percent(found.ratio.upper if found.ratio.upper is not None else 1.0, up=True, exact=exact)
    return f"{_fact(names(columns), question.measure, '' if exact else 'at most ', upper)} ({confidence})."


def check_sentence(columns: Sequence[str], n: int, separation: Estimate, delta: float | None) -> str:
    """Say how well a given set tells rows apart."""
    if n < 2:
        return "The table has one row: there is nothing to tell apart."
    lower, upper = percent(separation.lower or 0.0), percent(separation.upper or 0.0, up=True)
    share = percent(separation.estimate, exact=True) if delta is None else f"{lower} to {upper}"
    return f"{_fact(names(columns), 'separation', '', share)} ({sure(delta)})."


def _fact(who: str, measure: str, bound: str, share: str) -> str:
    if measure == "separation":
        return f"Any two random rows differ on {who} in {bound}{share} of cases"
    return f"The rows take {bound}{share} as many different values on {who} as there are rows"


def optimum_sentence(optimality: Optimality, better: str) -> str:
    """Say whether a set is the best one; ``better`` is lighter or heavier."""
    weights = f"(weight {optimality.weight:g}, greedy {optimality.greedy_weight:g})"
    if optimality.optimal:
        return f"It is an optimum: no {better} set will do {weights}."
    return (
        f"It need not be an optimum: the time of {optimality.time_limit:g} s ran out before a {better} set, "
        f"up to {optimality.bound:.4g}, could be ruled out {weights}."
    )
