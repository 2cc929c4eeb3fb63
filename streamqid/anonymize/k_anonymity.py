"""k-anonymity within the factor m of the optimum, for m quasi-identifiers (Theorem 10), in nearly linear time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize.grouping import Grouping, grouping_of

if TYPE_CHECKING:
    from streamqid.anonymize.microdata import Microdata


@dataclass(frozen=True, slots=True)
class Approximation:
    """A k-anonymous partition that costs at most m times ``bound``, which no k-anonymous partition undercuts."""

    grouping: Grouping
    bound: int


def approximate(data: Microdata, k: int) -> Approximation:
    """Return the partition of Theorem 10's proof: one pooled group, and the classes of equal rows that are large.

    The pool takes every class of fewer than k rows.  While it is too small itself, it takes rows that large classes
    can spare (case 2), or else the smallest large class as a whole (case 3).  Each row of the pool, or as many other
    rows, must lose at least one cell in any k-anonymous partition, and loses at most m here.  Needs k <= n.
    """
    classes = data.classes()
    members = sorted(classes.members(), key=len)
    small = [rows for rows in members if len(rows) < k]
    large = members[len(small) :]
    pooled = sum(map(len, small))
    if not small:
        return Approximation(grouping_of(data, large), 0)
    if pooled >= k:
        return Approximation(grouping_of(data, [np.concatenate(small), *large]), pooled)
    missing = k - pooled
    if sum(len(rows) - k for rows in large) >= missing:
        pool = list(small)
        for i, rows in enumerate(large):
            spared = min(missing, len(rows) - k)
            pool.append(rows[:spared])
            large[i] = rows[spared:]
            missing -= spared
        return Approximation(grouping_of(data, [np.concatenate(pool), *large]), k)
    pool = [*small, large[0]]
    return Approximation(grouping_of(data, [np.concatenate(pool), *large[1:]]), pooled + len(large[0]))
