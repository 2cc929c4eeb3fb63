"""Optimal 2-diversity through the paper's reduction to simplex matching (Lemma 2, Theorem 11).

Vertices are rows, edges are two or three rows with different sensitive values, and a perfect matching of least cost is
an optimal 2-diverse partition.  The paper refers to a polynomial algorithm for that; here the matching is an integer
program of HiGHS, which is exact too, but not polynomial.  Equal rows are one vertex with a multiplicity.

There are up to C^3 / 6 edges, of which few matter.  The relaxation needs none of three rows: by the simplex condition,
half of each of its three pairs costs no more.  With the bound L of the relaxation and a matching of cost U, an edge
whose reduced cost exceeds U - 1 - L is in no cheaper matching; the program over the edges that are left decides.
"""

from __future__ import annotations

import math
import time
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, linprog, milp
from scipy.sparse import csr_array

from streamqid.anonymize.grouping import grouping_of
from streamqid.anonymize.program import ROUNDING, Outcome
from streamqid.problems.interruptible import interruptible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata

MOST_CLASSES = 800
"""Different rows up to which all edges are priced."""
NEAREST = 8
"""Edges of two that each vertex brings in one round of the relaxation."""
FIRST, FIRST_WITHIN = 8, 3.0
"""Edges that each vertex brings to the first whole-numbered matching, and their highest reduced cost."""
MOST_EDGES = 200_000
"""Edges up to which a program over all that matter is tried."""


