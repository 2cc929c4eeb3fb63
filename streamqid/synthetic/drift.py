"""Declared changes of a column on the way."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.errors import UsageError
from streamqid.synthetic.attributes import attributes, unknown_column
from streamqid.synthetic.draws import chance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class DriftKind(enum.StrEnum):
    """What happens to a column while a drift is active."""

    FINER = "finer"  # every value splits into 9,000 equally frequent ones
    FLAT = "flat"  # all values that can occur (given the parents) become equally frequent
    NEW = "new"  # the column exists, and it does not exist otherwise
    MISSING = "missing"  # the values are null


@dataclass(frozen=True, slots=True)
class Drift:
    """A declared change of one column.

    It touches no row before ``at_row`` and none from ``until_row`` on.  Over the first ``over`` rows the
    share of touched rows grows evenly; from ``at_row + over`` on every row is touched.
    """

    kind: DriftKind
    column: str
    at_row: int
    over: int = 0
    until_row: int | None = None

    def __post_init__(self) -> None:
        """Refuse a drift that cannot be."""
        if self.kind not in tuple(DriftKind):
            raise UsageError(f"There is no drift '{self.kind}': choose one of {', '.join(DriftKind)}.")
        if self.column not in attributes():
            raise unknown_column(self.column, attributes())
        if self.at_row < 0 or self.over < 0:
            raise UsageError("A drift begins at row 0 or later and ramps over 0 rows or more.")
        if self.until_row is not None and self.until_row <= self.at_row:
            raise UsageError(f"The drift begins at row {self.at_row}: choose an until_row after it.")

    def active(self, seed: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows the drift touches."""
        active = rows >= self.at_row
        if self.until_row is not None:
            active &= rows < self.until_row
        if self.over:
            luck = chance(seed, f"{self.kind}/{self.column}/{self.at_row}", rows)
            active &= luck < (rows - self.at_row + 1) / (self.over + 1)
        return active


def default_drift(rows: int) -> Drift:
    """Return the drift that turns {age, sex, region} from safe to identifying in the middle of ``rows``."""
    return Drift(DriftKind.FINER, "region", rows // 2)
