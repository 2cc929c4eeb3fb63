"""Numbers as text, for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.problems.sentences import percent as outwards

if TYPE_CHECKING:
    from streamqid.measures.estimate import Estimate


def percent(share: float) -> str:
    """Print an estimate to the nearest of about three digits of its distance from 0 or from 1.

    >>> percent(0.97868), percent(0.34189), percent(0.0011186), percent(0.0), percent(1.0)
    ('97.87 %', '34.2 %', '0.112 %', '0 %', '100 %')
    """
    distance = min(abs(share), abs(1.0 - share))
    digits = 0 if distance <= 0.0 else max(0, min(9, -math.floor(math.log10(distance) + 1e-9)))
    text = f"{share * 100:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


NEGLIGIBLE = 1e-4
"""A lower bound below this share of the upper one is printed as 0: its digits would say nothing and take much room."""


def interval(estimate: Estimate) -> str:
    """Print the interval of an estimate, rounded outwards; nothing where nothing is promised.

    >>> from streamqid.measures.estimate import Estimate
    >>> interval(Estimate(estimate=7e-5, lower=2e-11, upper=1.26e-3, confidence=0.99))
    '0 – 0.126 %'
    """
    least = estimate.lower
    if least is not None and estimate.upper is not None and least < NEGLIGIBLE * estimate.upper:
        least = 0.0
    lower = None if least is None else outwards(least)
    upper = None if estimate.upper is None else outwards(estimate.upper, up=True)
    if lower is None:
        return "" if upper is None else f"≤ {upper}"
    return f"≥ {lower}" if upper is None else f"{lower.removesuffix(' %')} – {upper}"


def shown(estimate: Estimate) -> str:
    """Print what is known: an exact value, an interval, or what the sample shows where nothing is promised."""
    if estimate.lower == estimate.upper and estimate.lower is not None:
        return percent(estimate.estimate)
    return interval(estimate) or f"about {percent(estimate.estimate)}"


def count(number: int, noun: str) -> str:
    """Print how many there are.

    >>> count(1, "row"), count(32_561, "row")
    ('1 row', '32,561 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
