"""The optimum as an integer program over generalised rows (Theorem 9), solved by HiGHS.

A pattern keeps some columns and suppresses the others.  The program decides how many rows of each class are published
as each pattern that fits them; the rows of one pattern are one group.  Only closed patterns are needed: those that
keep every column on which all the rows that they fit agree.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from streamqid.anonymize.grouping import Grouping, grouping
from streamqid.anonymize.requirements import KAnonymity, TCloseness, TwoDiversity
from streamqid.measures.distances import Counts
from streamqid.problems.interruptible import interruptible

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Classes, Microdata
    from streamqid.anonymize.requirements import Requirement

STAR = -1
MOST_CLASSES = 1000
MOST_PATTERNS = MOST_VARIABLES = 20_000
"""Sizes beyond which no program is tried: HiGHS would seldom find an optimum in minutes."""
ROUNDING = 1e-6
"""HiGHS keeps constraints and integers to about this much; costs are whole numbers."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The best partition found, if any, and a bound that no partition undercuts."""

    grouping: Grouping | None
    bound: int


def solve(data: Microdata, requirement: Requirement, seconds: float) -> Outcome | None:
    """Return the optimum, or what is known of it after so many seconds; None if the program would be too large."""
    deadline = time.monotonic() + seconds
    classes = data.classes()
    if len(classes) > MOST_CLASSES:
        return None
    patterns = closed_patterns(classes.quasi, MOST_PATTERNS, deadline)
    if patterns is None:
        return None
    program = _Program(classes, data.values)
    for pattern in patterns:
        program.add(pattern, requirement)
        if len(program.costs) > MOST_VARIABLES:
            return None
    if not program.published:
        return Outcome(None, 0)
    found = program.solve(deadline - time.monotonic())
    bound = -math.inf if found.mip_dual_bound is None else found.mip_dual_bound
    least = max(0, math.ceil(bound - ROUNDING)) if math.isfinite(bound) else 0
    if found.x is None:
        return Outcome(None, least)
    return Outcome(grouping(data, program.labels(found.x, classes)), least)


def closed_patterns(quasi: NDArray[np.int32], most: int, deadline: float = math.inf) -> NDArray[np.int32] | None:
    """Return all closed patterns, as rows with STAR where a column is suppressed; None if they are too many.

    They are the rows, and what any set of rows agrees on; so they come from meeting patterns with rows.
    """
    rows = np.unique(quasi, axis=0)
    known = {row.tobytes(): row for row in rows}
    waiting = list(known.values())
    while waiting:
        pattern = waiting.pop()
        for met in np.unique(np.where(rows == pattern, rows, STAR), axis=0):
            name = met.tobytes()
            if name not in known:
                known[name] = met
                waiting.append(met)
        if len(known) > most or time.monotonic() > deadline:
            return None
    return np.array(list(known.values()), np.int32)


