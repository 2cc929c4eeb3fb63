"""The limits that an audit may be asked to judge."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from streamqid.errors import UsageError

LIMITS = ("k", "l", "c", "t", "alpha", "delta", "beta")
WHOLE, NUMBER = (int, np.integer), (int, float, np.integer, np.floating)
"""What a limit may be, but for a truth value."""
LEAST_L = 2
"""The l of recursive diversity when none is asked for."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What is asked for; None where it is not.

    Attributes
    ----------
    k
        Every group has at least k rows.
    l
        Every group has at least l values; no value has more than 1/l of a group; the entropy of every group is at
        least ln l.  These are three limits, each judged by itself.
    c
        In every group the most frequent value occurs less than c times as often as the l-th most frequent one and all
        rarer ones together.
    t
        The Earth Mover's Distance from every group to the table is at most t.
    alpha
        No value has more than the share α of a group, and every group has at least k rows.
    delta
        In every group the share of each value that occurs is less than e^δ times, and more than e^-δ times, its
        share in the table.
    beta
        No share q in a group exceeds the share p in the table by more than β p; in the enhanced sense, by more
        than min(β, -ln p) p.

    Raises
    ------
    UsageError
        A limit that no table could be asked to keep.
    """

    k: int | None = None
    l: int | None = None  # noqa: E741 - the papers' letter
    c: float | None = None
    t: float | None = None
    alpha: float | None = None
    delta: float | None = None
    beta: float | None = None

    def __post_init__(self) -> None:
        for name in ("k", "l"):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, WHOLE) or value < 1:
                raise UsageError(f"{name} must be a whole number of at least 1, not {value!r}.")
            self._plain(name)
        for name, high in (("c", None), ("t", 1.0), ("alpha", 1.0), ("delta", None), ("beta", None)):
            value = getattr(self, name)
            if value is None:
                continue
            most = sys.float_info.max if high is None else high
            if isinstance(value, bool) or not isinstance(value, NUMBER) or not 0.0 <= value <= most:
                reach = "be a number of at least 0" if high is None else f"lie between 0 and {high:g}"
                raise UsageError(f"{name} must {reach}, not {value!r}.")
            self._plain(name)
        if self.c is not None and self.l is None:
            raise UsageError("Recursive (c, l)-diversity needs l as well as c: name both.")

    def _plain(self, name: str) -> None:
        """Take a number of numpy for what it is: of fewer digits, it would make all that it is compared with so."""
        value = getattr(self, name)
        if isinstance(value, np.generic):
            object.__setattr__(self, name, value.item())

    @property
    def recursive_l(self) -> int:
        """The l of recursive (c, l)-diversity."""
        return LEAST_L if self.l is None else self.l
