"""One pass over a table: from a path or an object to the evidence that a solver sees."""

from __future__ import annotations

import difflib
import itertools
import math
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from streamqid.engine.intake import Intake
from streamqid.engine.projection import Projection, require_column
from streamqid.errors import TableError, UsageError
from streamqid.problems.answer import Rule
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import Encoder, MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from streamqid.sources import from_object, open_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from streamqid.problems.answer import Unreadable
    from streamqid.records import Batch, Source
    from streamqid.sampling.pairs import Evidence

MEMORY = 1 << 30
COPIES = 3
"""Copies of a sample's rows that exist at the worst moment, while new candidates are merged in."""
PEEK_ROWS = 1000
SMALLEST_SHARE = 1e-9
LIKELY_SHARE = 0.85
"""Share of the rows that a file's size promises on which reading relies."""


class Options(TypedDict, total=False):
    """What every question about a table may set.

    ``seed`` repeats an answer (default: a random one, told in the answer); ``only`` and ``ignore`` choose
    columns; ``weights`` give columns other weights than 1; ``missing`` is "value", "equal" or "distinct" and
    ``markers`` are texts that mean missing; ``memory`` caps the bytes of the samples; ``format`` and
    ``delimiter`` describe a file that cannot be recognised; ``progress`` is called with rows and bytes so far.
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
    progress: Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pass over a table left: the samples, and how the pass went."""

    evidence: Evidence
    seed: int
    unreadable: Unreadable
    weights: tuple[float, ...]
    late_columns: bool
    """Whether columns came up that neither a header nor the first rows had named."""

    def rule(self, asked: Rule) -> Rule:
        """Return the rule that can be kept.

        The paper's rule pays for 2^m column sets, so m must not depend on the sample.
        """
        return Rule.CERTIFIED if self.late_columns else asked

    def stamp(self) -> dict[str, object]:
        """Return the fields of an answer that come from the pass and not from the solver."""
        return {"seed": self.seed, "unreadable": self.unreadable if self.unreadable.found else None}


class Pass:
    """One pass over a table with the given options."""

    def __init__(self, table: object, options: Options) -> None:
        self.options = _checked(options)
        seed = options.get("seed")
        self.seed = secrets.randbits(32) if seed is None else seed
        self.secret = Secret.from_seed(self.seed)
        self.missing = _missing_rule(options.get("missing", "value"))
        self.projection = Projection(options.get("only", ()), options.get("ignore", ()))
        self.intake = self.new_intake()
        self._table = table
        self.source = _open(table, options)

    def new_intake(self) -> Intake:
        """Return an intake that encodes as this pass does."""
        return Intake(Encoder(self.secret, self.missing, self.options.get("markers", ())), self.projection)

    def read(
        self,
        capacity_of: Callable[[int], Capacity],
        names: Sequence[str] = (),
        each: Callable[[Batch], None] | None = None,
    ) -> Reading:
        """Read the table once; ``capacity_of`` is given the number of columns that take part.

        ``names`` are columns that the question speaks of; with a header, unknown ones are refused before anything
        is read.  ``each`` sees every batch as well.  The size of a file tells how many rows to expect, so that
        fewer need decoding than in a stream of unknown length; a file that disappoints is read again without that.
        """
        try:
            columns, batches = _columns(self.source)
            if self.source.columns:
                self._check(columns, names)
            m = max(1, len(self.projection.keep(columns)))
            capacity = _within_memory(capacity_of(m), m, self.options.get("memory", MEMORY))
            first = next(batches, None)
            expected = 0 if first is None or each is not None else _expected_rows(self.source, first)
            sampler = Sampler(self.secret, capacity, self.missing)
            self._feed(itertools.chain([first] if first else [], batches), sampler, expected, each)
            if sampler.n < expected:
                self.source.close()
                self.source, self.intake = _open(self._table, self.options), self.new_intake()
                sampler = Sampler(self.secret, capacity, self.missing)
                self._feed(self.source.batches(), sampler, 0, None)
        finally:
            self.source.close()
        return self._reading(sampler, columns, names)

    def _feed(
        self, batches: Iterator[Batch], sampler: Sampler, expected: int, each: Callable[[Batch], None] | None
    ) -> None:
        progress, nbytes = self.options.get("progress"), 0
        for batch in batches:
            self.intake.take(batch, sampler, expected)
            if each is not None:
                each(batch)
            nbytes += batch.nbytes
            if progress is not None:
                progress(sampler.n, nbytes)

    def _check(self, columns: Sequence[str], names: Sequence[str]) -> list[str]:
        """Return the columns that take part, or raise a UsageError if a name is unknown among them."""
        self.projection.check(columns)
        kept = [columns[j] for j in self.projection.keep(columns)]
        for name in (*names, *self.options.get("weights", {})):
            if name in columns and name not in kept:
                msg = f"Column {name!r} is asked about and left out at once: take it out of ignore, or into only."
                raise UsageError(msg)
            require_column(name, kept)
        return kept

    def _reading(self, sampler: Sampler, columns: tuple[str, ...], asked: Sequence[str]) -> Reading:
        evidence = sampler.evidence()
        if not evidence.n or not len(evidence.a):
            found = self.intake.unreadable()
            why = f" (all {found.found} rows looked at are unreadable)" if found.found else ""
            msg = f"{self.source.name} has no rows{why}: give a table with a header and at least one row."
            raise TableError(msg)
        names = self.source.columns or tuple(dict.fromkeys([*columns, *evidence.columns]))
        kept = self._check(names, asked)
        weights = _weights(kept, self.options.get("weights", {}))
        late = not self.source.columns and not set(evidence.columns) <= set(columns)
        return Reading(evidence.select(kept), self.seed, self.intake.unreadable(), weights, late)


