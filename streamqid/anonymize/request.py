"""What can be asked of a table, and the sentences for what cannot be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.anonymize.requirements import KAnonymity, TCloseness, TwoDiversity
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from streamqid.anonymize.microdata import Microdata
    from streamqid.anonymize.requirements import Distance, Requirement


WHOLE, NUMBER = (int, np.integer), (int, float, np.integer, np.floating)
"""What may be asked for, but for a truth value."""


@dataclass(frozen=True, slots=True)
class Request:
    """One of k-anonymity, l-diversity and t-closeness; anything else is refused with a sentence."""

    k: int | None = None
    l: int | None = None  # noqa: E741 - the paper's letter
    t: float | None = None
    distance: Distance = "equal"

    def __post_init__(self) -> None:
        if (self.k, self.l, self.t).count(None) != 2:
            msg = "Ask for one of k, l and t: k-anonymity, 2-diversity or t-closeness."
            raise UsageError(msg)
        self._are_numbers()
        if self.k is not None and self.k < 2:
            msg = f"k must be at least 2, not {self.k}: every table is 1-anonymous as it is."
            raise UsageError(msg)
        if self.l is not None and self.l > 2:
            msg = (
                f"l must be 2, not {self.l}: for every l above 2 the optimum is NP-hard to find, "
                "while 2-diversity has an exact answer; or ask for t-closeness."
            )
            raise UsageError(msg)
        if self.l is not None and self.l < 2:
            msg = f"l must be 2, not {self.l}: every table is 1-diverse as it is."
            raise UsageError(msg)
        if self.t is not None and not 0.0 <= self.t <= 1.0:
            msg = (
                f"t must lie between 0 and 1, not {self.t}: 0 is the smallest that can be reached, "
                "by one group of all rows, and 1 holds for every table as it is."
            )
            raise UsageError(msg)
        if self.distance not in ("equal", "ordered"):
            msg = f"The distance is one of equal, ordered, not {self.distance!r}."
            raise UsageError(msg)
        if self.distance == "ordered" and self.t is None:
            msg = "The ordered distance is for t-closeness: ask for t, or leave the distance out."
            raise UsageError(msg)

    def _are_numbers(self) -> None:
        """Refuse what is no number, and take one of numpy for what it is."""
        for name, kind, said in (("k", WHOLE, "a whole number"), ("l", WHOLE, "2"), ("t", NUMBER, "a number")):
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, kind):
                raise UsageError(f"{name} must be {said}, not {value!r}.")
            if isinstance(value, np.generic):
                object.__setattr__(self, name, value.item())

    @property
    def model(self) -> str:
        """The requirement by its name."""
        if self.k is not None:
            return f"{self.k}-anonymity"
        return "2-diversity" if self.t is None else f"{self.t:g}-closeness"

    def on(self, data: Microdata) -> Requirement:
        """Return the requirement for this table, or say that it is infeasible and what is nearest to it.

        One group of all rows meets whatever can be met at all, since the requirements are closed under union.
        """
        if self.k is not None:
            if self.k > data.n:
                msg = (
                    f"{self.k}-anonymity is infeasible for a table of {data.n} row{'s' * (data.n > 1)}: "
                    f"the largest k that can be reached is {data.n}."
                )
                raise UsageError(msg)
            return KAnonymity(self.k)
        whole = np.bincount(data.sensitive, minlength=data.values)
        if self.t is not None:
            return TCloseness(self.t, self.distance, whole)
        most = int(whole.max())
        if 2 * most > data.n:
            msg = (
                f"2-diversity is infeasible: one sensitive value stands in {most} of {data.n} rows, which is more "
                f"than half, so that the largest l that can be reached is {math.floor(1000 * data.n / most) / 1000:g}; "
                "ask for k-anonymity or t-closeness."
            )
            raise UsageError(msg)
        return TwoDiversity()
