"""Every model's figure of every group, computed once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.audits import disclosure, diversity
from streamqid.audits.answer import SensitiveFigures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from streamqid.audits.cells import Cells, Sensitive


@dataclass(frozen=True, slots=True)
class Measured:
    """Figures of a sensitive column, one for each group; ``rows`` and ``sizes`` are as in ``Classes``."""

    column: Sensitive
    values: int
    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]
    distinct: NDArray[np.int64]
    largest: NDArray[np.int64]
    entropy: NDArray[np.float64]
    ratio: NDArray[np.float64]
    recursive_l: int
    distance: NDArray[np.float64]
    told: NDArray[np.float64]
    gain: NDArray[np.float64]
    unlike: NDArray[np.bool_]

    @property
    def share(self) -> NDArray[np.float64]:
        """Share of the most frequent value."""
        share: NDArray[np.float64] = self.largest / self.sizes
        return share

    def figures(self) -> SensitiveFigures:
        """Return the figures of the worst groups."""
        c, beta = float(self.ratio.max()), float(self.gain.max())
        return SensitiveFigures(
            column=self.column.name,
            values=self.values,
            distance=self.column.distance,
            distinct_l=int(self.distinct.min()),
            frequency_l=float((self.sizes / self.largest).min()),
            entropy_l=float(self.entropy.min()),
            recursive_c=c if math.isfinite(c) else None,
            recursive_l=self.recursive_l,
            t=float(self.distance.max()),
            alpha=float(self.share.max()),
            delta=float(self.told.max()),
            beta=beta,
            enhanced_beta=None if self.unlike.any() else beta,
        )


def measure(cells: Cells, column: Sensitive, recursive_l: int) -> Measured:
    """Measure one sensitive column in every group."""
    return Measured(
        column=column,
        values=len(cells.whole),
        rows=cells.rows,
        sizes=cells.sizes,
        distinct=diversity.distinct_l(cells),
        largest=diversity.largest_count(cells),
        entropy=diversity.entropy_l(cells),
        ratio=diversity.recursive_ratio(cells, recursive_l),
        recursive_l=recursive_l,
        distance=disclosure.closeness(cells, column.distance),
        told=disclosure.disclosed(cells),
        gain=disclosure.likeness(cells),
        unlike=disclosure.unlike(cells),
    )
