"""What every group of rows must keep: k-anonymity, 2-diversity or t-closeness.

Groups are given as the counts of their sensitive values.  Each of the three is closed under union: two groups that
meet it meet it together (for t-closeness because the distance is convex).  So a reader, who sees equal rows as one
class, sees what was promised for the groups behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from streamqid.measures.distances import TOLERANCE, Counts, EqualSpace, OrderedSpace
from streamqid.measures.radix import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.anonymize.microdata import Microdata

Distance = Literal["equal", "ordered"]


class Requirement(Protocol):
    """What a group must keep."""

    def met(self, counts: Counts) -> NDArray[np.bool_]:
        """Tell for each group whether it keeps the requirement."""
        ...

    def reachable(self, counts: Counts) -> NDArray[np.bool_]:
        """Tell for each group whether some of its rows may form a group that keeps it: necessary, not sufficient."""
        ...


@dataclass(frozen=True, slots=True)
class KAnonymity:
    """A group has at least k rows."""

    k: int

    def met(self, counts: Counts) -> NDArray[np.bool_]:
        """Count the rows."""
        return counts.sizes >= self.k

    def reachable(self, counts: Counts) -> NDArray[np.bool_]:
        """Count the rows: here this is sufficient as well."""
        return self.met(counts)


@dataclass(frozen=True, slots=True)
class TwoDiversity:
    """At most half of the rows of a group have one sensitive value (the paper's l-diversity for l = 2)."""

    def met(self, counts: Counts) -> NDArray[np.bool_]:
        """Compare the most frequent value with half of the rows."""
        diverse: NDArray[np.bool_] = 2 * np.maximum.reduceat(counts.count, counts.starts) <= counts.sizes
        return diverse

    def reachable(self, counts: Counts) -> NDArray[np.bool_]:
        """Look for two different values."""
        return np.diff(counts.starts, append=len(counts.group)) >= 2


@dataclass(frozen=True, slots=True)
class TCloseness:
    """The sensitive values of a group are at most t away from those of the whole table (Earth Mover's Distance)."""

    t: float
    distance: Distance
    whole: NDArray[np.int64]
    _space: EqualSpace | OrderedSpace = field(init=False)

    def __post_init__(self) -> None:
        space = EqualSpace if self.distance == "equal" else OrderedSpace
        object.__setattr__(self, "_space", space(self.whole))

    @property
    def limit(self) -> float:
        """The largest distance that passes for t, which tables often meet exactly."""
        return self.t + TOLERANCE

    def met(self, counts: Counts) -> NDArray[np.bool_]:
        """Measure the distance."""
        close: NDArray[np.bool_] = self._space.distances(counts) <= self.limit
        return close

    def reachable(self, counts: Counts) -> NDArray[np.bool_]:
        """Let each value of the whole table come from the nearest value that is there: no group moves less."""
        near: NDArray[np.bool_] = self._space.least(counts) <= self.limit
        return near


def counts_in(data: Microdata, rows: NDArray[np.int64], labels: NDArray[np.integer]) -> Counts:
    """Count the sensitive values in each group of these rows, numbered from 0 without a gap by the labels."""
    groups = int(labels.max()) + 1
    key = labels.astype(np.int64) * data.values + data.sensitive[rows]
    at, count = counted(key, groups * data.values)
    group, value = np.divmod(at, data.values)
    starts = np.searchsorted(group, np.arange(groups))
    return Counts(group, value, count, starts, np.add.reduceat(count, starts))


def groups_met(
    data: Microdata, requirement: Requirement, rows: NDArray[np.int64], labels: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Tell of each group of these rows whether it keeps the requirement."""
    return requirement.met(counts_in(data, rows, labels))
