"""Fingerprints of the values of one column, remembered by type: nearly all values were seen before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from msgspec import UnsetType

from streamqid.sampling.fingerprint import CACHE_VALUES, MISSING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from streamqid.sampling.fingerprint import Encoder


class _Known(dict[object, int]):
    """Values of one type, each with its fingerprint, which is computed when it is asked for first."""

    def __init__(self, fingerprint: Callable[[object], int]) -> None:
        super().__init__()
        self._fingerprint = fingerprint

    def __missing__(self, value: object) -> int:
        found = self[value] = self._fingerprint(value)
        return found


class ColumnValues:
    """Turns decoded values of one column into fingerprints.

    A dictionary takes 1, 1.0 and True for one key, so each type has its own.  What a dictionary cannot hold is
    hashed each time.  An object is no leaf: it leaves the column itself missing, as does a field that is not there.
    """

    def __init__(self, column: str, encoder: Encoder) -> None:
        self._one = encoder.fingerprint_of(column)
        self._known: dict[type, _Known] = {kind: _Known(self._one) for kind in (str, int, float, bool, type(None))}

    def many(self, values: Sequence[object]) -> NDArray[np.uint64]:
        """Return the fingerprint of each value."""
        for known in self._known.values():
            if len(known) > CACHE_VALUES:
                known.clear()
        kinds = set(map(type, values))
        if len(kinds) == 1 and (kind := kinds.pop()) in self._known:
            return np.fromiter(map(self._known[kind].__getitem__, values), np.uint64, len(values))
        return np.fromiter(map(self._any, values), np.uint64, len(values))

    def _any(self, value: object) -> int:
        kind = type(value)
        if kind in self._known:
            return self._known[kind][value]
        return MISSING if kind is UnsetType or kind is dict else self._one(value)
