"""Random-looking numbers without a state: each one hashes (seed, purpose, row number)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from streamqid.sampling.priority import mix64

if TYPE_CHECKING:
    from numpy.typing import NDArray


def draw(seed: int, purpose: str, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return 64 random-looking bits for each row, independent between purposes."""
    key = hashlib.blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest()
    return mix64(int.from_bytes(key, "big"), rows)


def chance(seed: int, purpose: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a number for each row, evenly spread over 0 <= x < 1."""
    return (draw(seed, purpose, rows) >> np.uint64(11)) / 2.0**53
