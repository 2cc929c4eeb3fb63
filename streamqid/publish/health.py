"""Whether the service is alive and whether it is ready, each with its reasons as sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.engine.observers import Silent
from streamqid.problems.answer import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamqid.clock import Clock
    from streamqid.engine.events import Applied, Trouble
    from streamqid.engine.inputs import Live
    from streamqid.engine.state import State
    from streamqid.records import Batch


@dataclass(frozen=True, slots=True)
class Limits:
    """When a stream stops to be alive (``turn_seconds``) or ready (the others); None sets no limit."""

    turn_seconds: float = 60.0
    lag_offsets: int | None = None
    """In all partitions together."""
    snapshot_seconds: float | None = None
    """Time since the last moment at which the snapshot covered every record."""


class HealthReport(Document):
    """Whether all is well; if not, ``reasons`` says in sentences why."""

    ok: bool
    reasons: list[str]


class StreamStatus(Document):
    """Where one stream stands."""

    name: str
    restored: bool
    """Whether its state was restored, or begun where there was none."""
    records: int
    """How many records it has counted."""
    lag_offsets: int | None
    """Offsets that wait to be read in all its partitions; None when its source does not know."""
    troubles: list[str]
    recommendation: str | None
    """Id of the newest recommendation of this run."""


class Pulse(Silent):
    """Takes note of the signs of life of one stream.  Read from any thread: every number is written whole."""

    def __init__(self, clock: Clock, live: Live | None = None) -> None:
        self._clock = clock
        self._live = live
        self.turned_at = self.covered_at = clock.monotonic()
        self.is_restored = False
        self.records = 0
        self._saved_records = 0

    def restored(self, state: State, *, saved: bool) -> None:
        """Note that the stream begins: what was restored is what was saved."""
        self.records = self._saved_records = state.records
        self.turned_at = self.covered_at = self._clock.monotonic()
        self.is_restored = True

    def applied(self, batch: Batch, applied: Applied) -> None:
        """Count the records, since a checkpoint may follow before the turn ends."""
        self.records += applied.fresh

    def turned(self, state: State) -> None:
        """Note a turn; with no new record the snapshot still covers everything."""
        self.turned_at = self._clock.monotonic()
        self.records = state.records
        if self.records == self._saved_records:
            self.covered_at = self.turned_at

    def saved(self, nbytes: int, seconds: float) -> None:
        """Note that the snapshot covers everything."""
        self.covered_at = self._clock.monotonic()
        self._saved_records = self.records

    def lag(self) -> int | None:
        """Return how many offsets wait in all partitions; None when the source does not know."""
        return None if self._live is None else sum(self._live.lags().values())

    def troubles(self) -> list[Trouble]:
        """Return what is wrong with the source."""
        return [] if self._live is None else list(self._live.troubles())

    def status(self, name: str, recommendation: str | None) -> StreamStatus:
        """Return where the stream stands."""
        return StreamStatus(
            name=name,
            restored=self.is_restored,
            records=self.records,
            lag_offsets=self.lag(),
            troubles=[trouble.sentence for trouble in self.troubles()],
            recommendation=recommendation,
        )


@dataclass(frozen=True, slots=True)
class Health:
    """Judges the pulses of all streams, by name, from any thread."""

    pulses: Mapping[str, Pulse]
    limits: Limits
    clock: Clock

    def live(self) -> HealthReport:
        """Tell whether every loop turns; a broker that is away changes nothing about that."""
        return _report(reason for name, pulse in self.pulses.items() for reason in self._stuck(name, pulse))

    def ready(self) -> HealthReport:
        """Tell whether every stream is restored, without trouble and within the limits."""
        return _report(reason for name, pulse in self.pulses.items() for reason in self._unready(name, pulse))

    def _stuck(self, name: str, pulse: Pulse) -> Iterator[str]:
        waited = self.clock.monotonic() - pulse.turned_at
        if waited > self.limits.turn_seconds:
            yield f"The loop of stream {name} has not turned for {waited:.0f} seconds."

    def _unready(self, name: str, pulse: Pulse) -> Iterator[str]:
        yield from self._stuck(name, pulse)
        if not pulse.is_restored:
            yield f"Stream {name} has not restored its state yet."
        for trouble in pulse.troubles():
            yield f"Stream {name}: {trouble.sentence}"
        lag, most = pulse.lag(), self.limits.lag_offsets
        if lag is not None and most is not None and lag > most:
            yield f"Stream {name} is {lag} offsets behind, {most} are allowed."
        age, oldest = self.clock.monotonic() - pulse.covered_at, self.limits.snapshot_seconds
        if oldest is not None and age > oldest:
            yield f"Stream {name} has not saved its newest records for {age:.0f} seconds, {oldest:.0f} are allowed."


def _report(reasons: Iterator[str]) -> HealthReport:
    found = list(reasons)
    return HealthReport(ok=not found, reasons=found)
