"""What counted groups say about a column set: groups, unique rows and rows in small groups, with both bounds.

A tuple sample cannot bound unique rows from below, since a row that is alone in a sample may have its equal outside it.
Here every row of a held group was counted (``sampling.groups``), so both sides are bounded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.bounds import Side, drawn_mean_bound, drawn_share_bound, groups_bound
from streamqid.measures.estimate import Estimate
from streamqid.sampling.priority import WHOLE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.sampling.groups import GroupSampler

TAILS = 4
"""An interval fails in one of four ways: too many or too few groups, too high or too low a share of them."""


@dataclass(frozen=True, slots=True)
class GroupCounts:
    """The held groups of a column set over n rows, and what they say about all groups.

    Each estimate holds with probability 1 - δ by itself.  The held groups are a uniform sample without replacement of
    all groups, whatever their sizes, and which groups they are does not depend on the threshold.  So δ is split between
    the number of groups (``groups_bound``) and the share of them that has a property.
    """

    n: int
    counts: NDArray[np.int64]
    threshold: float
    """1 when all groups are held."""

    @classmethod
    def of(cls, sampler: GroupSampler) -> GroupCounts:
        """Return what a sampler holds."""
        _, counts = sampler.held()
        return cls(sampler.n, counts, sampler.threshold / WHOLE)

    @property
    def exact(self) -> bool:
        """Whether all groups are held."""
        return self.threshold >= 1.0

    def distinct(self, delta: float) -> Estimate:
        """Estimate the number of groups divided by the number of rows."""
        if self.exact or not self.n:
            return Estimate.exact(len(self.counts) / self.n if self.n else 1.0)
        side = math.log(delta / 2)
        return Estimate(
            estimate=min(self._likely_groups(), self.n) / self.n,
            lower=self._groups(side, "lower") / self.n,
            upper=self._groups(side, "upper") / self.n,
            confidence=1.0 - delta,
        )

    def unique(self, delta: float) -> Estimate:
        """Estimate the share of rows that are alone in their group."""
        return self.small(2, delta)

    def small(self, k: int, delta: float) -> Estimate:
        """Estimate the share of rows in groups of fewer than k rows."""
        inside = np.where(self.counts < k, self.counts, 0)
        if self.exact or not self.n:
            return Estimate.exact(float(inside.sum()) / self.n if self.n else 0.0)
        most = k - 1
        mean = float(inside.mean()) / most if most else 0.0
        side = math.log(delta / TAILS)
        return Estimate(
            estimate=min(1.0, mean * most * self._likely_groups() / self.n),
            # Where it is at fault, the bound on the number of groups may be beyond what n rows have room for.
            lower=min(1.0, self._mean(mean, most, side, "lower") * most * self._groups(side, "lower") / self.n),
            upper=min(1.0, self._mean(mean, most, side, "upper") * most * self._groups(side, "upper") / self.n),
            confidence=1.0 - delta,
        )

    def smallest(self) -> int:
        """Return the size of the smallest group that is held; the smallest of all has no more rows (0: no group)."""
        return int(self.counts.min()) if self.counts.size else 0

    def _mean(self, mean: float, most: int, side: float, which: Side) -> float:
        """Bound the mean over all groups of rows in small groups, as a share of ``most`` rows a group."""
        held = len(self.counts)
        if most == 1:
            hits = round(mean * held)
            if which == "upper":
                return drawn_share_bound(hits, held, side)
            return 1.0 - drawn_share_bound(held - hits, held, side)
        return drawn_mean_bound(mean, held, side, which)

    def _groups(self, side: float, which: Side) -> int:
        return groups_bound(len(self.counts), self.threshold, side, which, self.n)

    def _likely_groups(self) -> float:
        """Estimate the number of groups, of which one more than those held is certain."""
        return max(len(self.counts) + 1, len(self.counts) / self.threshold)
