"""How much a group tells about a sensitive value beyond what the whole table tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.distances import TOLERANCE, equal_distance, hierarchical_distance, ordered_distance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.audits.cells import Cells, Distance


def closeness(cells: Cells, distance: Distance) -> NDArray[np.float64]:
    """Return the Earth Mover's Distance from each group to the table: the t of t-closeness is the largest."""
    return np.concatenate([_distances(block, cells, distance) for block in cells.blocks()])


def _distances(block: NDArray[np.int64], cells: Cells, distance: Distance) -> NDArray[np.float64]:
    if distance == "ordered":
        return ordered_distance(block, cells.whole)
    if distance == "hierarchical":
        return hierarchical_distance(block, cells.whole, cells.levels)
    return equal_distance(block, cells.whole)


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
