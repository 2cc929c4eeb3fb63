"""How many rows a sample holds after n records, for an n that nobody knows beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass

from streamqid.sampling.priority import WHOLE

SLACK_SIGMAS = 6.0
"""Standard deviations by which the expected size of the retained set exceeds the sample's size."""


@dataclass(frozen=True, slots=True)
class Capacity:
    """Size of the sample, ``k(n) = max(floor, root * sqrt(n))``, and the threshold that retains enough for it.

    ``floor`` is the constant that the pair problems need (Motwani-Xu, Theorem 5: O(m) pairs whatever n is);
    ``root`` is the factor that the distinct problems need (Theorem 7: O(sqrt(mn)) tuples).  ``ceiling`` caps k(n)
    where memory ends; answers are then judged on the smaller sample.

    The retained set after n records is {priority < threshold(n)}.  The threshold is a non-increasing
    function of n alone, so the set depends neither on batches nor on threads, restarts or workers.  On
    average it holds k + 6 sqrt(k) + 20 records, hence fewer than k with a probability below 1e-8; then the
    sample is the whole retained set, still uniform, and only smaller.
    """

    floor: int
    root: float = 0.0
    ceiling: int | None = None

    def __post_init__(self) -> None:
        if self.floor < 1 or self.root < 0 or not math.isfinite(self.root):
            msg = f"a capacity needs floor >= 1 and root >= 0, not floor = {self.floor}, root = {self.root}"
            raise ValueError(msg)
        if self.ceiling is not None and self.ceiling < 1:
            msg = f"the ceiling of a capacity is at least 1, not {self.ceiling}"
            raise ValueError(msg)

    def k(self, n: int) -> int:
        """Return the number of rows that the sample holds after n records, if there are as many."""
        wanted = max(self.floor, math.ceil(self.root * math.sqrt(n)))
        return wanted if self.ceiling is None else min(wanted, self.ceiling)

    def threshold(self, n: int) -> int:
        """Return τ(n) on the scale of 64-bit priorities; 2^64 as long as everything is retained."""
        if n < 1:
            return WHOLE
        # Each quotient below falls with n even after rounding, because IEEE square roots, products and
        # quotients are monotone; k(n)/n computed as one quotient would not be.
        square = math.sqrt(n)
        share = _slack(self.floor) / n
        if self.root:
            sigmas = SLACK_SIGMAS * math.sqrt(self.root) / (square * math.sqrt(square))
            share = max(share, self.root / square + sigmas + 21.0 / n)
        if self.ceiling is not None:
            share = min(share, _slack(self.ceiling) / n)
        return WHOLE if share >= 1.0 else int(math.ldexp(share, 64))

    def is_whole(self, n: int) -> bool:
        """Whether a sample of this capacity holds all of n records."""
        return self.k(n) >= n


def _slack(k: int) -> float:
    return k + SLACK_SIGMAS * math.sqrt(k) + 20.0
