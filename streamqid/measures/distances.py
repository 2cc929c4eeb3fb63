"""The Earth Mover's Distance between the distribution of a value inside groups and in the whole table.

All ground distances reach from 0 to 1, so all distances do.  Distributions are counts: ``groups[g, v]`` rows of
group g have the value v, ``whole[v]`` rows of the table have it.  Distances of counts are rational numbers; they are
returned as floats, so thresholds, which tables often meet exactly, are compared with ``TOLERANCE``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
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


def _differences(groups: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = groups / groups.sum(axis=1, keepdims=True) - whole / whole.sum()
    return shares
