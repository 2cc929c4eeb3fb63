"""The columns of the population: their vocabularies and how the values are distributed.

The tables use only operations that IEEE 754 rounds exactly (no exp, no pow), so that every machine builds the
same ones.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from streamqid.errors import UsageError
from streamqid.synthetic.cells import Words

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    """A column with a vocabulary and one distribution over it for each combination of its parents' values."""

    words: Words  # the empty text, then the values
    weights: NDArray[np.float64]  # [combination of the parents, value]
    parents: tuple[str, ...] = ()
    gaps: bool = False  # whether the population's share of missing values applies
    number: bool = False


def _hump(centres: ArrayLike, size: int, width: float) -> NDArray[np.float64]:
    """Return one bell over ``size`` values for each centre."""
    away = (np.arange(size, dtype=np.float64) - np.asarray(centres, np.float64)[:, None]) / width
    flat: NDArray[np.float64] = 1 + away * away
    return 1 / flat / flat


@cache
def attributes() -> dict[str, Attribute]:
    """Return the columns of the population in the order of the table, parents before their children.

    Skewed: age, region, zip, diagnosis.  Independent: sex, device, plan (nearly constant), visit_day.
    Correlated: what has parents.  A zip code lies in one region only: zip determines region.
    """
    zipf = 1 / np.arange(1.0, 61.0)
    jobs = "cleaner driver farmer builder cook clerk seller carer mechanic nurse technician teacher"
    jobs += " analyst engineer manager lawyer physician researcher"
    ills = "infection back_pain hypertension injury depression diabetes asthma allergy arthritis migraine"
    ills += " heart_failure cancer stroke dementia epilepsy rare_disease"
    zips = " ".join(f"{10 + region}{37 * k % 1000:03d}" for region in range(1, 10) for k in range(1, 61))
    degrees = "basic vocational secondary bachelor master doctorate"
    schooling = _hump([2.4, 2.6, 2.3, 2.0, 1.6, 1.2, 0.8], 6, 1.5)
    marriage = _hump([0, 0.4, 0.8, 1.1, 1.4, 1.9, 2.6], 4, 0.8)
    bands = " ".join(f"{k}0-{k}9k" for k in range(15))
    job, age = np.divmod(np.arange(18 * 7), 7)
    income = _hump(1.5 + 0.5 * job + 0.6 * np.minimum(age, 4), 15, 1.2)
    status, age = np.divmod(np.arange(4 * 7), 7)
    children = _hump(np.where(status > 0, np.minimum(0.4 + 0.6 * age, 1.7), 0), 7, 0.7)
    illness = zipf[:16] * (0.2 + _hump(2.2 * np.arange(7), 16, 5.0))
    day = np.arange(365)  # of 2025, which begins on a Wednesday: working days and winter see more visits
    dates = " ".join(map(str, np.datetime64("2025-01-01") + day))
    visits = np.take([5, 5, 5, 5, 5, 1, 1], (day + 2) % 7) * (1 + np.abs(day - 182) / 182)

    def of(texts: str, weights: ArrayLike, *parents: str, gaps: bool = False) -> Attribute:
        words = Words(("", *texts.split()))
        return Attribute(words, np.atleast_2d(np.asarray(weights, np.float64)), parents, gaps)

    return {
        "age": of("18-29 30-39 40-49 50-59 60-69 70-79 80+", [24, 22, 18, 15, 11, 7, 3]),
        "sex": of("f m x", [507, 489, 4]),
        "region": of("R1 R2 R3 R4 R5 R6 R7 R8 R9", zipf[:9]),
        "zip": of(zips, np.kron(np.eye(9), zipf), "region"),
        "education": of(degrees, schooling, "age", gaps=True),
        "occupation": of(jobs, _hump([1, 5, 7, 11.5, 14.5, 16.5], 18, 1.5), "education"),
        "income_band": of(bands, income, "occupation", "age", gaps=True),
        "marital_status": of("single married divorced widowed", marriage, "age"),
        "children": Attribute(Words(("", *"0123456")), children, ("marital_status", "age"), gaps=True, number=True),
        "device": of("android ios web phone kiosk", [46, 31, 17, 5, 1], gaps=True),
        "plan": of("statutory private", [997, 3]),
        "diagnosis": of(ills, illness, "age"),
        "visit_day": of(dates, visits),
    }


@cache
def thresholds(column: str, flat: bool) -> NDArray[np.int64]:
    """Return the cumulated distributions of an attribute in 2**32 steps each, one above the other."""
    weights = attributes()[column].weights
    summed = np.cumsum(weights > 0 if flat else weights, axis=1, dtype=np.float64)
    steps = np.floor(summed / summed[:, -1:] * 2.0**32).astype(np.int64)
    return (steps + (np.arange(len(steps), dtype=np.int64) << 32)[:, None]).ravel()


def unknown_column(name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a column that does not exist, with the nearest name that does."""
    known = tuple(known)
    near = difflib.get_close_matches(name, known, 1, 0.5)
    advice = f"did you mean '{near[0]}'?" if near else f"choose one of {', '.join(known)}."
    return UsageError(f"There is no column '{name}' here: {advice}")
