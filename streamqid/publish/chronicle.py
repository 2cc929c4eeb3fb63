"""The history of each stream, for whoever asks over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.documents import Verdict
from streamqid.engine.observers import Silent
from streamqid.problems.answer import Document

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.alerts import Alert, DriftEvent
    from streamqid.engine.history import History


class PublishedSets(Document):
    """Where the published sets of a stream stand."""

    stream: str
    verdicts: list[Verdict]
    """The newest on each set, with its settled state, since when it holds, and what to do about it."""


class Chronicle(Silent):
    """Holds the history of one stream as it is now.  A value that is replaced whole, so any thread may read it."""

    def __init__(self) -> None:
        self.history: History | None = None

    def watched(self, history: History, news: Sequence[Alert | DriftEvent]) -> None:
        """Take the history."""
        self.history = history
