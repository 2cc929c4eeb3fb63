"""Of which type the values of a column are: a word for each, and never a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import MutableMapping, Sequence

MOST_COLUMNS = 1 << 12


def see_types(types: MutableMapping[str, set[str]], columns: Sequence[str], values: Sequence[Sequence[object]]) -> None:
    """Add the types of the first decoded record to what is known of each column.

    One record of each batch is looked at: a column that changes its type does so in all records that follow, and to
    look at every value would cost more than to hash it.
    """
    for column, found in zip(columns, values, strict=True):
        word = type_of(found[0]) if found else None
        if word is not None and (column in types or len(types) < MOST_COLUMNS):
            types.setdefault(column, set()).add(word)


def type_of(value: object) -> str | None:
    """Return the type of a value; None for those that stand for no value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    return "text" if isinstance(value, str) and value else None