class Matching:
    """Least-cost perfect matching of the different rows of a table; ``start`` are the rows of each group of one."""

    def __init__(self, data: Microdata, start: Iterable[NDArray[np.int64]], seconds: float) -> None:
        self.data = data
        self.classes = data.classes()
        self._deadline = time.monotonic() + seconds
        c = len(self.classes)
        same = self.classes.quasi[:, None, :] == self.classes.quasi[None, :, :]
        self._same = same.astype(np.float32)
        self._apart = data.m - same.sum(axis=2)
        self._differ = self.classes.sensitive[:, None] != self.classes.sensitive[None, :]
        self.edges: dict[tuple[int, ...], float] = {}
        for rows in start:
            self._add(tuple(sorted(self.classes.of_row[rows].tolist())))
        apart = np.where(self._differ, self._apart, data.m + 1)
        for i, nearest in enumerate(np.argsort(apart, axis=1, kind="stable")[:, : min(NEAREST, c)]):
            for j in nearest[self._differ[i, nearest]].tolist():
                self._add((min(i, j), max(i, j)))

    def solve(self) -> Outcome:
        """Return the optimum, or what is known of it when the time is over."""
        duals, relaxed = self._relaxation()
        if duals is None:
            return Outcome(None, 0)
        # An edge that was priced within rounding only may lower the relaxation by as much for each row.
        slack = ROUNDING * self.data.n
        bound = max(0, math.ceil(relaxed - slack))
        for edge in self._priced(duals, FIRST_WITHIN, FIRST):
            self._add(edge)
        best, cost, _ = self._whole()
        if best is not None and cost > bound:
            more = list(islice(self._priced(duals, cost - 1 - relaxed + slack), MOST_EDGES + 1))
            if len(more) <= MOST_EDGES and time.monotonic() < self._deadline:
                for edge in more:
                    self._add(edge)
                better, smaller, least = self._whole()
                # A matching that costs less than the known one has these edges only, and costs at least this.
                bound = max(bound, min(math.ceil(least - ROUNDING), cost))
                if better is not None and smaller < cost:
                    best = better
        return Outcome(None if best is None else grouping_of(self.data, best), bound)

    def _relaxation(self) -> tuple[NDArray[np.float64] | None, float]:
        """Return the dual values and the bound of the relaxation over all edges; None if the time is over before."""
        while True:
            left = self._deadline - time.monotonic()
            if left <= 0:
                return None, 0.0
            matrix, costs = self._matrix()
            solve = partial(linprog, costs, A_eq=matrix, b_eq=self.classes.sizes, method="highs")
            found = interruptible(partial(solve, options={"time_limit": left}))
            if found.x is None or found.status != 0:
                return None, 0.0
            duals = np.asarray(found.eqlin.marginals)
            prices = np.where(self._differ, 2.0 * self._apart - duals[:, None] - duals[None, :], math.inf)
            lowest = np.argsort(prices, axis=1, kind="stable")[:, :NEAREST]
            cheap = [(i, j) for i, row in enumerate(lowest.tolist()) for j in row if prices[i, j] < -ROUNDING]
            if not cheap:
                return duals, float(costs @ found.x)
            for i, j in cheap:
                self._add((min(i, j), max(i, j)))

    def _priced(self, duals: NDArray[np.float64], within: float, each: int | None = None) -> Iterator[tuple[int, ...]]:
        """Yield the edges that are not held and have at most this reduced cost: all, or the ``each`` lowest of each i.

        Edges are visited once, by the first of their vertices, i.  None come any more when the time is over.
        """
        for i in range(len(self.classes) - 1):
            if time.monotonic() > self._deadline:
                return
            pairs, triples = self._prices(i, duals)
            found: list[tuple[float, tuple[int, ...]]] = []
            found += [(float(pairs[j]), (i, i + 1 + int(j))) for j in _lowest(pairs, within, each)]
            for place in _lowest(triples.reshape(-1), within, each).tolist():
                j, k = divmod(place, len(triples))
                found.append((float(triples[j, k]), (i, i + 1 + j, i + 1 + k)))
            fresh = [edge for _, edge in sorted(found)[:each] if edge not in self.edges]
            yield from fresh

    def _prices(self, i: int, duals: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the reduced costs of all edges whose first vertex is i; infinite where there is no edge."""
        later = slice(i + 1, None)
        differ, same = self._differ[i, later], self._same[i, later]
        pairs = np.where(differ, 2.0 * self._apart[i, later] - duals[later] - duals[i], math.inf)
        edges = np.triu(self._differ[later, later] & differ[:, None] & differ[None, :], 1)
        suppressed = self.data.m - same @ same.T
        paid = duals[later][:, None] + duals[later][None, :] + duals[i]
        return pairs, np.where(edges, 3.0 * suppressed - paid, math.inf)

    def _add(self, edge: tuple[int, ...]) -> None:
        i, j = edge[:2]
        alike = self._same[i, j] if len(edge) == 2 else self._same[i, j] * self._same[i, edge[2]]
        self.edges[edge] = len(edge) * float(self.data.m - alike.sum())

    def _matrix(self) -> tuple[Any, NDArray[np.float64]]:
        vertex = np.array([v for edge in self.edges for v in edge])
        column = np.repeat(np.arange(len(self.edges)), [len(edge) for edge in self.edges])
        matrix = csr_array((np.ones(len(vertex)), (vertex, column)), shape=(len(self.classes), len(self.edges)))
        return matrix, np.array(list(self.edges.values()))

    def _whole(self) -> tuple[list[NDArray[np.int64]] | None, int, float]:
        """Return the best whole-numbered matching over the edges that are held, its cost, and a bound on it."""
        matrix, costs = self._matrix()
        sizes = self.classes.sizes
        solve = partial(
            milp,
            costs,
            integrality=np.ones(len(costs), np.int64),
            bounds=Bounds(0.0, math.inf),
            constraints=LinearConstraint(matrix, sizes, sizes),
            options={"time_limit": max(self._deadline - time.monotonic(), 0.1), "mip_rel_gap": 0.0},
        )
        found = interruptible(solve)
        least = 0.0 if found.mip_dual_bound is None else float(found.mip_dual_bound)
        if found.x is None:
            return None, 0, least
        left = self.classes.members()
        groups = []
        for edge, times in zip(self.edges, np.rint(found.x).astype(int).tolist(), strict=True):
            for _ in range(times):
                groups.append(np.array([left[v][0] for v in edge]))
                for v in edge:
                    left[v] = left[v][1:]
        return groups, round(float(found.fun)), least


def _lowest(prices: NDArray[np.float64], within: float, each: int | None) -> NDArray[np.int64]:
    """Return the places of prices within a limit, only the lowest if ``each`` says how many."""
    places = np.flatnonzero(prices <= within)
    if each is not None and len(places) > each:
        places = places[np.argpartition(prices[places], each)[:each]]
    return places
