"""Measures of a published set in one window, from what the window holds: pairs, counted groups, or tuples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.closeness import closeness
from streamqid.engine.documents import Audited
from streamqid.engine.questions import Limit, Quantity
from streamqid.measures import ratios
from streamqid.measures.estimate import Estimate
from streamqid.measures.group_counts import GroupCounts
from streamqid.measures.partition import partition_by_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.questions import PublishedSet
    from streamqid.measures.partition import Partition
    from streamqid.sampling.groups import GroupSampler
    from streamqid.sampling.pairs import Evidence

FEW = 5
"""A group of fewer rows is small, unless a limit says otherwise."""


class Measuring:
    """Estimates the measures of one column set; each interval holds with probability 1 - δ for itself.

    Separation comes from the independent pairs of the window, everything else from groups that were counted over the
    whole window where they are at hand.  Without them a tuple sample gives the sides that it supports: a row that is
    alone, or in a small group, in the table is so in the sample too, which bounds from above only.
    """

    def __init__(self, columns: Sequence[str], evidence: Evidence, groups: GroupSampler | None) -> None:
        self._columns, self._all = columns, evidence
        self._evidence = evidence.select(columns)
        self._counts = None if groups is None or not groups.n else GroupCounts.of(groups)
        self._partition: Partition | None = None

    def measure(self, limit: Limit, delta: float) -> Estimate | None:
        """Estimate what a limit is about; None when nothing at hand says anything about it."""
        if limit.quantity is Quantity.SEPARATION:
            return self._separation(delta)
        if limit.quantity is Quantity.SMALLEST_GROUP:
            return self._smallest()
        if limit.quantity is Quantity.CLOSENESS:
            return closeness(self._all, self._columns, limit, delta)
        if self._counts is not None:
            return self._counted(self._counts, limit, delta)
        return self._exact(limit) if self._evidence.whole else self._sampled(limit, delta)

    def audit(self, published: PublishedSet) -> Audited:
        """Return the figures of the groups; small is what the first limit of small groups says, else fewer than 5."""
        k, delta = next((limit.k for limit in published.limits if limit.k is not None), FEW), published.delta

        def figure(quantity: Quantity, k: int | None = None) -> Estimate | None:
            return self.measure(Limit(quantity, 1.0, k), delta)

        distinct, rows = figure(Quantity.DISTINCT), self._counts.n if self._counts is not None else self._evidence.n
        return Audited(
            k=k,
            groups=None if distinct is None else _times(distinct, rows),
            smallest_group=figure(Quantity.SMALLEST_GROUP),
            unique_rows=figure(Quantity.UNIQUE_ROWS),
            small_groups=figure(Quantity.SMALL_GROUPS, k),
            counted=self._counts is not None or self._evidence.whole,
        )

    def _separation(self, delta: float) -> Estimate:
        if self._evidence.whole:
            return Estimate.exact(ratios.separation(self._rows()))
        pairs = self._evidence.pairs(len(self._evidence.a))
        return ratios.separation_estimate(np.logical_or.reduce(pairs, axis=0), delta)

    def _smallest(self) -> Estimate | None:
        """Bound the size of the smallest group: that of all groups is no larger than that of those held."""
        if self._counts is not None:
            held = float(self._counts.smallest())
            if self._counts.exact:
                return Estimate.exact(held)
            return Estimate(estimate=held, lower=None, upper=held, confidence=1.0)
        return Estimate.exact(float(self._rows().all_sizes()[0])) if self._evidence.whole else None

    @staticmethod
    def _counted(counts: GroupCounts, limit: Limit, delta: float) -> Estimate:
        if limit.quantity is Quantity.DISTINCT:
            return counts.distinct(delta)
        return counts.small(limit.k or 2, delta)

    def _exact(self, limit: Limit) -> Estimate:
        if limit.quantity is Quantity.DISTINCT:
            return Estimate.exact(ratios.distinct(self._rows()))
        return Estimate.exact(ratios.small(self._rows(), limit.k or 2))

    def _sampled(self, limit: Limit, delta: float) -> Estimate:
        if limit.quantity is Quantity.DISTINCT:
            return ratios.distinct_estimate(self._rows(), self._evidence.records, delta)
        return ratios.small_estimate(self._rows(), limit.k or 2, delta)

    def _rows(self) -> Partition:
        if self._partition is None:
            rows = self._evidence.a.fingerprints
            self._partition = partition_by_all(rows, missing_differ=self._evidence.missing_differ)
        return self._partition


def _times(share: Estimate, rows: int) -> Estimate:
    """Return a share of the rows as a number of them."""
    lower, upper = (None if bound is None else float(round(bound * rows)) for bound in (share.lower, share.upper))
    return Estimate(estimate=float(round(share.estimate * rows)), lower=lower, upper=upper, confidence=share.confidence)
