"""Which algorithm answers which request, and what it promises."""

from __future__ import annotations

import enum
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize import k_anonymity, matching, pairing, program, subsets
from streamqid.anonymize.descent import descend
from streamqid.anonymize.grouping import Grouping, grouping_of
from streamqid.anonymize.lower import least_cost
from streamqid.anonymize.requirements import KAnonymity, TwoDiversity, groups_met

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata
    from streamqid.anonymize.requirements import Requirement


class Method(enum.StrEnum):
    """Where a partition came from."""

    ALL_PARTITIONS = "all partitions (Theorem 8)"
    PROGRAM = "integer program over generalised rows (Theorem 9, HiGHS)"
    BIPARTITE = "bipartite matching (Theorem 11, two sensitive values)"
    MATCHING = "simplex matching as an integer program (Theorem 11, HiGHS)"
    POOL = "pool of small classes (Theorem 10)"
    DESCENT = "splitting by columns (heuristic)"


@dataclass(frozen=True, slots=True)
class Solution:
    """A partition that meets the requirement; ``bound`` is a cost that no such partition undercuts, if known."""

    grouping: Grouping
    method: Method
    bound: int | None
    factor: int | None = None
    """The cost is at most so many times the optimum, by a theorem."""

    @property
    def optimal(self) -> bool:
        """Whether no partition costs less."""
        return self.bound is not None and self.grouping.cost <= self.bound


class _Best:
    """The cheapest partition so far that meets the requirement, and the best bound."""

    def __init__(self, data: Microdata, requirement: Requirement) -> None:
        self._data, self._requirement = data, requirement
        self.found: Grouping | None = None
        self.method = Method.DESCENT
        self.bound: int | None = None

    def offer(self, candidate: Grouping | None, method: Method, bound: int | None = None) -> None:
        """Take a partition if it is cheaper and meets the requirement, and a bound if it is higher.

        Programs keep limits to within rounding only, so that what they return is measured here.
        """
        if bound is not None:
            self.bound = max(bound, self.bound or 0)
        if candidate is None or (self.found is not None and candidate.cost >= self.found.cost):
            return
        if groups_met(self._data, self._requirement, np.arange(self._data.n), candidate.labels).all():
            self.found, self.method = candidate, method

    @property
    def settled(self) -> bool:
        """Whether the partition is known to be optimal."""
        return self.found is not None and self.bound is not None and self.found.cost <= self.bound


def solve(data: Microdata, requirement: Requirement, seconds: float) -> Solution:
    """Return a cheap partition that meets the requirement, which the table as one group must meet.

    Small tables are solved to the optimum: 2-diversity by matching, the others over all partitions of up to twelve
    rows and by an integer program while that is small.  Beyond that, and beyond so many seconds, k-anonymity is within
    the factor m of the optimum, and the others are heuristics; the bound tells how far from the optimum they can be.
    """
    deadline = time.monotonic() + seconds
    best = _Best(data, requirement)
    factor = None
    if isinstance(requirement, KAnonymity):
        pool = k_anonymity.approximate(data, requirement.k)
        best.offer(pool.grouping, Method.POOL, pool.bound)
        factor = data.m
    diverse = isinstance(requirement, TwoDiversity)
    if not best.settled and not diverse and data.n <= subsets.MOST_ROWS:
        exact = subsets.optimum(data, requirement)
        best.offer(exact, Method.ALL_PARTITIONS, None if exact is None else exact.cost)
    if not best.settled:
        _search(data, requirement, best, deadline)
    if best.found is None:
        msg = "the table as one group does not meet the requirement"
        raise ValueError(msg)
    return Solution(best.found, best.method, best.bound, factor)


def _search(data: Microdata, requirement: Requirement, best: _Best, deadline: float) -> None:
    """Look for a cheaper partition, from the quickest way to the slowest."""
    split = descend(data, requirement)
    groups = _members(split)
    if isinstance(requirement, TwoDiversity):
        groups = pairing.twos_and_threes(data, groups)
        split = grouping_of(data, groups)
    best.offer(split, Method.DESCENT, least_cost(data, requirement))
    if best.settled:
        return
    left = deadline - time.monotonic()
    if not isinstance(requirement, TwoDiversity):
        outcome = program.solve(data, requirement, left)
        if outcome is not None:
            best.offer(outcome.grouping, Method.PROGRAM, outcome.bound)
    elif data.values == 2 and data.n <= pairing.MOST_PAIRED_ROWS:
        pairs = grouping_of(data, pairing.matched(data))
        best.offer(pairs, Method.BIPARTITE, pairs.cost)
    elif data.values > 2 and len(data.classes()) <= matching.MOST_CLASSES:
        found = matching.Matching(data, groups, left).solve()
        best.offer(found.grouping, Method.MATCHING, found.bound)


def _members(split: Grouping) -> list[NDArray[np.int64]]:
    order = np.argsort(split.labels, kind="stable")
    return np.split(order, np.cumsum(split.sizes)[:-1])
