"""Priorities: which records are sampled follows from where they stand, not from a generator's state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GOLDEN = 0x9E3779B97F4A7C15
MASK64 = (1 << 64) - 1
WHOLE = 1 << 64
"""A threshold that every priority is below."""

_STEPS = (
    (np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)),
    (np.uint64(27), np.uint64(0x94D049BB133111EB)),
)
CURSOR_OFFSETS = 1 << 14
_RUN = 1 << 14
"""Offsets that are mixed at once: as many as stay in the processor's cache."""
_RAMP = np.arange(_RUN, dtype=np.uint64) * np.uint64(GOLDEN)
NO_OFFSETS: NDArray[np.int64] = np.empty(0, np.int64)


def mix64(key: int, counters: NDArray[np.int64] | NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix a 64-bit key with counters into uniform 64-bit numbers (the SplitMix64 sequence).

    ``mix64(key, [1, 2, 3, …])`` is the output of SplitMix64 seeded with ``key``.  Two keys give the same
    sequence at different places of a period of 2^64, so sequences of random keys do not overlap in practice.
    """
    z = counters.astype(np.uint64)
    z *= np.uint64(GOLDEN)
    z += np.uint64(key)
    for shift, factor in _STEPS:
        z ^= z >> shift
        z *= factor
    z ^= z >> np.uint64(31)
    return z


def offsets_below(key: int, threshold: int, start: int, end: int) -> NDArray[np.int64]:
    """Return the offsets in [start, end) with ``mix64(key, offset)`` below the threshold.

    The last step of ``mix64`` leaves the upper 31 bits as they are, so it is taken only where these do not decide.
    """
    loose = np.uint64(min(threshold | ((1 << 33) - 1), MASK64))
    room, spare = np.empty(_RUN, np.uint64), np.empty(_RUN, np.uint64)
    found = [NO_OFFSETS]
    for first in range(start, end, _RUN):
        z, shifted = room[: end - first], spare[: end - first]
        np.add(_RAMP[: end - first], np.uint64((key + first * GOLDEN) & MASK64), out=z)
        for shift, factor in _STEPS:
            np.right_shift(z, shift, out=shifted)
            np.bitwise_xor(z, shifted, out=z)
            np.multiply(z, factor, out=z)
        found.append(np.flatnonzero(z <= loose) + first)
    offsets = np.concatenate(found)
    return offsets[mix64(key, offsets) < np.uint64(threshold)]


def draws(key: int, count: int, below: int) -> NDArray[np.int64]:
    """Return ``count`` independent uniform integers in [0, below), the same ones for the same key."""
    # The bias of the remainder is below / 2^64 and cannot be observed.
    return (mix64(key, np.arange(1, count + 1)) % np.uint64(below)).astype(np.int64)


class Cursor:
    """Finds the candidates of one origin in ascending runs of offsets.

    For small batches the priorities of the next 16,384 offsets are computed at once, so that a batch without
    a candidate costs one comparison: its offsets lie in a gap between candidates that is already known.
    """

    def __init__(self, key: int) -> None:
        self._key = key
        self._scanned = range(0)
        self._threshold = 0
        self._found = NO_OFFSETS
        self._gap = range(0)

    def below(self, threshold: int, start: int, end: int) -> NDArray[np.int64]:
        """Return the offsets in [start, end) whose priority is below the threshold, and perhaps some more.

        Surplus offsets occur because a run is scanned with the threshold of its first use, and thresholds
        only fall; the sample drops them.
        """
        known = threshold <= self._threshold
        if known and self._gap.start <= start and end <= self._gap.stop:
            return NO_OFFSETS
        if not (known and self._scanned.start <= start and end <= self._scanned.stop):
            self._scan(threshold, start, end if (end - start) * 4 > CURSOR_OFFSETS else start + CURSOR_OFFSETS)
        low, high = np.searchsorted(self._found, (start, end))
        self._gap = range(end, int(self._found[high]) if high < self._found.size else self._scanned.stop)
        return self._found[low:high]

    def _scan(self, threshold: int, start: int, end: int) -> None:
        some = threshold < WHOLE
        self._found = offsets_below(self._key, threshold, start, end) if some else np.arange(start, end)
        self._scanned, self._threshold = range(start, end), threshold
