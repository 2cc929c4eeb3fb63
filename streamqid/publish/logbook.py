"""The log lines of a stream: one for each solve and for each change of state."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from streamqid.engine.documents import VerdictState
from streamqid.engine.events import Outcome
from streamqid.engine.observers import Silent

if TYPE_CHECKING:
    from streamqid.clock import Clock
    from streamqid.engine.documents import Recommendation
    from streamqid.engine.events import Solved, Trouble, TroubleKind
    from streamqid.engine.inputs import Live
    from streamqid.engine.state import State
    from streamqid.errors import StateError
    from streamqid.records import Origin

log = logging.getLogger("streamqid.stream")

FAILURE_SECONDS = 60.0
"""How often a checkpoint that goes on failing is told."""
TROUBLE_SECONDS = 1.0
"""How often the source is asked for its troubles."""


class LogObserver(Silent):
    """Writes what one stream does; sizes, times and states, no names of columns and no values."""

    def __init__(self, stream: str, clock: Clock, live: Live | None = None) -> None:
        self._stream = stream
        self._clock = clock
        self._live = live
        self._asked = clock.monotonic()
        self._troubles: dict[tuple[TroubleKind, Origin | None], Trouble] = {}
        self._states: dict[str, VerdictState] = {}
        self._failures = 0
        self._told = 0.0

    def restored(self, state: State, *, saved: bool) -> None:
        """Tell where the stream begins."""
        how = "restored its state" if saved else "begins without saved state"
        self._write(logging.INFO, "restored", f"{how}, {state.records} records", records=state.records, saved=saved)

    def turned(self, state: State) -> None:
        """Tell of troubles that have come or gone; what is over within the first second is not told."""
        if self._live is None or (now := self._clock.monotonic()) - self._asked < TROUBLE_SECONDS:
            return
        self._asked = now
        before, self._troubles = self._troubles, {(one.kind, one.origin): one for one in self._live.troubles()}
        for key, trouble in self._troubles.items():
            if key not in before:
                self._write(logging.WARNING, "trouble", trouble.sentence, kind=str(trouble.kind))
        for key, trouble in before.items():
            if key not in self._troubles:
                self._write(logging.INFO, "trouble_over", f"no longer: {trouble.sentence}", kind=str(trouble.kind))

    def solved(self, solved: Solved) -> None:
        """Tell how a solve ended, and which verdicts it changed."""
        found, seconds = solved.recommendation, round(solved.seconds, 3)
        fields: dict[str, object] = {"outcome": str(solved.outcome), "seconds": seconds}
        sizes = ""
        if found is not None:
            key = None if found.key is None else len(found.key.columns)
            mask = None if found.mask is None else len(found.mask.publish)
            fields |= {"id": found.id, "records": found.records, "key_columns": key, "mask_columns": mask}
            sizes = f", {found.records} records, {_size('key', key)}, {_size('mask', mask)}"
        level = logging.INFO if solved.outcome is Outcome.ANSWERED else logging.WARNING
        self._write(level, "solved", f"solve {solved.outcome} in {solved.seconds:.3f} s{sizes}", **fields)
        if found is not None:
            self._tell_changes(found)

    def saved(self, nbytes: int, seconds: float) -> None:
        """Tell that checkpoints work again."""
        if self._failures:
            self._write(logging.INFO, "checkpoint_over", f"saves again, after {self._failures} failures")
        self._failures = 0

    def not_saved(self, error: StateError) -> None:
        """Tell the first failure in a row at once, and further ones once a minute."""
        self._failures += 1
        now = self._clock.monotonic()
        if self._failures == 1 or now - self._told >= FAILURE_SECONDS:
            self._told = now
            text = f"checkpoint failed ({self._failures} in a row): {error}"
            self._write(logging.WARNING, "checkpoint_failed", text, failures=self._failures)

    def _tell_changes(self, found: Recommendation) -> None:
        for verdict in found.verdicts:
            before = self._states.get(verdict.name, VerdictState.UNKNOWN)
            self._states[verdict.name] = verdict.settled
            if verdict.settled is not before:
                calm = verdict.settled in (VerdictState.SAFE, VerdictState.UNKNOWN)
                text = f"published set {verdict.name} was {before} and is {verdict.settled}"
                states = {"before": str(before), "after": str(verdict.settled)}
                self._write(logging.INFO if calm else logging.WARNING, "verdict", text, set=verdict.name, **states)

    def _write(self, level: int, event: str, text: str, **fields: object) -> None:
        told = {"stream": self._stream, "event": event, **fields}
        log.log(level, "%s: %s", self._stream, text, extra={"fields": told})


def _size(name: str, columns: int | None) -> str:
    """Say how many columns an answer has.

    >>> _size("key", 1), _size("mask", 2), _size("key", None)
    ('key of 1 column', 'mask of 2 columns', 'no key')
    """
    return f"no {name}" if columns is None else f"{name} of {columns} column{'s' * (columns != 1)}"
