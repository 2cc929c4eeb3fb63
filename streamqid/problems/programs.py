"""Covering programs whose rows are found while they are solved: exact minima by HiGHS.

Minimum keys, minimum β-separation sets, maskings (as sets of columns to hide) and minimum QIDs are all of one kind:
of the column sets that have a property which no further column takes away, find one of least weight.  Such a
property is a set of covering rows a·x >= 1 over the 0/1 vector x of a set, far too many to write down.  So the
mixed-integer program starts without any; as long as its optimum lacks the property, rows that it violates are added
(``problems.cuts``).  An optimum that has the property is an optimum of the whole program, and every optimum on the way
is a lower bound.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from streamqid.problems.interruptible import interruptible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

Row: TypeAlias = "NDArray[np.float64]"
Cuts: TypeAlias = "Callable[[Sequence[int]], list[Row]]"
"""From a set to rows that it violates and every set with the property satisfies; none if it has the property."""

TIE = 1e-5
"""Share of the heaviest column that is open to choice below which the weights of two sets count as equal; the
solver's own tolerance is 1e-6."""
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Cover:
    """A set with the property, and what is known about the lightest one."""

    chosen: list[int]
    weight: float
    bound: float
    """No set with the property weighs less; equal to ``weight`` if ``chosen`` is optimal."""
    optimal: bool
    rows: int
    """Rows of the program that was solved last."""
    seconds: float


def lightest(
    weights: Sequence[float],
    cuts: Cuts,
    known: Sequence[int],
    seconds: float,
    forced: Sequence[int] = (),
    barred: Sequence[int] = (),
) -> Cover:
    """Return the lightest set with the property, or the best one known when time runs out.

    Parameters
    ----------
    weights
        Of the columns.
    cuts
        The property.
    known
        A set with the property, such as the greedy one: the answer when nothing lighter is found.
    seconds
        Time limit; rows that are being looked for when it ends are still found.
    forced, barred
        Columns that belong to the set in any case, or in no case; ``known`` respects them.
    """
    start, weight_of = time.monotonic(), np.asarray(weights, np.float64)
    lower, upper = np.zeros(len(weight_of)), np.ones(len(weight_of))
    lower[list(forced)], upper[list(barred)] = 1.0, 0.0
    # What weighs more than a known set is in no lighter one, and what is forced is in all: neither may set the scale.
    base = float(weight_of @ lower)
    upper[(lower < 1.0) & (base + weight_of > weight_of[list(known)].sum() * (1.0 + ROUNDING))] = 0.0
    open_to_choice = upper > lower
    scale = float(weight_of[open_to_choice].max(initial=0.0)) or 1.0
    cost = np.where(open_to_choice, weight_of, 0.0) / scale
    best, bound = sorted(known), 0.0
    rows: list[Row] = []
    while bound < cost[best].sum() - TIE:
        left = seconds - (time.monotonic() - start)
        if left <= 0.0:
            break
        found, reached = _solve(cost, rows, lower, upper, left)
        bound = max(bound, reached)
        if found is None or bound >= cost[best].sum() - TIE:
            break
        added = cuts(found)
        rows += added
        if not added and cost[found].sum() < cost[best].sum():
            best = found
    weight = float(weight_of[best].sum())
    optimal = bool(bound >= cost[best].sum() - TIE)
    least = weight if optimal else base + bound * scale
    return Cover(best, weight, least, optimal, len(rows), time.monotonic() - start)


def _solve(cost: Row, rows: Sequence[Row], lower: Row, upper: Row, seconds: float) -> tuple[list[int] | None, float]:
    """Solve the program of these rows; return its solution, if one was found in time, and a lower bound."""
    if not rows:
        return np.flatnonzero(lower).tolist(), float(cost @ lower)
    # Imported here because it takes a second, which other questions need not wait.
    from scipy.optimize import Bounds, LinearConstraint, milp

    found = interruptible(
        lambda: milp(
            cost,
            integrality=np.ones(len(cost), np.int64),
            bounds=Bounds(lower, upper),
            constraints=LinearConstraint(np.array(rows), lb=1.0),
            options={"time_limit": seconds, "mip_rel_gap": 0.0},
        )
    )
    bound = found.mip_dual_bound
    reached = 0.0 if bound is None or not np.isfinite(bound) else float(bound)
    return None if found.x is None else np.flatnonzero(np.round(found.x)).tolist(), reached
