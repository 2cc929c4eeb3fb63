"""The promise of an answer in one plain sentence."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.key_question import FoundKey, KeyQuestion
    from streamqid.problems.mask_question import FoundMask, MaskQuestion

NAMED_COLUMNS = 12


def percent(share: float, *, up: bool = False) -> str:
    """Print a share so that it promises no more than it is: rounded down, or up for an upper bound.

    Three digits of the distance from 0 or from 1 are shown.

    >>> percent(0.999), percent(0.998991), percent(0.5), percent(1.0), percent(0.78953, up=True)
    ('99.9 %', '99.899 %', '50 %', '100 %', '79 %')
    """
    distance = min(share, 1.0 - share)
    digits = 0 if distance <= 0.0 else max(0, min(9, -math.floor(math.log10(distance) + 1e-9)))
    scaled = share * 100 * 10**digits
    rounded = math.ceil(scaled - 1e-6) if up else math.floor(scaled + 1e-6)
    text = f"{rounded / 10**digits:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def names(columns: Sequence[str]) -> str:
    """Print a set of columns, shortened when it is long."""
    if len(columns) > NAMED_COLUMNS:
        return f"{{{', '.join(columns[:NAMED_COLUMNS])}, and {len(columns) - NAMED_COLUMNS} more}}"
    return f"{{{', '.join(columns)}}}"


def sure(delta: float | None) -> str:
    """Print how sure a sentence is; None for an exact one."""
    return "exact: every row was counted" if delta is None else f"confidence {percent(1.0 - delta)}"


def key_sentence(columns: Sequence[str], n: int, question: KeyQuestion, found: FoundKey, *, exact: bool) -> str:
    """Say what is promised about a key."""
    if n < 2:
        return f"The table has {n} row: there is nothing to tell apart."
    if not columns:
        return "All rows are equal on all columns: no column set tells any two of them apart."
    who, confidence = names(columns), sure(None if exact else question.delta)
    if question.measure == "separation":
        fact, verdict = "Any two random rows differ on {} in at least {} of cases", "are nearly a name tag"
    else:
        fact, verdict = (
            "The rows take at least {1} as many different values on {0} as there are rows",
            "single out most rows",
        )
    if found.met and found.lost is None and found.promised is not None:
        tail = f": these columns together {verdict}." if question.beta is None else "."
        return fact.format(who, percent(found.promised)) + f" ({confidence}){tail}"
    if found.met and found.lost is not None:
        return (
            f"{who} tells rows apart as well as all columns together, but for at most {percent(found.lost, up=True)} "
            f"of the {'pairs' if question.measure == 'separation' else 'rows'} ({confidence}); "
            f"duplicate rows keep every column set from {percent(question.target)}."
        )
    known = f"only {percent(found.promised)} is certain" if found.promised is not None else "nothing is certain"
    return (
        f"Unknown: the sample is too small to promise {percent(question.target)} for {who} ({known}, {confidence}): "
        "sample more rows, or ask for a larger epsilon."
    )


def mask_sentence(columns: Sequence[str], question: MaskQuestion, found: FoundMask, *, exact: bool) -> str:
    """Say what is promised about a set of columns to publish."""
    confidence = sure(None if exact else question.delta)
    limit = percent(question.beta)
    if not found.met and question.must_publish:
        return (
            f"Unknown: the columns that must be published are not certain to stay within {limit} "
            f"({confidence}): publish fewer of them, or allow a larger beta."
        )
    if not columns:
        return f"No column can be published within {limit} ({confidence}): sample more rows, or allow a larger beta."
    bound = percent(found.ratio.upper if found.ratio.upper is not None else 1.0, up=True)
    if question.measure == "separation":
        return f"Any two random rows differ on {names(columns)} in at most {bound} of cases ({confidence})."
    return (
        f"The rows take at most {bound} as many different values on {names(columns)} as there are rows ({confidence})."
    )


def check_sentence(columns: Sequence[str], separation: Estimate, delta: float | None) -> str:
    """Say how well a given set tells rows apart."""
    lower, upper = percent(separation.lower or 0.0), percent(separation.upper or 0.0, up=True)
    share = lower if delta is None else f"{lower} to {upper}"
    return f"Two random rows differ on {names(columns)} in {share} of cases ({sure(delta)})."
