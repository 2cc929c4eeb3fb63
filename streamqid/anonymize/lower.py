"""A bound that no partition undercuts, from the nearest rows of each row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from streamqid.anonymize.microdata import Microdata
    from streamqid.anonymize.requirements import Requirement

MOST_CLASSES = 4000
"""Different rows up to which all pairs of them are compared."""
CELLS = 1 << 24


def least_cost(data: Microdata, requirement: Requirement) -> int | None:
    """Return a lower bound on the cost of every partition that meets the requirement; None where it is not cheap.

    A row whose group loses d columns stands in a group of rows that differ from it in at most d columns.  So it loses
    at least the smallest d for which the rows within Hamming distance d may contain a group that meets the requirement.
    """
    classes = data.classes()
    if len(classes) > MOST_CLASSES or len(classes) * data.values > CELLS:
        return None
    weights = np.zeros((len(classes), data.values))
    weights[np.arange(len(classes)), classes.sensitive] = classes.sizes
    block = max(1, CELLS // (len(classes) * max(data.m, 1)))
    total = 0
    for first in range(0, len(classes), block):
        part = classes.quasi[first : first + block]
        apart = (part[:, None, :] != classes.quasi[None, :, :]).sum(axis=2)
        waiting = np.arange(len(part))
        for d in range(data.m + 1):
            near = np.rint((apart[waiting] <= d) @ weights).astype(np.int64)
            waiting = waiting[~requirement.reachable(near)]
            if not len(waiting):
                break
            total += int(classes.sizes[first + waiting].sum())
    return total