class _Program:
    """The program as it grows: variables with costs and bounds, and rows of a sparse matrix."""

    def __init__(self, classes: Classes, values: int) -> None:
        self.classes = classes
        self.values = values
        self.costs: list[float] = []
        self.upper: list[float] = []
        self.integral: list[int] = []
        self.published: list[tuple[int, int, int]] = []
        """Pattern, class and variable of each number of rows to be decided."""
        self._entries: list[tuple[int, int, float]] = []
        self._low: list[float] = []
        self._high: list[float] = []
        self._patterns = 0

    def add(self, pattern: NDArray[np.int32], requirement: Requirement) -> None:
        """Add a pattern, unless no group of rows that it fits can meet the requirement."""
        fits = np.flatnonzero(((self.classes.quasi == pattern) | (pattern == STAR)).all(axis=1))
        sensitive, sizes = self.classes.sensitive[fits], self.classes.sizes[fits]
        counts = np.bincount(sensitive, sizes, minlength=self.values).astype(np.int64)
        if not requirement.reachable(Counts.of(counts[None]))[0]:
            return
        suppressed = float((pattern == STAR).sum())
        x = np.array([self._variable(suppressed, float(size)) for size in sizes])
        self.published += [(self._patterns, c, v) for c, v in zip(fits.tolist(), x.tolist(), strict=True)]
        self._patterns += 1
        if isinstance(requirement, KAnonymity):
            self._large_or_empty(x, sizes, requirement.k)
        elif isinstance(requirement, TwoDiversity):
            for value in np.unique(sensitive):
                self._row(x, np.where(sensitive == value, 1.0, -1.0), high=0.0)
        elif isinstance(requirement, TCloseness):
            self._close(x, sensitive, requirement)

    def _large_or_empty(self, x: NDArray[np.int64], sizes: NDArray[np.int64], k: int) -> None:
        used = self._variable(0.0, 1.0)
        self._row([*x, used], [*np.ones(len(x)), -float(k)], low=0.0)
        for variable, size in zip(x, sizes, strict=True):
            self._row([variable, used], [1.0, -float(size)], high=0.0)

    def _close(self, x: NDArray[np.int64], sensitive: NDArray[np.int32], requirement: TCloseness) -> None:
        """Bound the sum of what each value has too much, or of what passes between neighbours in their order."""
        shares = requirement.whole / requirement.whole.sum()
        limit = requirement.limit
        moved = []
        if requirement.distance == "equal":
            for value in np.unique(sensitive):
                moved.append(self._variable(0.0, math.inf, integral=0))
                excess = (sensitive == value) - shares[value]
                self._row([*x, moved[-1]], [*excess, -1.0], high=0.0)
        else:
            limit *= max(self.values - 1, 1)
            for value in range(self.values - 1):
                moved.append(self._variable(0.0, math.inf, integral=0))
                passing = (sensitive <= value) - shares[: value + 1].sum()
                self._row([*x, moved[-1]], [*passing, -1.0], high=0.0)
                self._row([*x, moved[-1]], [*-passing, -1.0], high=0.0)
        self._row([*x, *moved], [*np.full(len(x), -limit), *np.ones(len(moved))], high=0.0)

    def _variable(self, cost: float, upper: float, integral: int = 1) -> int:
        self.costs.append(cost)
        self.upper.append(upper)
        self.integral.append(integral)
        return len(self.costs) - 1

    def _row(self, variables: Any, factors: Any, low: float = -math.inf, high: float = math.inf) -> None:
        number = len(self._low)
        self._entries += [(number, int(v), float(f)) for v, f in zip(variables, factors, strict=True)]
        self._low.append(low)
        self._high.append(high)

    def solve(self, seconds: float) -> Any:
        """Publish every row of every class once, at least cost."""
        owner: list[list[int]] = [[] for _ in range(len(self.classes))]
        for _, c, variable in self.published:
            owner[c].append(variable)
        for variables, size in zip(owner, self.classes.sizes.tolist(), strict=True):
            self._row(variables, np.ones(len(variables)), size, size)
        rows, columns, factors = (np.array(part) for part in zip(*self._entries, strict=True))
        matrix = csr_array((factors, (rows, columns)), shape=(len(self._low), len(self.costs)))
        solve = partial(
            milp,
            np.array(self.costs),
            integrality=np.array(self.integral),
            bounds=Bounds(0.0, np.array(self.upper)),
            constraints=LinearConstraint(matrix, np.array(self._low), np.array(self._high)),
            options={"time_limit": max(seconds, 0.1), "mip_rel_gap": 0.0},
        )
        return interruptible(solve)

    def labels(self, x: NDArray[np.float64], classes: Classes) -> NDArray[np.int64]:
        """Return the pattern of each row: the rows of a class are handed out in their order."""
        labels = np.empty(len(classes.of_row), np.int64)
        left = classes.members()
        for pattern, c, variable in self.published:
            number = round(x[variable])
            labels[left[c][:number]] = pattern
            left[c] = left[c][number:]
        return labels
