"""What a sample retains: records as parallel arrays."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.sampling.fingerprint import MISSING

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Retained:
    """Retained records as parallel arrays.  A record that could not be read is kept with ``valid`` False.

    Unreadable records stay in the retained set, because their share in it is the only unbiased estimate of
    their share in the log; they are never part of the sample.
    """

    priority: NDArray[np.uint64]
    origin: NDArray[np.uint64]
    offset: NDArray[np.int64]
    valid: NDArray[np.bool_]
    fingerprints: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.priority)

    def take(self, which: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Retained:
        """Return the chosen records."""
        return Retained(*(array[which] for array in self.arrays()))

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return the arrays in the order in which a snapshot stores them."""
        return self.priority, self.origin, self.offset, self.valid, self.fingerprints

    def spread(self, have: tuple[str, ...], want: tuple[str, ...]) -> Retained:
        """Return the records with the columns ``want``; a column that they do not have is missing in them."""
        if have == want:
            return self
        wide = np.full((len(self), len(want)), MISSING, np.uint64)
        wide[:, [want.index(column) for column in have]] = self.fingerprints
        return replace(self, fingerprints=wide)


def join(parts: list[Retained]) -> Retained:
    """Return all records of all parts, which must have the same columns."""
    return Retained(*(np.concatenate(arrays) for arrays in zip(*(p.arrays() for p in parts), strict=True)))


def nothing(columns: int = 0) -> Retained:
    """Return an empty retained set."""
    no_u64 = np.empty(0, np.uint64)
    return Retained(no_u64, no_u64, np.empty(0, np.int64), np.empty(0, np.bool_), np.empty((0, columns), np.uint64))
