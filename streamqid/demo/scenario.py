"""The stream of the demo: people whose region is recorded ever more finely from the middle on."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamqid.engine.panes import PaneRule
from streamqid.engine.questions import AskKey, AskMask, Limit, PublishedSet, Quantity
from streamqid.engine.schedule import Pace
from streamqid.engine.stream import Stream
from streamqid.errors import UsageError
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.secret import Secret
from streamqid.synthetic import Drift, DriftKind, GeneratedBatch, GeneratorSource, Population

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from streamqid.engine.documents import Proposal
    from streamqid.records import Rows

LEAST_ROWS = 1_000
PANES = 10
BATCHES = 80
PUBLISHED = PublishedSet("demographics", ("age", "sex", "region"), (Limit(Quantity.SEPARATION, 0.995),))
CAPACITY = Capacity(3_000, root=10.0)
ROWS_PER_SECOND = 1_000.0
NEW_YEAR_2026 = 1_767_225_600.0


class SimulatedCrashError(Exception):
    """Stands for kill -9: nothing of the loop may catch it."""


@dataclass(frozen=True, slots=True)
class DoomedBatch(GeneratedBatch):
    """A batch in the middle of which the process dies."""

    def decode(self, offsets: NDArray[np.int64]) -> Rows:
        """Die."""
        raise SimulatedCrashError


class DoomedSource(GeneratorSource):
    """Dies in the batch that holds a given row."""

    def __init__(self, population: Population, rows: int, batch_rows: int, *, dies_at: int) -> None:
        super().__init__(population, rows, batch_rows)
        self._dies_at = dies_at

    def batches(self) -> Iterator[GeneratedBatch]:
        """Yield batches up to the fatal one, which is the last."""
        for batch in super().batches():
            if batch.end > self._dies_at:
                yield DoomedBatch(batch.population, batch.start, batch.end)
                return
            yield batch


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything about the demo that follows from its size and its seed.

    Ten panes.  The drift begins with the sixth one and touches every row from the seventh one on.
    """

    rows: int
    seed: int

    def __post_init__(self) -> None:
        if self.rows < LEAST_ROWS:
            msg = f"The demo needs at least {LEAST_ROWS:,} rows, not {self.rows:,}."
            raise UsageError(msg)

    @property
    def batch_rows(self) -> int:
        """Rows of a batch."""
        return self.rows // BATCHES

    @property
    def dies_at(self) -> int:
        """The row at which the first loop crashes."""
        return self.rows * 45 // 100

    @property
    def drift(self) -> Drift:
        """The change that makes the published set identifying."""
        return Drift(DriftKind.FINER, "region", self.rows // 2, over=self.rows // PANES)

    @property
    def population(self) -> Population:
        """The people, a thousand a second, from the beginning of a pane on."""
        start = math.ceil(NEW_YEAR_2026 / self.pane.width) * self.pane.width
        return Population(self.seed, drifts=(self.drift,), identifier=False, start=start, rate=ROWS_PER_SECOND)

    @property
    def pane(self) -> PaneRule:
        """A tenth of the stream, by event time."""
        return PaneRule(self.rows / PANES / ROWS_PER_SECOND, "seconds")

    @property
    def stream(self) -> Stream:
        """What the service is told."""
        return Stream(
            "demo",
            Secret.from_seed(self.seed),
            CAPACITY,
            panes=self.pane,
            panes_kept=6,
            key=AskKey(),
            mask=AskMask(beta=0.9),
            published=(PUBLISHED,),
            pace=Pace(solve_records=self.rows // 20, solve_seconds=None, checkpoint_records=self.rows // 8),
        )

    def applied_stream(self, proposal: Proposal) -> Stream | None:
        """Return the stream that publishes what is proposed instead; None if nothing is.

        The part was chosen from records up to the end of a window, so only windows after it are evidence about it.
        """
        part = proposal.without or proposal.keep
        if part is None:
            return None
        applied = replace(PUBLISHED, columns=tuple(part.columns), fresh_from=proposal.window.end)
        return replace(self.stream, published=(applied,))

    @property
    def silent_stream(self) -> Stream:
        """The same stream without solves and checkpoints: neither leaves a trace in the state."""
        pace = Pace(solve_records=None, solve_seconds=None, on_close=False, checkpoint_records=None)
        return replace(self.stream, pace=pace)

    def source(self, batches: int = BATCHES) -> GeneratorSource:
        """Return the whole stream, cut into about so many batches."""
        return GeneratorSource(self.population, self.rows, max(1, self.rows // batches))

    def later_source(self) -> GeneratorSource:
        """Return what comes after the stream: three more panes."""
        more = self.rows + 3 * self.rows // PANES
        return GeneratorSource(self.population, more, self.batch_rows, self.rows)

    def doomed_source(self) -> DoomedSource:
        """Return the stream up to the crash."""
        return DoomedSource(self.population, self.rows, self.batch_rows, dies_at=self.dies_at)
