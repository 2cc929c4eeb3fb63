"""What is asked of a stream, by names of columns: which columns exist is only known as records arrive."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamqid.errors import UsageError
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def weights_of(columns: Sequence[str], weights: Mapping[str, float]) -> tuple[float, ...]:
    """Return the weight of each column; 1 for those without one."""
    return tuple(weights.get(column, 1.0) for column in columns)


def numbers_of(columns: Sequence[str], names: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers of the named columns; those that were not seen are left out."""
    return tuple(columns.index(name) for name in dict.fromkeys(names) if name in columns)


@dataclass(frozen=True, slots=True)
class AskKey:
    """Ask for a small column set that identifies nearly every row (see ``problems.minimum_key``)."""

    measure: Measure = Measure.SEPARATION
    epsilon: float = 0.001
    delta: float = 0.01
    rule: Rule = Rule.CERTIFIED
    beta: float | None = None
    weights: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.on(())

    def on(self, columns: Sequence[str]) -> KeyQuestion:
        """Return the question about a table with these columns."""
        weights = weights_of(columns, self.weights)
        return KeyQuestion(self.measure, self.epsilon, self.delta, self.rule, weights, self.beta)


@dataclass(frozen=True, slots=True)
class AskMask:
    """Ask for a large column set that can be published (see ``problems.masking``).

    A column that must be published or hidden and has not been seen yet is left out of the question.
    """

    measure: Measure = Measure.SEPARATION
    beta: float = 0.8
    delta: float = 0.01
    rule: Rule = Rule.CERTIFIED
    weights: Mapping[str, float] = field(default_factory=dict)
    must_publish: tuple[str, ...] = ()
    must_hide: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self.on(())

    def on(self, columns: Sequence[str]) -> MaskQuestion:
        """Return the question about a table with these columns."""
        return MaskQuestion(
            self.measure,
            self.beta,
            self.delta,
            self.rule,
            weights_of(columns, self.weights),
            numbers_of(columns, self.must_publish),
            numbers_of(columns, self.must_hide),
        )


class Quantity(enum.StrEnum):
    """What a limit of a published set is about.  The word is used in metrics and documents."""

    SEPARATION = "separation"
    """Share of pairs of rows that differ on some column."""
    DISTINCT = "distinct"
    """Number of different rows, divided by the number of rows."""
    UNIQUE_ROWS = "unique_rows"
    """Share of rows that are alone in their group."""
    SMALL_GROUPS = "small_groups"
    """Share of rows in groups of fewer than k rows."""
    SMALLEST_GROUP = "smallest_group"
    """Rows of the smallest group."""
    CLOSENESS = "closeness"
    """Share of rows in groups whose distribution of a sensitive column is further than t from that of all rows."""


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a published set may go: ``value`` is the highest share allowed, or the least size of a group.

    ``k`` is for small groups only: a group is small if it has fewer than k rows.  ``sensitive`` and ``t`` are for
    closeness only: a group, by the other columns of the set, is far if the distribution of the sensitive column in it
    is further than t from that in all rows, by equal ground distances.  A share of 0 is t-closeness itself.
    """

    quantity: Quantity
    value: float
    k: int | None = None
    sensitive: str | None = None
    t: float | None = None

    def __post_init__(self) -> None:
        if self.quantity is Quantity.SMALLEST_GROUP:
            right = self.value >= 1 and not self.value % 1
            what = "The smallest group allowed has a whole number of rows, at least 1"
        else:
            right = 0.0 < self.value <= 1.0 or (self.quantity is Quantity.CLOSENESS and not self.value)
            what = f"The limit of {self.quantity} must lie between 0 and 1"
        if not right:
            msg = f"{what}, not {self.value:g}."
            raise UsageError(msg)
        if (self.quantity is Quantity.SMALL_GROUPS) != (self.k is not None) or (self.k is not None and self.k < 2):
            msg = "The limit of small_groups, and no other, needs k, at least 2: a group of fewer than k rows is small."
            raise UsageError(msg)

        close = self.quantity is Quantity.CLOSENESS
        if close != (self.sensitive is not None) or close != (self.t is not None) or not 0.0 <= (self.t or 0.0) < 1.0:
            msg = "The limit of closeness, and no other, needs a sensitive column and a distance t from 0 to below 1."
            raise UsageError(msg)

    @property
    def measure(self) -> str:
        """Name what is limited: small groups may be so for several k, closeness for several sensitive columns."""
        return measure_name(self.quantity, self.k, self.sensitive)


def measure_name(quantity: Quantity, k: int | None, sensitive: str | None = None) -> str:
    """Name a measure for metrics and events, for instance ``unique_rows`` or ``small_groups_below_5``."""
    if sensitive is not None:
        return f"{quantity}_of_{sensitive}"
    return str(quantity) if k is None else f"{quantity}_below_{k}"


@dataclass(frozen=True, slots=True)
class PublishedSet:
    """Columns that are published together today, and how far they may go.

    Parameters
    ----------
    delta
        The probability with which any verdict on the set, over all windows of its life, may be wrong.
    window_panes
        How many panes make the window in which the set is judged; None for that of the stream.
    owner, link
        Whom an alert is for, and where to read on.
    fresh_from
        A set that was chosen from records of this stream is not independent of them.  Windows that start before this
        event time (or offset) are no evidence about it.  None: the service judges by what it has seen, see
        ``recording.begun``.
    must_publish
        Columns that no proposal drops.
    min_rows
        A window of fewer rows says nothing worth acting on.
    """

    name: str
    columns: tuple[str, ...]
    limits: tuple[Limit, ...]
    delta: float = 0.01
    window_panes: int | None = None
    owner: str = ""
    link: str = ""
    fresh_from: float | None = None
    must_publish: tuple[str, ...] = ()
    min_rows: int = 1

    def __post_init__(self) -> None:
        if not self.columns or not self.limits:
            msg = (
                f"The published set {self.name!r} has no {'limits' if self.columns else 'columns'}: name at least one."
            )
            raise UsageError(msg)
        if not 0.0 < self.delta < 1.0:
            msg = f"The delta of the published set {self.name!r} must lie between 0 and 1."
            raise UsageError(msg)
        if len({limit.measure for limit in self.limits}) < len(self.limits):
            msg = f"The published set {self.name!r} has two limits of one kind: give one."
            raise UsageError(msg)
        if any(set(self.columns) == {limit.sensitive} for limit in self.limits):
            msg = f"The published set {self.name!r} has no column besides the sensitive one: name one to group by."
            raise UsageError(msg)
        strange = [column for column in self.must_publish if column not in self.columns]
        if strange:
            msg = f"The published set {self.name!r} must publish {strange[0]!r}, which is not among its columns."
            raise UsageError(msg)

    @property
    def counted(self) -> bool:
        """Whether a limit needs groups that are counted over the whole stream."""
        return any(limit.quantity not in (Quantity.SEPARATION, Quantity.CLOSENESS) for limit in self.limits)

    @property
    def looked_at(self) -> tuple[str, ...]:
        """Its columns, and the sensitive ones that a limit names besides."""
        sensitive = (limit.sensitive for limit in self.limits if limit.sensitive is not None)
        return tuple(dict.fromkeys((*self.columns, *sensitive)))

    def panes(self, usual: int) -> int:
        """Return how many panes its window has, where a window of the stream has so many."""
        return self.window_panes or usual

    @property
    def grouped_by(self) -> tuple[str, ...]:
        """Name the counts of its groups: two sets of the same columns share them."""
        return tuple(sorted(set(self.columns)))
