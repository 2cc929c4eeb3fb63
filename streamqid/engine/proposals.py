"""What brings an unsafe set back under its limits, with a certified bound.

Choose on sample A, judge on sample B: which column to drop, and in which order columns are given up, is decided by A
alone, so for B they are fixed sets.  All measures only grow with the columns, hence nested sets are tested from the
small one up until the first that fails, at one and the same level (see ``problems.certified``).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.documents import Finding, Proposal, ProposedSet, VerdictState
from streamqid.engine.judge import level
from streamqid.engine.questions import Quantity
from streamqid.engine.telling import proposed
from streamqid.measures import ratios
from streamqid.measures.bounds import drawn_share_bound, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of
from streamqid.problems.answer import Measure
from streamqid.problems.certified import longest_passing
from streamqid.problems.greedy import mask_chain, state_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.judge import Window
    from streamqid.engine.questions import Limit, PublishedSet
    from streamqid.measures.partition import Partition
    from streamqid.sampling.pairs import Evidence

MOST_VALUES = 1 << 20


class Prospect:
    """Upper bounds on the measures of parts of a set; each holds with probability 1 - exp(log_delta)."""

    def __init__(self, published: PublishedSet, evidence: Evidence, log_delta: float) -> None:
        self._limits = [limit for limit in published.limits if self.promises(limit, evidence)]
        self._level = log_delta
        self._exact = evidence.whole
        differ = evidence.missing_differ
        self.a = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=differ)
        self._b = self.a if self._exact else table_of(evidence.columns, evidence.b.fingerprints, missing_differ=differ)
        self._pairs = None if self._exact else evidence.pairs_inside_b(len(evidence.b) // 2)

    @staticmethod
    def promises(limit: Limit, evidence: Evidence) -> bool:
        """Whether a sample can bound what a limit is about, for nested sets.

        It cannot show that no group is smaller.  And the share of far rows may grow when columns are dropped: a near
        group that is put together with a far one can become far.
        """
        if limit.quantity is Quantity.CLOSENESS:
            return False
        return limit.quantity is not Quantity.SMALLEST_GROUP or evidence.whole

    def excess(self, chosen: Sequence[int]) -> float:
        """Return by how much A would have these columns exceed their limits, as a factor."""
        here = self.a.partition(chosen)
        return max((_value(limit, here) / limit.value for limit in self._shares()), default=0.0)

    def findings(self, chosen: Sequence[int]) -> list[Finding]:
        """Bound every measure of these columns by B."""
        here, found = self._b.partition(chosen), []
        for limit in self._limits:
            if limit.quantity is Quantity.SMALLEST_GROUP:
                size = float(here.all_sizes()[0])
                estimate, safe = Estimate.exact(size), size >= limit.value
            else:
                estimate = self._bounded(limit, here, chosen)
                safe = (1.0 if estimate.upper is None else estimate.upper) <= limit.value
            state = VerdictState.SAFE if safe else VerdictState.AT_RISK
            found.append(Finding(quantity=limit.quantity, k=limit.k, limit=limit.value, estimate=estimate, state=state))
        return found

    def values_left(self, chosen: Sequence[int]) -> int | None:
        """Return how many values one more column may have at most, whatever they are, so that all limits are kept.

        A group that is split into m parts leaves at least a share of about 1/m of its pairs together (Cauchy and
        Schwarz), and m groups in place of one are m times as many groups, each with fewer than k rows of a small one.
        """
        if any(limit.quantity is Quantity.SMALLEST_GROUP for limit in self._limits):
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


def propose(published: PublishedSet, window: Window, number: int) -> Proposal:
    """Say what to do about a set that the ``number``-th test found unsafe.

    With probability 1 - δ_number everything in the proposal keeps the limits that it names, and over all proposals
    about the set with probability 1 - δ.  Nothing is promised about how large the part is that can be kept.
    """
    evidence = window.evidence.select(published.columns)
    # Two answers, each about every limit, and about the groups besides, which say how far a column can be coarsened.
    delta = level(published.delta, number) / (4 * len(published.limits))
    prospect = Prospect(published, evidence, math.log(delta))
    fixed = [published.columns.index(column) for column in published.must_publish]
    chosen = sorted(_keep(prospect, published, fixed))
    # Where the whole set keeps all that a sample can promise, what is beyond its limit is something else, and a part
    # that is chosen by these would be no answer to it.
    drop = None if len(chosen) == len(published.columns) else _drop(prospect, len(published.columns), fixed)
    without = None if drop is None else [j for j in range(len(published.columns)) if j != drop]

    def part(chosen: list[int] | None) -> ProposedSet | None:
        if not chosen or len(chosen) == len(published.columns):
            return None
        return ProposedSet(columns=[published.columns[j] for j in chosen], bounds=prospect.findings(chosen))

    kept = part(chosen)
    found = Proposal(
        drop=None if drop is None else published.columns[drop],
        coarsen_to=None if without is None else prospect.values_left(without),
        without=part(without),
        keep=kept if evidence.whole else _no_better(kept),
        uncertified=[limit.quantity for limit in published.limits if not Prospect.promises(limit, evidence)],
        confidence=1.0 if evidence.whole else 1.0 - published.delta,
        window=window.span,
        sentence="",
    )
    return found.model_copy(update={"sentence": proposed(found)})


def _drop(prospect: Prospect, columns: int, fixed: Sequence[int]) -> int | None:
    """Return the column without which A has the set furthest below its limits, if B agrees."""
    if columns < 2:
        return None
    others = {drop: [j for j in range(columns) if j != drop] for drop in range(columns) if drop not in fixed}
    best = min(others, key=lambda drop: prospect.excess(others[drop]), default=None)
    return best if best is not None and _safe(prospect.findings(others[best])) else None


def _keep(prospect: Prospect, published: PublishedSet, fixed: list[int]) -> list[int]:
    """Return the longest part of the chain of A that B lets pass; empty when not even the shortest does."""
    by_pairs = any(limit.quantity is Quantity.SEPARATION for limit in published.limits)
    state = state_of(prospect.a, Measure.SEPARATION if by_pairs else Measure.DISTINCT)
    m = len(published.columns)
    chain = mask_chain(state, [1.0] * m, fixed, [j for j in range(m) if j not in fixed], 1.0)
    lengths = range(max(1, len(fixed)), len(chain) + 1)
    passed = longest_passing(lengths, lambda length: _safe(prospect.findings(chain[:length])))
    return [] if passed is None else chain[:passed]


def _no_better(kept: ProposedSet | None) -> ProposedSet | None:
    """Return a part that is certified to keep its limits and no better: B selected it among several."""
    if kept is None:
        return None
    bounds = [
        finding.model_copy(update={"estimate": finding.estimate.model_copy(update={"upper": finding.limit})})
        for finding in kept.bounds
        if finding.estimate is not None
    ]
    return kept.model_copy(update={"bounds": bounds})


def _safe(findings: Sequence[Finding]) -> bool:
    """Whether all limits are kept, and there is one that a sample can promise."""
    return bool(findings) and all(finding.state is VerdictState.SAFE for finding in findings)


def _value(limit: Limit, here: Partition) -> float:
    if limit.quantity is Quantity.SEPARATION:
        return ratios.separation(here)
    if limit.quantity is Quantity.DISTINCT:
        return ratios.distinct(here)
    return ratios.small(here, limit.k or 2)
