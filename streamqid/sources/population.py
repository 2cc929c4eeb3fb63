"""A made-up insured population in which every row is a pure function of the seed and the row number.

There is no random generator with a state: each draw hashes (seed, purpose, row number), so any slice can be
made alone and in any order.  The tables use only operations that IEEE 754 rounds exactly (no exp, no pow),
so that every machine builds the same ones.
"""

from __future__ import annotations

import difflib
import enum
import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

PRESENT, NULL, NO_FIELD = 0, 1, 2  # what a cell is: a value, an empty value, not there
_LATEST = 12_000_000_000  # seconds since 1970: event times end in the year 2350


def mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the splitmix64 finaliser of each number: a bijection of 64-bit integers."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def draw(seed: int, purpose: str, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return 64 random-looking bits for each row, independent between purposes."""
    key = hashlib.blake2b(f"{seed}/{purpose}".encode(), digest_size=8).digest()
    return mix(rows.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(int.from_bytes(key, "big")))


def chance(seed: int, purpose: str, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a number for each row, evenly spread over 0 <= x < 1."""
    return (draw(seed, purpose, rows) >> np.uint64(11)) / 2.0**53


def unknown_column(name: str, known: Iterable[str]) -> UsageError:
    """Return the error for a column that does not exist, with the nearest name that does."""
    known = tuple(known)
    near = difflib.get_close_matches(name, known, 1, 0.5)
    advice = f"did you mean '{near[0]}'?" if near else f"choose one of {', '.join(known)}."
    return UsageError(f"There is no column '{name}' here: {advice}")


@dataclass(frozen=True, eq=False)
class Words:
    """Texts that codes point into."""

    texts: tuple[str, ...]

    @cached_property
    def glyphs(self) -> NDArray[np.bytes_]:
        """The texts in UTF-8, all of one width."""
        return np.array([text.encode() for text in self.texts], np.bytes_)

    @cached_property
    def strings(self) -> NDArray[np.object_]:
        """The texts as an array of Python strings."""
        return np.array(self.texts, object)


_MONTHS = Words(tuple(f"{k // 12 + 1970}-{k % 12 + 1:02d}-" for k in range(12 * 400)))
_DAYS = Words(tuple(f"{k + 1:02d}T" for k in range(31)))
_MINUTES = Words(tuple(f"{k // 60:02d}:{k % 60:02d}:" for k in range(1440)))
_SECONDS = Words(tuple(f"{k:02d}." for k in range(60)))
_MILLIS = Words(tuple(f"{k:03d}Z" for k in range(1000)))
# What finer values end in: four digits, not a zero at last, so that a number reads back as it was written.
_ENDS, _DECIMALS = (Words(("", *(f"{c}{k:04d}" for k in range(10_000) if k % 10))) for c in "-.")


@cache
def _hex() -> Words:
    return Words(tuple(f"{k:04x}" for k in range(1 << 16)))


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
def _thresholds(column: str, flat: bool) -> NDArray[np.int64]:
    """Return the cumulated distributions of an attribute in 2**32 steps each, one above the other."""
    weights = attributes()[column].weights
    summed = np.cumsum(weights > 0 if flat else weights, axis=1, dtype=np.float64)
    steps = np.floor(summed / summed[:, -1:] * 2.0**32).astype(np.int64)
    return (steps + (np.arange(len(steps), dtype=np.int64) << 32)[:, None]).ravel()


class DriftKind(enum.StrEnum):
    """What happens to a column while a drift is active."""

    FINER = "finer"  # every value splits into 9,000 equally frequent ones
    FLAT = "flat"  # all values that can occur (given the parents) become equally frequent
    NEW = "new"  # the column exists, and it does not exist otherwise
    MISSING = "missing"  # the values are null


@dataclass(frozen=True, slots=True)
class Drift:
    """A declared change of one column.

    It touches no row before ``at_row`` and none from ``until_row`` on.  Over the first ``over`` rows the
    share of touched rows grows evenly; from ``at_row + over`` on every row is touched.
    """

    kind: DriftKind
    column: str
    at_row: int
    over: int = 0
    until_row: int | None = None

    def __post_init__(self) -> None:
        """Refuse a drift that cannot be."""
        if self.kind not in tuple(DriftKind):
            raise UsageError(f"There is no drift '{self.kind}': choose one of {', '.join(DriftKind)}.")
        if self.column not in attributes():
            raise unknown_column(self.column, attributes())
        if self.at_row < 0 or self.over < 0:
            raise UsageError("A drift begins at row 0 or later and ramps over 0 rows or more.")
        if self.until_row is not None and self.until_row <= self.at_row:
            raise UsageError(f"The drift begins at row {self.at_row}: choose an until_row after it.")

    def active(self, seed: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which rows the drift touches."""
        active = rows >= self.at_row
        if self.until_row is not None:
            active &= rows < self.until_row
        if self.over:
            luck = chance(seed, f"{self.kind}/{self.column}/{self.at_row}", rows)
            active &= luck < (rows - self.at_row + 1) / (self.over + 1)
        return active


@dataclass(frozen=True, slots=True)
class Cells:
    """One column of some rows: the text of a cell is that of all parts, joined."""

    state: NDArray[np.int64]  # PRESENT, NULL or NO_FIELD; the codes are 0 unless it is PRESENT
    parts: tuple[tuple[NDArray[np.int64], Words], ...]
    number: bool = False


def _identifiers(seed: int, rows: NDArray[np.int64]) -> Cells:
    """Return 16 hexadecimal digits that differ between any two rows."""
    bits = draw(seed, "person_id", rows)
    shifts = [np.uint64(shift) for shift in (48, 32, 16, 0)]
    parts = [(((bits >> shift) & np.uint64(0xFFFF)).astype(np.int64), _hex()) for shift in shifts]
    return Cells(np.zeros(len(rows), np.int64), tuple(parts))


def _times(seconds: NDArray[np.float64]) -> Cells:
    """Return times in ISO 8601, in UTC and to the nearest millisecond."""
    day, milli = np.divmod(np.rint(seconds * 1000).astype(np.int64), 86_400_000)
    month = day.astype("datetime64[D]").astype("datetime64[M]")
    first = month.astype("datetime64[D]").astype(np.int64)
    minute, milli = np.divmod(milli, 60_000)
    second, milli = np.divmod(milli, 1000)
    codes = (month.astype(np.int64), day - first, minute, second, milli)
    words = (_MONTHS, _DAYS, _MINUTES, _SECONDS, _MILLIS)
    return Cells(np.zeros(len(day), np.int64), tuple(zip(codes, words, strict=True)))


@dataclass(frozen=True, slots=True)
class Population:
    """The people of one seed.

    ``missing`` is the share of nulls in the columns that have gaps, ``identifier`` and ``time`` add a column
    each, and row ``i`` happens ``i / rate`` seconds after ``start`` (in seconds since 1970).
    """

    seed: int = 0
    missing: float = 0.02
    drifts: tuple[Drift, ...] = ()
    identifier: bool = True
    time: bool = False
    start: float = 1_767_225_600.0
    rate: float = 1_000.0

    def __post_init__(self) -> None:
        """Refuse parameters out of range."""
        if not 0 <= self.missing <= 1:
            raise UsageError("The share of missing values must lie between 0 and 1.")
        if not (0 < self.rate < np.inf and 0 <= self.start < _LATEST):
            raise UsageError("The rate must be above 0 rows a second and the start a time since 1970.")
        if self.columns == self.late_columns:
            raise UsageError("All columns appear late: leave at least one that exists from the first row on.")

    @property
    def late_columns(self) -> tuple[str, ...]:
        """The columns that a drift of kind ``new`` brings."""
        return tuple(column for column in attributes() if self._drifts(DriftKind.NEW, column))

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns in the order of the table; those that appear late stand last."""
        early = tuple(column for column in attributes() if column not in self.late_columns)
        return ("person_id",) * self.identifier + ("time",) * self.time + early + self.late_columns

    def check_rows(self, rows: int) -> None:
        """Refuse a number of rows that is negative or that a drift or the calendar does not fit into."""
        if rows < 0:
            raise UsageError("The number of rows must be 0 or more.")
        last = max((drift.at_row for drift in self.drifts), default=-1)
        if last >= rows:
            raise UsageError(f"A drift begins at row {last}, beyond the {rows} rows: begin it earlier.")
        if self.start + rows / self.rate >= _LATEST:
            raise UsageError("The last row would happen after the year 2350: raise the rate.")

    def event_time(self, rows: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return when each row happens, in seconds since 1970."""
        return np.asarray(self.start + rows / self.rate, np.float64)

    def cells(self, columns: Sequence[str], rows: NDArray[np.int64]) -> list[Cells]:
        """Return these columns of these rows (any rows, in any order); the parts of a column never vary."""
        drawn: dict[str, NDArray[np.int64]] = {}
        return [self._column(column, rows, drawn) for column in columns]

    def _drifts(self, kind: DriftKind, column: str) -> list[Drift]:
        return [drift for drift in self.drifts if drift.kind == kind and drift.column == column]

    def _touched(self, kind: DriftKind, column: str, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        touched = np.zeros(len(rows), np.bool_)
        for drift in self._drifts(kind, column):
            touched |= drift.active(self.seed, rows)
        return touched

    def _column(self, column: str, rows: NDArray[np.int64], drawn: dict[str, NDArray[np.int64]]) -> Cells:
        """Return what is seen of a column: what was drawn, less what is missing, finer where it drifts."""
        if column == "person_id":
            return _identifiers(self.seed, rows)
        if column == "time":
            return _times(self.event_time(rows))
        attribute = attributes()[column]
        state = np.where(self._touched(DriftKind.MISSING, column, rows), NULL, PRESENT)
        if attribute.gaps and self.missing:
            state[chance(self.seed, f"{column}/missing", rows) < self.missing] = NULL
        if self._drifts(DriftKind.NEW, column):
            state[~self._touched(DriftKind.NEW, column, rows)] = NO_FIELD
        parts = [((self._drawn(column, rows, drawn) + 1) * (state == PRESENT), attribute.words)]
        if self._drifts(DriftKind.FINER, column):
            words = _DECIMALS if attribute.number else _ENDS
            end = draw(self.seed, f"{column}/finer", rows) % np.uint64(len(words.texts) - 1)
            seen = self._touched(DriftKind.FINER, column, rows) & (state == PRESENT)
            parts.append(((end.astype(np.int64) + 1) * seen, words))
        return Cells(state, tuple(parts), attribute.number)

    def _drawn(self, column: str, rows: NDArray[np.int64], drawn: dict[str, NDArray[np.int64]]) -> NDArray[np.int64]:
        """Return the index of each row's value, by inverting the distribution that its parents select."""
        if column not in drawn:
            attribute = attributes()[column]
            size = attribute.weights.shape[1]
            base = np.zeros(len(rows), np.int64)
            for parent in attribute.parents:
                base = base * attributes()[parent].weights.shape[1] + self._drawn(parent, rows, drawn)
            luck = (base << 32) + (draw(self.seed, column, rows) >> np.uint64(32)).astype(np.int64)
            index = np.searchsorted(_thresholds(column, False), luck, "right")
            if self._drifts(DriftKind.FLAT, column):
                flat = np.searchsorted(_thresholds(column, True), luck, "right")
                index = np.where(self._touched(DriftKind.FLAT, column, rows), flat, index)
            drawn[column] = index - base * size
        return drawn[column]
