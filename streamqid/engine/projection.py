"""Which columns of a record are looked at."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

LISTED = 20
"""Columns that are named where nothing is near to what was asked for."""


class Projection:
    """Keeps the columns of ``only`` (all when it is empty) that are not in ``ignore``.

    A name of more than ``longest`` characters is not kept unless ``only`` has it: producers may make up names as large
    as records, which would be in every state and answer.
    """

    def __init__(self, only: Iterable[str] = (), ignore: Iterable[str] = (), longest: int | None = None) -> None:
        self.only = tuple(dict.fromkeys(only))
        self.ignore = tuple(dict.fromkeys(ignore))
        self.longest = longest
        both = set(self.only) & set(self.ignore)
        if both:
            msg = f"Column {sorted(both)[0]!r} is asked for and ignored at once: name it in one place only."
            raise UsageError(msg)

    def keep(self, columns: Sequence[str]) -> list[int]:
        """Return the positions of the columns that are kept, in their own order."""
        only, ignore = set(self.only), set(self.ignore)
        if only:
            return [j for j, c in enumerate(columns) if c in only and c not in ignore]
        return [j for j, c in enumerate(columns) if c not in ignore and not self.too_long(c)]

    def too_long(self, column: str) -> bool:
        """Whether a name is too long for a column that was not asked for."""
        return self.longest is not None and len(column) > self.longest and column not in self.only

    def check(self, columns: Sequence[str]) -> None:
        """Raise a UsageError if a named column is not among the table's columns, or none is left."""
        for name in (*self.only, *self.ignore):
            require_column(name, columns)
        if not self.keep(columns):
            msg = "No column is left to look at: ignore fewer columns."
            raise UsageError(msg)


def require_column(name: str, columns: Sequence[str]) -> None:
    """Raise a UsageError that suggests the nearest name if the column is unknown."""
    if name in columns:
        return
    folded = {column.casefold(): column for column in reversed(columns)}
    near = [folded[match] for match in difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)]
    more = f" and {len(columns) - LISTED:,} more" if len(columns) > LISTED else ""
    hint = f"did you mean {near[0]!r}?" if near else f"the columns are {', '.join(columns[:LISTED])}{more}."
    msg = f"There is no column {name!r}: {hint}"
    raise UsageError(msg)
