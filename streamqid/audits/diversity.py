"""l-diversity of each group, by the definitions of Machanavajjhala et al. and of Liang and Yuan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.audits.cells import Cells


def distinct_l(cells: Cells) -> NDArray[np.int64]:
    """Return how many different values each group has."""
    return np.diff(cells.starts, append=len(cells.group))


def largest_count(cells: Cells) -> NDArray[np.int64]:
    """Return how often the most frequent value of each group occurs in it.

    No value has more than 1/l of the rows of a group (frequency l-diversity, the definition of Liang and Yuan) when
    l times this is at most its size.
    """
    most: NDArray[np.int64] = np.maximum.reduceat(cells.count, cells.starts)
    return most


def entropy_l(cells: Cells) -> NDArray[np.float64]:
    """Return the largest l of each group so that the entropy of its values is at least ln l."""
    shares = cells.shares
    entropy = np.maximum(np.add.reduceat(-shares * np.log(shares), cells.starts), 0.0)
    return np.exp(entropy)


def recursive_ratio(cells: Cells, l: int) -> NDArray[np.float64]:  # noqa: E741 - the paper's letter
    """Return r_1 / (r_l + ... + r_m) of each group, where r_i is how often its i-th most frequent value occurs.

    A group is recursively (c, l)-diverse when this is below c; it is infinite with fewer than l values.
    """
    falling = np.lexsort((-cells.count, cells.group))
    count = cells.count[falling]
    rank = np.arange(len(count)) - cells.starts[cells.group]
    rest = np.add.reduceat(np.where(rank >= l - 1, count, 0), cells.starts)
    ratio = np.full(len(rest), np.inf)
    np.divide(count[cells.starts], rest, out=ratio, where=rest > 0)
    return ratio
