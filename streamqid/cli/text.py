"""Numbers and names as text, for people."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamqid.measures.estimate import Estimate

KILO = 1000


def plain(text: str) -> str:
    r"""Show control characters by their codes: the name of a column must not steer a terminal.

    >>> plain("a\x1b[31m\nb")
    'a\\x1b[31m\\nb'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)


def one_line(text: str) -> str:
    """Return a text on one line and without control characters."""
    return plain(" ".join(text.split()))


def percent(share: float) -> str:
    """Print an estimate to the nearest of about three digits of its distance from 0 or from 1.

    >>> percent(0.97868), percent(0.34189), percent(0.0011186), percent(0.0), percent(1.0)
    ('97.87 %', '34.2 %', '0.112 %', '0 %', '100 %')
    """
    distance = min(abs(share), abs(1.0 - share))
    digits = 0 if distance <= 0.0 else max(0, min(9, -math.floor(math.log10(distance) + 1e-9)))
    text = f"{share * 100:.{digits}f}"
    return f"{text.rstrip('0').rstrip('.') if '.' in text else text} %"


def interval(estimate: Estimate) -> str:
    """Print the interval of an estimate, rounded outwards; nothing where nothing is promised."""
    from streamqid.problems.sentences import percent as outwards

    lower = None if estimate.lower is None else outwards(estimate.lower)
    upper = None if estimate.upper is None else outwards(estimate.upper, up=True)
    if lower is None:
        return "" if upper is None else f"≤ {upper}"
    return f"≥ {lower}" if upper is None else f"{lower.removesuffix(' %')} – {upper}"


def count(number: int, noun: str) -> str:
    """Print how many there are.

    >>> count(1, "row"), count(32_561, "row")
    ('1 row', '32,561 rows')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def nbytes(size: float) -> str:
    """Print a number of bytes.

    >>> nbytes(999), nbytes(4_100_000), nbytes(2.5e14)
    ('999 B', '4.1 MB', '250 TB')
    """
    unit = "B"
    for larger in ("kB", "MB", "GB", "TB", "PB"):
        if size < KILO:
            break
        size, unit = size / KILO, larger
    return f"{size:,.3g} {unit}" if size < KILO else f"{size:,.0f} {unit}"
