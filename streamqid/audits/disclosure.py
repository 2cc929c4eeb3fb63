"""How much a group tells about a sensitive value beyond what the whole table tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.distances import TOLERANCE, EqualSpace, OrderedSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.audits.cells import Cells, Distance


def closeness(cells: Cells, distance: Distance) -> NDArray[np.float64]:
    """Return the Earth Mover's Distance from each group to the table: the t of t-closeness is the largest.

    Two values below an ancestor at height h of H are h/H apart in a hierarchy.  Each such distance is a way up and a
    way down the tree, so what flows through the branch above a node is what the shares below it differ by: the distance
    is the mean, over the levels below the root, of the equal distance between their nodes (the recursion of Li, Li and
    Venkatasubramanian sums the same flows node by node).
    """
    if distance == "ordered":
        return OrderedSpace(cells.whole).distances(cells)
    levels = cells.levels[:-1] if distance == "hierarchical" else ()
    found = EqualSpace(cells.whole).distances(cells)
    for nodes in levels:
        found += _excess(cells, nodes)
    return found / (len(levels) + 1)


def _excess(cells: Cells, nodes: NDArray[np.integer]) -> NDArray[np.float64]:
    """Return how much the shares of nodes in each group exceed those in the table; ``nodes`` has that of each value."""
    width = int(nodes.max()) + 1
    key, place = np.unique(cells.group * width + nodes[cells.value], return_inverse=True)
    group, node = np.divmod(key, width)
    shares = np.bincount(place, weights=cells.count) / cells.sizes[group]
    table = np.bincount(nodes, weights=cells.whole) / cells.whole.sum()
    excess = np.maximum(shares - table[node], 0.0)
    return np.bincount(group, weights=excess, minlength=len(cells.sizes)).astype(np.float64)


def disclosed(cells: Cells) -> NDArray[np.float64]:
    """Return the largest logarithm, without its sign, of share in the group / share in the table (δ-disclosure).

    Over the values that occur in the group: the definition of Brickell and Shmatikov asks for all values, which no
    group without one of them meets for any δ.
    """
    most: NDArray[np.float64] = np.maximum.reduceat(np.abs(np.log(_gains(cells))), cells.starts)
    return most


def likeness(cells: Cells) -> NDArray[np.float64]:
    """Return the largest relative gain (q - p) / p of each group, at least 0 (basic β-likeness, Cao and Karras).

    p is the share of a value in the table and q that in the group.
    """
    most: NDArray[np.float64] = np.maximum.reduceat(np.maximum(_gains(cells) - 1.0, 0.0), cells.starts)
    return most


def unlike(cells: Cells) -> NDArray[np.bool_]:
    """Return which groups have a relative gain above -ln p, so that no β makes them alike (enhanced β-likeness)."""
    shares = (cells.whole / cells.whole.sum())[cells.value]
    beyond: NDArray[np.bool_] = np.logical_or.reduceat(_gains(cells) - 1.0 > -np.log(shares) + TOLERANCE, cells.starts)
    return beyond


def _gains(cells: Cells) -> NDArray[np.float64]:
    gains: NDArray[np.float64] = cells.shares / (cells.whole / cells.whole.sum())[cells.value]
    return gains
