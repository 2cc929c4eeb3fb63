"""What a copy has published so far, so that recommendations that follow each other never add up to more than one.

A record is copied once, but a person may have many.  A set that holds all that was published before is proven as a
whole, and every part of a proven set is proven as well; two sets side by side are not.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MARK_CHARACTERS: Final = 8
Marks: TypeAlias = frozenset[str]
"""Columns by the hashes of their names, which are short: the brokers keep them beside the offsets."""


def mark_of(column: str) -> str:
    """Return the mark of a column.

    >>> mark_of("age"), mark_of("zip")
    ('RtntmeM8', 'q8K0IefS')
    """
    return base64.urlsafe_b64encode(hashlib.blake2b(column.encode(), digest_size=6).digest()).decode()


def marks_of(columns: Iterable[str]) -> Marks:
    """Return the marks of columns."""
    return frozenset(map(mark_of, columns))


def allowed(recommended: Collection[str], shown: Marks) -> tuple[str, ...]:
    """Return which recommended columns may be published after ``shown`` was: all, if they hold everything shown.

    Otherwise only those that were: what was published before stays a part of one set that was proven.

    >>> shown = marks_of(["age", "sex"])
    >>> allowed(["sex", "job", "age"], shown), allowed(["job", "age"], shown)
    (('age', 'job', 'sex'), ('age',))
    """
    every = sorted(recommended)
    if shown <= marks_of(every):
        return tuple(every)
    return tuple(name for name in every if mark_of(name) in shown)


def written(shown: Marks) -> str:
    """Return marks as one text without spaces."""
    return "".join(sorted(shown))


def read(text: str) -> Marks:
    """Return the marks that a text was written from."""
    return frozenset(text[at : at + MARK_CHARACTERS] for at in range(0, len(text), MARK_CHARACTERS))
