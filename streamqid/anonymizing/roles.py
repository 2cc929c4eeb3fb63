"""What each column of a table is: quasi-identifier, sensitive, kept or dropped."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.engine.projection import require_column
from streamqid.errors import UsageError
from streamqid.options import name_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.anonymize.request import Request


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of each role; together they are all columns of the table, each once."""

    quasi: Sequence[str]
    sensitive: Sequence[str] = ()
    keep: Sequence[str] = ()
    """Published as they are."""
    drop: Sequence[str] = ()
    """Not published."""

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for role, names in self.names().items():
            object.__setattr__(self, role, names)
            for name in names:
                if name in seen:
                    msg = f"Column {name!r} is named as {seen[name]} and as {role}: name it in one place only."
                    raise UsageError(msg)
                seen[name] = role
        if not self.quasi:
            msg = "Name at least one quasi-identifier: only their cells are suppressed."
            raise UsageError(msg)

    def fit(self, request: Request) -> None:
        """Raise a UsageError if the request needs another number of sensitive columns."""
        if request.k is None and len(self.names()["sensitive"]) != 1:
            msg = f"{request.model} is about one sensitive column: name one, and the others as quasi, keep or drop."
            raise UsageError(msg)

    def names(self) -> dict[str, list[str]]:
        """Return the columns of each role, none of them twice."""
        given = {"quasi": self.quasi, "sensitive": self.sensitive, "keep": self.keep, "drop": self.drop}
        return {role: name_list(role, names) for role, names in given.items()}

    def check(self, columns: Sequence[str], *, all_known: bool) -> None:
        """Raise a UsageError if a name is unknown, or if a column has no role: it could be an identifier."""
        named = [*self.quasi, *self.sensitive, *self.keep, *self.drop]
        if all_known:
            for name in named:
                require_column(name, columns)
        others = [column for column in columns if column not in set(named)]
        if others:
            msg = (
                f"Say what becomes of {_listed(others)}: name every column as quasi, sensitive, keep or drop, "
                "so that no identifier slips through."
            )
            raise UsageError(msg)

    def published(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that are written, in the order of the table."""
        dropped = set(self.drop)
        return [column for column in columns if column not in dropped]


def _listed(names: Sequence[str], most: int = 10) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(map(repr, names[:most]))}{more}"
