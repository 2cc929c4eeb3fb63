"""What a running service looks like on a terminal: ``streamqid run --live``."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from streamqid.cli.text import plain
from streamqid.engine.documents import VerdictState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from streamqid.engine.documents import Verdict
    from streamqid.publish.chronicle import Chronicle
    from streamqid.publish.health import Pulse

STYLES = {
    VerdictState.SAFE: "green",
    VerdictState.AT_RISK: "yellow",
    VerdictState.UNSAFE: "bold red",
    VerdictState.UNKNOWN: "dim",
}
INDENT = (0, 0, 0, 8)
RATE_SECONDS = 5.0
"""Over how long the records a second are counted."""


class Shown(Protocol):
    """A stream that runs."""

    @property
    def name(self) -> str:
        """How it is called."""
        ...

    @property
    def pulse(self) -> Pulse:
        """Its signs of life."""
        ...

    @property
    def chronicle(self) -> Chronicle:
        """Its published sets over time."""
        ...


@dataclass(slots=True)
class Screen:
    """Draws streams and published sets again and again; log lines pass above."""

    _seen: dict[str, list[tuple[float, int]]] = field(default_factory=dict)

    def drawn(self, streams: Sequence[Shown], now: float) -> RenderableType:
        """Return the picture of this moment."""
        table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
        table.add_column("Stream")
        for head in ("Records", "per s", "Lag"):
            table.add_column(head, justify="right")
        for stream in streams:
            lag = stream.pulse.lag()
            records = stream.pulse.records
            rate = self._rate(stream.name, now, records)
            table.add_row(plain(stream.name), f"{records:,}", f"{rate:,.0f}", "–" if lag is None else f"{lag:,}")
        return Group(Text(), table, *self._sets(streams), *self._troubles(streams))

    def _rate(self, name: str, now: float, records: int) -> float:
        seen = self._seen.setdefault(name, [])
        seen.append((now, records))
        while now - seen[0][0] > RATE_SECONDS:
            seen.pop(0)
        first, before = seen[0]
        return (records - before) / (now - first) if now > first else 0.0

    def _sets(self, streams: Sequence[Shown]) -> Iterator[RenderableType]:
        for stream in streams:
            history = stream.chronicle.history
            for series in () if history is None else history.sets:
                yield Text()
                yield from _told(series.verdict)

    def _troubles(self, streams: Sequence[Shown]) -> Iterator[RenderableType]:
        for stream in streams:
            for trouble in stream.pulse.troubles():
                yield Text.assemble("\n", ("! ", "bold red"), plain(f"{stream.name}: {trouble.sentence}"))


def _told(verdict: Verdict) -> Iterator[RenderableType]:
    word = str(verdict.settled).replace("_", " ")
    yield Text.assemble((f"{word:8}", STYLES[verdict.settled]), (plain(verdict.name), "bold"))
    yield Padding(Text(plain(verdict.sentence)), INDENT)
    if verdict.proposal is not None:
        yield Padding(Text(f"What to do: {plain(verdict.proposal.sentence)}", "bold"), INDENT)


class LiveView:
    """Shows streams while it is entered; ``look`` draws them anew."""

    def __init__(self) -> None:
        # On standard error, as the log: standard output is for documents.
        console = Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._screen = Screen()
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> LiveView:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def look(self, streams: Sequence[Shown]) -> None:
        """Draw what is so now."""
        self._live.update(self._screen.drawn(streams, time.monotonic()), refresh=True)