def name_list(what: str, names: Sequence[str]) -> list[str]:
    """Return names without repetition; a single text is refused, since it would be taken for its letters."""
    if isinstance(names, str):
        msg = f"{what} takes a list of names: write [{names!r}]."
        raise UsageError(msg)
    return list(dict.fromkeys(names))


def _checked(options: Options) -> Options:
    for name in options:
        if name not in Options.__annotations__:
            near = difflib.get_close_matches(name, Options.__annotations__, n=1)
            msg = f"There is no option {name!r}{f': did you mean {near[0]!r}?' if near else '.'}"
            raise UsageError(msg)
    for what, names in (("only", options.get("only", ())), ("ignore", options.get("ignore", ()))):
        name_list(what, names)
    return options


def share(name: str, value: Any, *, one: bool = False) -> float:
    """Return the value if it lies between 0 and 1 (1 allowed when ``one``), else raise a UsageError.

    Values below a billionth are refused too: no sample that fits in memory could keep such a promise.
    """
    if not isinstance(value, int | float):
        msg = f"{name} must be a number between 0 and 1."
        raise UsageError(msg)
    if SMALLEST_SHARE <= value < 1.0 or (one and value == 1.0):
        return float(value)
    msg = f"{name} must lie between 0 and 1 (and be at least {SMALLEST_SHARE:g}), not {value:g}."
    raise UsageError(msg)


def row_bytes(columns: int) -> int:
    """Return the bytes that one sampled row takes: priority, origin, offset, flag and the fingerprints."""
    return 25 + 8 * columns


def _open(table: object, options: Options) -> Source:
    if isinstance(table, str | os.PathLike):
        return open_table(table, format=options.get("format"), delimiter=options.get("delimiter"))
    return from_object(table)


def _columns(source: Source) -> tuple[tuple[str, ...], Iterator[Batch]]:
    """Return the columns of a source and its batches; without a header, the columns of the first rows."""
    batches = source.batches()
    if source.columns:
        return source.columns, batches
    first = next(batches, None)
    if first is None:
        return (), batches
    rows = first.decode(np.arange(first.start, min(first.end, first.start + PEEK_ROWS)))
    return rows.columns, itertools.chain([first], batches)


def _expected_rows(source: Source, first: Batch) -> int:
    """Return a number of rows that the table very likely exceeds, by the size of its first rows; 0 if unknown."""
    if not source.total_bytes or not first.nbytes:
        return 0
    return int(LIKELY_SHARE * first.count * source.total_bytes / first.nbytes)


def _within_memory(capacity: Capacity, columns: int, memory: int) -> Capacity:
    rows = memory // (2 * COPIES * row_bytes(columns))
    if rows < 1:
        msg = f"{memory} bytes do not hold a single sampled row of {columns} columns: allow more memory."
        raise UsageError(msg)
    return Capacity(capacity.floor, capacity.root, rows)


def _missing_rule(text: str) -> MissingRule:
    try:
        return MissingRule(text)
    except ValueError:
        msg = f"Missing values compare by one of {', '.join(MissingRule)}, not {text!r}."
        raise UsageError(msg) from None


def _weights(columns: Sequence[str], weights: Mapping[str, float]) -> tuple[float, ...]:
    for name, weight in weights.items():
        if not (weight > 0 and math.isfinite(weight)):
            msg = f"The weight of column {name!r} must be a positive number, not {weight:g}."
            raise UsageError(msg)
    return tuple(float(weights.get(column, 1.0)) for column in columns)
