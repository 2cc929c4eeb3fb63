"""What became of the records of one copy, for metrics and for whoever asks."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from streamqid.records import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamqid.records import Origin

NOT_ALLOWED: Final = "set not safe"
"""Why a record was dropped that could have been copied."""
REASONS: Final = (*map(str, Reason), NOT_ALLOWED)


class CopyState(enum.StrEnum):
    """What a copy does at the moment.  The word is used in metrics and in the log."""

    STARTING = "starting"
    COPYING = "copying"
    STOPPED = "stopped"
    """The columns are not known to be safe; nothing is read until they are."""
    DROPPING = "dropping"
    """The columns are not known to be safe; records go by."""
    TROUBLE = "trouble"
    """Brokers, topics or rights do not allow it; it is tried again and again."""
    FENCED = "fenced"
    """Another process copies to the same topic; this one has stopped for good."""


@dataclass(slots=True)
class Progress:
    """Counts of what was committed in this run, which the copy's thread writes and any thread may read.

    The keys of ``dropped`` are all there from the start, and ``lags`` is replaced whole.
    """

    state: CopyState = CopyState.STARTING
    copied: int = 0
    transactions: int = 0
    dropped: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(REASONS, 0)))
    lags: Mapping[Origin, int] = field(default_factory=dict)
    """Offsets of each partition that wait to be copied, by what was last heard of its end."""

    def committed(self, copied: int, dropped: Mapping[str, int]) -> None:
        """Count a transaction."""
        self.transactions += 1
        self.copied += copied
        for reason, count in dropped.items():
            self.dropped[reason] += count
