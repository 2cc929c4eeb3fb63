"""Certified answers: choose on sample A, judge the nested choices on sample B in a fixed order.

The greedy algorithm on A gives a chain of nested sets C1 ⊂ C2 ⊂ …, whose ratios only grow.  B is independent of
A, so for B these are fixed sets.  Each is tested at level δ, from the safe end of the chain on, and the first
failure ends the testing.  A promise is broken only if the first false claim in that order passes its own
test, which happens with probability at most δ: no correction for the length of the chain is needed (fixed
sequence testing), nor for the 2^m sets that were not in the chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray


def shortest_passing(lengths: Sequence[int], passes: Callable[[int], bool]) -> int | None:
    """Return the shortest prefix that passes, going from the longest down, for claims that a ratio is high."""
    found = None
    for length in sorted(lengths, reverse=True):
        if not passes(length):
            break
        found = length
    return found


def longest_passing(lengths: Sequence[int], passes: Callable[[int], bool]) -> int | None:
    """Return the longest prefix that passes, going from the shortest up, for claims that a ratio is low."""
    found = None
    for length in sorted(lengths):
        if not passes(length):
            break
        found = length
    return found


def separated_by_prefix(separated: NDArray[np.bool_], chain: Sequence[int]) -> NDArray[np.bool_]:
    """Return [length, pair]: whether the first ``length`` columns of the chain separate the pair."""
    out = np.zeros((len(chain) + 1, separated.shape[1]), np.bool_)
    for length, j in enumerate(chain, 1):
        np.logical_or(out[length - 1], separated[j], out=out[length])
    return out
