"""What one copy of a stream is told."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Literal, TypeAlias

Constant: TypeAlias = str | int | float | bool | None
"""What stands in the place of a value that is not published."""


class Action(enum.StrEnum):
    """What happens to the records that come next."""

    COPY = "pass"
    STOP = "stop"
    """They wait, and are copied once that is allowed again."""
    DROP = "drop"
    """They go by, and are never copied."""


@dataclass(frozen=True, slots=True)
class CopyRule:
    """One copy; exactly one of ``set``, ``columns`` and ``recommended`` says what is published.

    Parameters
    ----------
    to
        The topic that is written.
    set, columns, recommended
        A published set with its columns; columns that nobody judges; or the columns of the newest masking.
    hidden
        Names of fields that are written with ``constant`` instead of their value; all others are left out.
    keep_key
        Whether keys are copied, and with them null values; a deletion in another form becomes one.
    when_unsafe, when_unsure
        What to do while the columns are judged unsafe, and while they are at risk or not judged.
    """

    to: str
    columns: tuple[str, ...] = ()
    set: str | None = None
    recommended: bool = False
    hidden: tuple[str, ...] = ()
    constant: Constant = None
    keep_key: bool = False
    when_unsafe: Action = Action.STOP
    when_unsure: Action = Action.STOP

    @property
    def source(self) -> Literal["set", "columns", "recommended"]:
        """Where the published columns come from."""
        if self.recommended:
            return "recommended"
        return "columns" if self.set is None else "set"
