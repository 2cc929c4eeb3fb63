"""Rows in groups that are not t-close: exactly, or from a sample with both bounds (docs/decisions/0012).

A group of rows is *far* when the distribution of a sensitive column in it is further than t from that in all rows, by
the Earth Mover's Distance with equal ground distances: half the sum of differences.  That is the only ground distance
that fingerprints allow, since nothing but equality survives in them.  A table is t-close when no group is far.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.bounds import distribution_bound, drawn_share_bound
from streamqid.measures.distances import TOLERANCE
from streamqid.measures.estimate import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

PARTS = 4
"""δ is split evenly: the groups, all rows, and the two tails of the share."""


@dataclass(frozen=True, slots=True)
class Cells:
    """Rows by the number of their group and of their sensitive value, both counted from 0."""

    group: NDArray[np.integer]
    value: NDArray[np.integer]
    values: int

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.group)

    def sizes(self) -> NDArray[np.int64]:
        """Return the number of rows of each group."""
        return np.bincount(self.group).astype(np.int64)

    def shares(self) -> NDArray[np.float64]:
        """Return the share of all rows that each value has."""
        found: NDArray[np.float64] = np.bincount(self.value, minlength=self.values) / max(self.n, 1)
        return found

    def distances(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far each group is from a distribution: what its values exceed their shares by."""
        sizes = self.sizes()
        key = self.group.astype(np.int64) * self.values + self.value
        used, counts = np.unique(key, return_counts=True)
        group, value = np.divmod(used, self.values)
        excess = np.maximum(counts / sizes[group] - shares[value], 0.0)
        found: NDArray[np.float64] = np.bincount(group, weights=excess, minlength=len(sizes)).astype(np.float64)
        return found


def far_rows(cells: Cells, t: float) -> float:
    """Return the share of rows in groups further than t (0 for no rows), over a whole table."""
    far = cells.distances(cells.shares()) > t + TOLERANCE
    return float(cells.sizes()[far].sum()) / max(cells.n, 1)


def common_values(cells: Cells) -> NDArray[np.integer]:
    """Return the values that are worth telling apart, by sample A; all others are taken together.

    More values leave less in the rest, which counts against a group, and widen the bound of each group.  So many are
    taken, the most frequent first, that both together are least for a group of typical size.
    """
    counts = np.bincount(cells.value, minlength=cells.values)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    rest = 1.0 - np.concatenate([[0.0], np.cumsum(counts[order])]) / max(cells.n, 1)
    typical = float((cells.sizes().astype(np.float64) ** 2).sum()) / max(cells.n, 1)
    widths = np.sqrt(np.arange(len(rest)) * math.log(2.0) / (2.0 * max(typical, 1.0)))
    return order[: int(np.argmin(rest + widths))]


def far_rows_estimate(
    cells: Cells, common: NDArray[np.integer], records: int, t: float, delta: float
) -> Estimate | None:
    """Estimate the share of rows in far groups from sample B; None when it says nothing about either side.

    ``common`` are the values that sample A chose.  With probability 1 - δ:

    - every sampled group of s of k rows is within w_s of the distance that the sample shows, for all groups at once;
      w_s is ``distribution_bound`` at the level δ/4·s/k (these levels add up to δ/4) and that of all rows at δ/4;
    - values outside ``common`` are taken for the same value in the lower bound of a distance, and for different ones
      in the group and outside it in the upper bound;
    - so sampled rows of far groups are at least those in groups whose lower bound exceeds t, and at most those in
      groups whose upper bound does; each of these bounds the share in the table (``drawn_share_bound``, δ/4 each).

    Small groups never count as near, so the upper bound includes all rows in groups of few sampled rows.
    """
    k = cells.n
    if not k:
        return None
    place = np.full(cells.values, len(common), np.int64)
    place[common] = np.arange(len(common))
    coarse = Cells(cells.group, place[cells.value], len(common) + 1)
    sizes, shares, part = coarse.sizes(), coarse.shares(), math.log(delta / PARTS)
    widths = np.array([distribution_bound(coarse.values, int(s), part + math.log(s / k)) for s in sizes])
    widths += distribution_bound(coarse.values, k, part)
    least = coarse.distances(shares)
    apart = shares.copy()
    apart[-1] = 0.0
    most = coarse.distances(apart)
    surely = int(sizes[least - widths > t].sum())
    perhaps = int(sizes[most + widths > t].sum())
    if not surely and perhaps == k:
        return None
    lower = max(1.0 - drawn_share_bound(k - surely, k, part), surely / records)
    return Estimate(
        estimate=float(sizes[least > t].sum()) / k,
        lower=lower,
        upper=drawn_share_bound(perhaps, k, part),
        confidence=1.0 - delta,
    )
