"""What happens in the loop of a stream, as values."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from streamqid.engine.documents import Recommendation
    from streamqid.engine.drift import WindowAnswer
    from streamqid.records import Origin, Reject


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a batch."""

    fresh: int = 0
    """Records that were counted."""
    duplicates: int = 0
    """Records that were counted before, and dropped."""
    outside: int = 0
    """Records in no pane: they have no event time, or their pane is no longer held."""
    late: int = 0
    """Records of panes that are held but had closed: verdicts on these may have been given without them."""
    closed: bool = False
    """Whether a pane closed."""
    looked_at: int = 0
    """Records that were decoded, because a sample may want them."""
    rejects: tuple[Reject, ...] = ()
    """Those of them that could not be read."""


class Outcome(enum.StrEnum):
    """How a solve ended."""

    ANSWERED = "answered"
    TIMED_OUT = "timed_out"
    CRASHED = "crashed"


@dataclass(frozen=True, slots=True)
class Solved:
    """How a solve ended, and how long it took; there is a recommendation exactly if it was answered."""

    outcome: Outcome
    seconds: float
    recommendation: Recommendation | None = None
    judged: tuple[WindowAnswer, ...] = ()
    """What was found in the windows that were due."""


class TroubleKind(enum.StrEnum):
    """Why a live source does not deliver all that it should.  The word is used in metrics and documents."""

    UNREACHABLE = "unreachable"
    """No broker answers."""
    MISSING = "missing"
    """A topic does not exist, or may not be seen."""
    UNAUTHORISED = "unauthorised"
    """A topic or group may not be read."""
    RECREATED = "recreated"
    """A topic was deleted and made anew; its records are not those that the state covers."""
    GAP = "gap"
    """Records were deleted before they were read."""
    CORRUPT = "corrupt"
    """A batch does not match its checksum or cannot be decompressed."""
    INFLATED = "inflated"
    """A batch is larger than allowed when it is decompressed."""
    BAD_SHARE = "bad_share"
    """So many records of an origin cannot be read that the topic no longer holds what was configured."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """One sentence on what is wrong and what to do, never a value; ``origin`` where one partition is concerned.

    ``halts`` says whether something that should be read is not read because of it.
    """

    kind: TroubleKind
    sentence: str
    origin: Origin | None = None
    halts: bool = True
