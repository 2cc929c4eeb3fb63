"""The Earth Mover's Distance between the distribution of a value inside groups and in the whole table.

All ground distances reach from 0 to 1, so all distances do.  Distributions are counts: ``groups[g, v]`` rows of
group g have the value v, ``whole[v]`` rows of the table have it.  Distances of counts are rational numbers; they are
returned as floats, and thresholds are compared through :func:`within`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Far below the difference of two distances in tables of up to ten thousand rows, far above what rounding adds."""


def equal_distance(groups: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return the distance of each group when any two values are equally far apart: half the sum of differences."""
    result: NDArray[np.float64] = np.abs(_differences(groups, whole)).sum(axis=1) / 2.0
    return result


def ordered_distance(groups: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    """Return the distance of each group when values v and w of m, in their order, are |v - w| / (m - 1) apart."""
    differences = _differences(groups, whole)
    steps = max(differences.shape[1] - 1, 1)
    result: NDArray[np.float64] = np.abs(np.cumsum(differences, axis=1)).sum(axis=1) / steps
    return result


def hierarchical_distance(
    groups: NDArray[Any], whole: NDArray[Any], levels: Sequence[NDArray[np.integer]]
) -> NDArray[np.float64]:
    """Return the distance of each group when two values are as far apart as their lowest common ancestor is high.

    ``levels[h][v]`` numbers the ancestor of value v that is h + 1 steps up; the last level is the root, at height H,
    and two values below an ancestor at height h are h/H apart.  Each such distance is a way up and a way down the tree,
    so what flows through the branch above a node is what the shares below it differ by: the distance is the sum of
    these differences over all nodes but the root, divided by 2H (the recursion of Li, Li and Venkatasubramanian
    sums the same flows node by node).
    """
    differences = _differences(groups, whole)
    moved = np.abs(differences).sum(axis=1)
    for level in levels[:-1]:
        below = np.zeros((len(level), int(level.max()) + 1))
        below[np.arange(len(level)), level] = 1.0
        moved += np.abs(differences @ below).sum(axis=1)
    result: NDArray[np.float64] = moved / (2.0 * len(levels))
    return result


def within(distance: float, limit: float) -> bool:
    """Tell whether a distance meets a limit, which tables often do exactly."""
    return distance <= limit + TOLERANCE


def _differences(groups: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = groups / groups.sum(axis=1, keepdims=True) - whole / whole.sum()
    return shares
