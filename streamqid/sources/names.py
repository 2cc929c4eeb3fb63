"""Checking the names of columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from streamqid.errors import TableError

if TYPE_CHECKING:
    from collections.abc import Iterable


def checked_names(columns: Iterable[object], name: str) -> tuple[str, ...]:
    """Return the names of the columns of a table as text, if none is empty or occurs twice."""
    names = tuple(str(column) for column in columns)
    for position, column in enumerate(names, start=1):
        if not column.strip():
            raise TableError(f"Column {position} of {name} has no name: name every column.")
    twice = [column for column, times in Counter(names).items() if times > 1]
    if twice:
        raise TableError(f"{name} has more than one column named {', '.join(twice)}: rename all but one.")
    return names
