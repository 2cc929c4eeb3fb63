"""What every question about a table may set, and the sentences for what it may not."""

from __future__ import annotations

import difflib
import enum
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, cast

import numpy as np

from streamqid.errors import UsageError
from streamqid.sampling.fingerprint import MissingRule

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

E = TypeVar("E", bound=enum.StrEnum)

SMALLEST_SHARE = 1e-9
LARGEST_NUMBER = 1 << 60
"""More rows, columns or bytes than there will ever be, and few enough to reckon with."""
HEAVIEST = 1e100
"""Weights up to this one can be added and divided."""


class Options(TypedDict, total=False):
    """What every question about a table may set.

    ``seed`` repeats an answer (default: a random one, told in the answer); ``only`` and ``ignore`` choose
    columns; ``weights`` give columns other weights than 1; ``missing`` is "value", "equal" or "distinct" and
    ``markers`` are texts that mean missing; ``memory`` caps the bytes of the samples; ``format`` and
    ``delimiter`` describe a file that cannot be recognised; ``header`` says whether the first line of a CSV file names
    the columns (False: they are called c1, c2, …); ``progress`` is called with rows and bytes so far.
    """

    seed: int | None
    only: Sequence[str]
    ignore: Sequence[str]
    weights: Mapping[str, float]
    missing: str
    markers: Sequence[str]
    memory: int
    format: str | None
    delimiter: str | None
    header: bool | None
    progress: Callable[[int, int], None]


def name_list(what: str, names: Sequence[str]) -> list[str]:
    """Return names without repetition; a single text is refused, since it would be taken for its letters."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        msg = f"{what} takes a list of names: write [{names!r}]." if names else f"{what} takes a list of names."
        raise UsageError(msg)
    found = list(dict.fromkeys(names))
    if not all(isinstance(name, str) for name in found):
        msg = f"{what} takes names as text: the column 0 of a data frame is '0', that of an array 'c0'."
        raise UsageError(msg)
    return found


def whole_number(name: str, value: Any) -> int:
    """Return the value if it is a whole number of at least 1 and not beyond all reason, else raise a UsageError."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        msg = f"{name} must be a whole number."
        raise UsageError(msg)
    if value < 1:
        msg = f"{name} must be at least 1, not {value}."
        raise UsageError(msg)
    if value > LARGEST_NUMBER:
        msg = f"{name} must be at most {LARGEST_NUMBER:,}: give a smaller number."
        raise UsageError(msg)
    return int(value)


def checked(options: Options) -> Options:
    """Return the options if each of them exists and numbers and names are what they should be."""
    for name in options:
        if name not in Options.__annotations__:
            near = difflib.get_close_matches(name, Options.__annotations__, n=1)
            msg = f"There is no option {name!r}{f': did you mean {near[0]!r}?' if near else '.'}"
            raise UsageError(msg)
    seed = options.get("seed")
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer)):
        msg = "The seed must be a whole number, such as the one that an answer told."
        raise UsageError(msg)
    if "memory" in options:
        whole_number("The number of bytes of memory", options["memory"])
    if not isinstance(options.get("weights", {}), Mapping):
        msg = "The weights are a dict of column names and numbers."
        raise UsageError(msg)
    for what in ("only", "ignore", "markers"):
        name_list(what, cast("Sequence[str]", options.get(what, ())))
    return options


def share(name: str, value: Any, *, one: bool = False) -> float:
    """Return the value if it lies between 0 and 1 (1 allowed when ``one``), else raise a UsageError.

    Values below a billionth are refused too: no sample that fits in memory could keep such a promise.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        msg = f"{name} must be a number between 0 and 1."
        raise UsageError(msg)
    if SMALLEST_SHARE <= value < 1.0 or (one and value == 1.0):
        return float(value)
    msg = f"{name} must lie between 0 and 1 (and be at least {SMALLEST_SHARE:g}), not {value:g}."
    raise UsageError(msg)


def choice(name: str, text: str, among: type[E]) -> E:
    """Return the member of this value, or raise a UsageError."""
    if text not in list(among):
        msg = f"The {name} is one of {', '.join(among)}, not {text!r}."
        raise UsageError(msg)
    return among(text)


def missing_rule(text: str) -> MissingRule:
    """Return the rule of this name, or raise a UsageError."""
    try:
        return MissingRule(text)
    except ValueError:
        msg = f"Missing values compare by one of {', '.join(MissingRule)}, not {text!r}."
        raise UsageError(msg) from None


def column_weights(columns: Sequence[str], weights: Mapping[str, float]) -> tuple[float, ...]:
    """Return the weight of each column, 1 where none is given, or raise a UsageError."""
    for name, weight in weights.items():
        number = isinstance(weight, int | float | np.number)
        if not (number and 0 < weight < math.inf):
            msg = f"The weight of column {name!r} must be a positive number{f', not {weight:g}' if number else ''}."
            raise UsageError(msg)
        if not 1.0 / HEAVIEST <= weight <= HEAVIEST:
            msg = f"The weight of column {name!r} must lie between {1.0 / HEAVIEST:g} and {HEAVIEST:g}."
            raise UsageError(msg)
    return tuple(float(weights.get(column, 1.0)) for column in columns)
