"""Upper bounds on the measures of parts of a published set: what sample A suggests, and what sample B certifies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.closeness import closeness, seen_in_a
from streamqid.engine.judge import find
from streamqid.engine.questions import Quantity
from streamqid.measures import ratios
from streamqid.measures.bounds import drawn_share_bound, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.documents import Finding
    from streamqid.engine.questions import Limit, PublishedSet
    from streamqid.measures.partition import Partition
    from streamqid.sampling.pairs import Evidence

MOST_VALUES = 1 << 20


class Prospect:
    """Upper bounds on the measures of parts of a set; each holds with probability 1 - exp(log_delta)."""

    def __init__(self, published: PublishedSet, evidence: Evidence, log_delta: float) -> None:
        self._limits = [limit for limit in published.limits if self.promises(limit, evidence)]
        self._level = log_delta
        self._all, self._columns = evidence, published.columns
        evidence = evidence.select(published.columns)
        self._exact = evidence.whole
        differ = evidence.missing_differ
        self.a = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=differ)
        self._b = self.a if self._exact else table_of(evidence.columns, evidence.b.fingerprints, missing_differ=differ)
        self._pairs = None if self._exact else evidence.pairs_inside_b(len(evidence.b) // 2)

    @staticmethod
    def promises(limit: Limit, evidence: Evidence) -> bool:
        """Whether a sample can bound what a limit is about: it cannot show that no group is smaller."""
        return limit.quantity is not Quantity.SMALLEST_GROUP or evidence.whole

    def excess(self, chosen: Sequence[int]) -> float:
        """Return by how much A would have these columns exceed their limits, as a factor."""
        here = self.a.partition(chosen)
        return max((_factor(self._seen(limit, here, chosen), limit.value) for limit in self._shares()), default=0.0)

    def _seen(self, limit: Limit, here: Partition, chosen: Sequence[int]) -> float:
        if limit.quantity is Quantity.CLOSENESS:
            return seen_in_a(self._all, self._names(chosen), limit)
        return _value(limit, here)

    def _names(self, chosen: Sequence[int]) -> list[str]:
        return [self._columns[j] for j in chosen]

    def findings(self, chosen: Sequence[int]) -> list[Finding]:
        """Bound every measure of these columns by B."""
        here, found = self._b.partition(chosen), []
        for limit in self._limits:
            if limit.quantity is Quantity.SMALLEST_GROUP:
                estimate: Estimate | None = Estimate.exact(float(here.all_sizes()[0]))
            elif limit.quantity is Quantity.CLOSENESS:
                estimate = closeness(self._all, self._names(chosen), limit, math.exp(self._level))
            else:
                estimate = self._bounded(limit, here, chosen)
            found.append(find(limit, estimate))
        return found

    def values_left(self, chosen: Sequence[int]) -> int | None:
        """Return how many values one more column may have at most, whatever they are, so that all limits are kept.

        A group that is split into m parts leaves at least a share of about 1/m of its pairs together (Cauchy and
        Schwarz), and m groups in place of one are m times as many groups, each with fewer than k rows of a small one.
        """
        if any(limit.quantity in (Quantity.SMALLEST_GROUP, Quantity.CLOSENESS) for limit in self._limits):
            return None
        here = self._b.partition(chosen)
        most = min((self._values(limit, here, chosen) for limit in self._limits), default=0)
        return most if most >= 2 else None

    def _values(self, limit: Limit, here: Partition, chosen: Sequence[int]) -> int:
        if limit.quantity is Quantity.SEPARATION:
            together = 1.0 - (self._bounded(limit, here, chosen).upper or 0.0)
            spare = 1.0 / max(here.n - 1, 1)
            # 1 - together/m + (1 - 1/m)·spare <= limit
            room = 1.0 - limit.value + spare
            return min(MOST_VALUES, math.floor((together + spare) / room * (1.0 - 1e-12)))
        rows = (limit.k or 2) - 1 if limit.quantity is not Quantity.DISTINCT else 1
        groups = self._upper(here.groups, here.n)
        return min(MOST_VALUES, math.floor(limit.value / (rows * groups) * (1.0 - 1e-12)))

    def _bounded(self, limit: Limit, here: Partition, chosen: Sequence[int]) -> Estimate:
        value = _value(limit, here)
        if self._exact:
            return Estimate.exact(value)
        if limit.quantity is Quantity.SEPARATION and self._pairs is not None:
            separated = np.logical_or.reduce(self._pairs[list(chosen)], axis=0)
            value = float(separated.mean()) if separated.size else 1.0
            upper = share_bound(int(separated.sum()), len(separated), self._level, "upper")
        else:
            upper = self._upper(round(value * here.n), here.n)
        return Estimate(estimate=value, lower=None, upper=upper, confidence=1.0 - math.exp(self._level))

    def _upper(self, hits: int, rows: int) -> float:
        return hits / max(rows, 1) if self._exact else drawn_share_bound(hits, rows, self._level)

    def _shares(self) -> list[Limit]:
        return [limit for limit in self._limits if limit.quantity is not Quantity.SMALLEST_GROUP]


def _factor(value: float, most: float) -> float:
    if not most:
        return math.inf if value else 0.0
    return value / most


def _value(limit: Limit, here: Partition) -> float:
    if limit.quantity is Quantity.SEPARATION:
        return ratios.separation(here)
    if limit.quantity is Quantity.DISTINCT:
        return ratios.distinct(here)
    return ratios.small(here, limit.k or 2)
