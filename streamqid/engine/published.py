"""What was published last, so that a restart says nothing twice and nothing older.

Every publisher that can read back what it wrote keeps one ledger.  For each stream the positions of what it lets
through never decrease in any origin, and no two documents in a row have the same id.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from streamqid.engine.documents import Position, Recommendation

if TYPE_CHECKING:
    from collections.abc import Sequence


class Known(BaseModel):
    """What a later document is compared with; read from documents of any version that has these fields."""

    id: str
    stream: str
    positions: list[Position]


def known(text: bytes) -> Known | None:
    """Read back a document; None if the text is not one."""
    try:
        return Known.model_validate_json(text)
    except ValidationError:
        return None


class Standing(enum.Enum):
    """How a document stands to what was published last."""

    NEWER = "newer"
    REPEATED = "repeated"
    """It was published."""
    BEHIND = "behind"
    """It covers less of some origin than what was published."""


class Ledger:
    """The last published document of each stream, as far as it is known."""

    def __init__(self) -> None:
        self._last: dict[str, Known] = {}

    def standing(self, document: Recommendation | Known) -> Standing:
        """Return whether a document may be published; the first one of a stream always may."""
        last = self._last.get(document.stream)
        if last is None:
            return Standing.NEWER
        if last.id == document.id:
            return Standing.REPEATED
        return Standing.BEHIND if _behind(document.positions, last.positions) else Standing.NEWER

    def note(self, document: Recommendation | Known) -> None:
        """Remember that a document was published."""
        self._last[document.stream] = Known(id=document.id, stream=document.stream, positions=document.positions)


def _behind(now: Sequence[Position], last: Sequence[Position]) -> bool:
    """Return whether some origin was read less far than before.

    An origin that is not there at all was not read, unless its place was taken by another log of its name: then the
    old one no longer exists and cannot be read any further.
    """
    reached = {(position.origin, position.partition, position.id): position.next_offset for position in now}
    names = {position.origin for position in now if position.id}
    ids = {(position.origin, position.id) for position in now}
    for position in last:
        here = reached.get((position.origin, position.partition, position.id))
        replaced = position.id != "" and position.origin in names and (position.origin, position.id) not in ids
        if (here is None and not replaced) or (here is not None and here < position.next_offset):
            return True
    return False
