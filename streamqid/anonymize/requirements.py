"""What every group of rows must keep: k-anonymity, 2-diversity or t-closeness.

Groups are given as counts: ``counts[g, v]`` rows of group g have the sensitive value v.  Each of the three is closed
under union: two groups that meet it meet it together (for t-closeness because the distance is convex).  So a reader,
who sees equal rows as one class, sees what was promised for the groups behind it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from streamqid.measures.distances import TOLERANCE, equal_distance, ordered_distance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata

Distance = Literal["equal", "ordered"]
CELLS = 1 << 22
"""Most cells of a table of counts that is held at a time."""


class Requirement(Protocol):
    """What a group must keep."""

    def met(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell for each group (of at least one row) whether it keeps the requirement."""
        ...

    def reachable(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tell for each set of rows whether some of them may form a group that keeps it: necessary, not sufficient."""
        ...


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """A group has at least k rows."""

    k: int

    def met(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Count the rows."""
        enough: NDArray[np.bool_] = counts.sum(axis=1) >= self.k
        return enough

    def reachable(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Count the rows: here this is sufficient as well."""
        return self.met(counts)


@dataclass(frozen=True, slots=True)
class TwoDiversity:
    """At most half of the rows of a group have one sensitive value (the paper's l-diversity for l = 2)."""

    def met(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Compare the most frequent value with half of the rows."""
        diverse: NDArray[np.bool_] = 2 * counts.max(axis=1) <= counts.sum(axis=1)
        return diverse

    def reachable(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Look for two different values."""
        two: NDArray[np.bool_] = np.count_nonzero(counts, axis=1) >= 2
        return two


@dataclass(frozen=True, slots=True)
class TCloseness:
    """The sensitive values of a group are at most t away from those of the whole table (Earth Mover's Distance)."""

    t: float
    distance: Distance
    whole: NDArray[np.int64]

    @property
    def limit(self) -> float:
        """The largest distance that passes for t, which tables often meet exactly."""
        return self.t + TOLERANCE

    def met(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Measure the distance."""
        measure = equal_distance if self.distance == "equal" else ordered_distance
        close: NDArray[np.bool_] = measure(counts, self.whole) <= self.limit
        return close

    def reachable(self, counts: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Let each value of the whole table come from the nearest value that is there: no group moves less."""
        there = counts > 0
        shares = self.whole / self.whole.sum()
        if self.distance == "equal":
            least = 1.0 - there @ shares
        else:
            least = _steps_to_nearest(there) @ shares / max(len(self.whole) - 1, 1)
        near: NDArray[np.bool_] = least <= self.limit
        return near & there.any(axis=1)


def _steps_to_nearest(there: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for each value in its order, how many steps away the nearest value is that is there."""
    width = there.shape[1]
    at = np.arange(width)
    below = np.maximum.accumulate(np.where(there, at, -width), axis=1)
    above = np.minimum.accumulate(np.where(there, at, 2 * width)[:, ::-1], axis=1)[:, ::-1]
    nearest: NDArray[np.int64] = np.minimum(at - below, above - at)
    return nearest


def groups_met(
    data: Microdata, requirement: Requirement, rows: NDArray[np.int64], labels: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell of each group of these rows, numbered from 0 by the labels, whether it keeps the requirement.

    Groups are counted in blocks, since groups times values may be far more than rows.
    """
    groups = int(labels.max()) + 1
    block = max(1, CELLS // data.values)
    order = np.argsort(labels, kind="stable") if groups > block else np.arange(len(rows))
    labels, sensitive = labels[order], data.sensitive[rows[order]]
    firsts = range(0, groups, block)
    begins = np.searchsorted(labels, firsts) if groups > block else np.zeros(1, np.int64)
    met = []
    for first, begin, end in zip(firsts, begins, np.append(begins[1:], len(rows)), strict=True):
        height = min(block, groups - first)
        key = (labels[begin:end] - first) * data.values + sensitive[begin:end]
        counts = np.bincount(key, minlength=height * data.values).reshape(height, data.values)
        met.append(requirement.met(counts))
    return np.concatenate(met)
