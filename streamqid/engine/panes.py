"""Panes of a stream: to which stretch of time a record belongs, and which stretches are held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from streamqid.engine.documents import Span
from streamqid.engine.inputs import Timed
from streamqid.engine.parts import Part, existing, whole
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from streamqid.records import Batch

NO_PANE = np.iinfo(np.int64).min
"""Number of the pane of a record that has no event time: none."""

_FAR = float(1 << 62)


@dataclass(frozen=True, slots=True)
class PaneRule:
    """Numbers the panes: floor(event time / width), or floor(offset / width) where the width is in records.

    Either is a function of the record alone, so panes do not depend on batches, deliveries or the order in which
    origins are read.  A record far in the future opens its pane; it is for the source to tell which times are none.
    """

    width: float
    unit: Literal["records", "seconds"]

    def __post_init__(self) -> None:
        if not (self.width > 0 and np.isfinite(self.width)) or (self.unit == "records" and self.width % 1):
            msg = f"The width of a pane is a positive number of {self.unit} (whole for records), not {self.width:g}."
            raise UsageError(msg)

    def numbers(self, batch: Batch, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the pane of each of these existing records."""
        if self.unit == "records":
            return offsets // np.int64(self.width)
        if not isinstance(batch, Timed):
            msg = "The records of this source have no event time: give the width of a pane in records."
            raise UsageError(msg)
        panes = np.floor(batch.event_time(offsets) / self.width)
        placed = np.abs(panes) < _FAR
        return np.where(placed, np.where(placed, panes, 0.0).astype(np.int64), NO_PANE)

    def span(self, first: int, last: int) -> Span:
        """Return the stretch that the panes first … last cover."""
        return Span(
            unit=self.unit,
            start=first * self.width,
            end=(last + 1) * self.width,
            first_pane=first,
            last_pane=last,
        )


def split(batch: Batch, rule: PaneRule) -> Iterator[tuple[int, Batch]]:
    """Yield each pane that the batch has records in, with these records as a batch; records without a pane last.

    A batch that lies in one pane comes back as it is.
    """
    offsets = existing(batch)
    if not offsets.size:
        return
    numbers = rule.numbers(whole(batch), offsets)
    if numbers.min() == numbers.max():
        yield int(numbers[0]), batch
        return
    for number in sorted(np.unique(numbers).tolist(), key=lambda pane: (pane == NO_PANE, pane)):
        inside = offsets[numbers == number]
        yield number, Part(whole(batch), inside, int(inside[0]), int(inside[-1]) + 1)
