"""One pass over a table: from a path or an object to the evidence that a solver sees."""

from __future__ import annotations

import itertools
import os
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.intake import Intake
from streamqid.engine.projection import Projection, require_column
from streamqid.errors import TableError, UsageError
from streamqid.options import checked, column_weights, missing_rule
from streamqid.problems.answer import Rule
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import Encoder
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from streamqid.sources import from_object, open_table
from streamqid.sources.delimited import DelimitedSource
from streamqid.sources.frames import MappingSource
from streamqid.sources.jsonlines import JsonArraySource, JsonLinesSource

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from streamqid.options import Options
    from streamqid.problems.answer import Unreadable
    from streamqid.records import Batch, Source
    from streamqid.sampling.pairs import Evidence

MEMORY = 1 << 30
COPIES = 3
"""Copies of a sample's rows that exist at the worst moment, while new candidates are merged in."""
LATE = 2
"""How far columns that nobody knew of when the sample was sized may take it beyond the memory that is allowed."""
PEEK_ROWS = 1000
LIKELY_SHARE = 0.85
"""Share of the rows that a file's size promises on which reading relies."""


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

        The paper's rule pays for 2^m column sets, so m must not depend on the sample.  That the sample decides here
        between two rules is paid for by ``Pass.part_of_delta``.
        """
        return Rule.CERTIFIED if self.late_columns else asked

    def stamp(self) -> dict[str, object]:
        """Return the fields of an answer that come from the pass and not from the solver."""
        return {"seed": self.seed, "unreadable": self.unreadable if self.unreadable.found else None}


class Pass:
    """One pass over a table with the given options."""

    def __init__(self, table: object, options: Options) -> None:
        self.options = checked(options)
        seed = options.get("seed")
        self.seed = secrets.randbits(32) if seed is None else int(seed)
        self.secret = Secret.from_seed(self.seed)
        self.missing = missing_rule(options.get("missing", "value"))
        self.projection = Projection(options.get("only", ()), options.get("ignore", ()))
        self.intake = self.new_intake()
        self._table = table
        self.source = _open(table, options)

    def part_of_delta(self, asked: Rule) -> float:
        """Return the share of δ that one rule may spend: a half where the sample may put another rule in its place."""
        return 1.0 if self.source.columns or asked is Rule.CERTIFIED else 0.5

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
            columns, batches = known_columns(self.source)
            if self.source.columns:
                self.check(columns, names)
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
            self._check_width(sampler)
            if progress is not None:
                progress(sampler.n, nbytes)

    def _check_width(self, sampler: Sampler) -> None:
        """Raise an error before rows with ever new fields take more memory than is allowed."""
        width = max(len(sample.columns) for sample in sampler.samples.values())
        memory = self.options.get("memory", MEMORY)
        if min(sampler.n, sampler.capacity.k(sampler.n)) * 2 * COPIES * row_bytes(width) > LATE * memory:
            raise TableError(
                f"The rows of {self.source.name} have {width:,} different fields so far, of which samples do not fit "
                f"into {memory} bytes: look at some of them with only, allow more memory, or turn objects that are "
                "keyed by values into lists."
            )

    def check(self, columns: Sequence[str], names: Sequence[str]) -> list[str]:
        """Return the columns that take part, or raise a UsageError if a name is unknown among them."""
        if not columns:
            raise TableError(f"The rows of {self.source.name} have no columns: give every row at least one field.")
        self.projection.check(columns)
        kept = [columns[j] for j in self.projection.keep(columns)]
        for name in (*names, *self.options.get("weights", {})):
            if name in columns and name not in kept:
                msg = f"Column {name!r} is asked about and left out at once: take it out of ignore, or into only."
                raise UsageError(msg)
            require_column(name, kept)
        return kept

    def no_rows(self) -> TableError:
        """Return the error that says that not a single row was read, and what to do."""
        found, source = self.intake.unreadable(), self.source
        if isinstance(source, MappingSource):
            what = "None of the given rows can be read" if found.found else "No rows were given"
            return TableError(f"{what}: give at least one, as a dict of column names and values.")
        why = f" that can be read ({', '.join(found.reasons)})" if found.found else ""
        advice = "give a table with at least one row"
        if isinstance(source, DelimitedSource):
            advice = "give at least one line besides the header, or --no-header (header=False) if it has none"
        elif isinstance(source, JsonLinesSource | JsonArraySource):
            advice = "write one JSON object on each line, or one array of objects in a .json file"
        return TableError(f"There are no rows in {source.name}{why}: {advice}.")

    def _reading(self, sampler: Sampler, columns: tuple[str, ...], asked: Sequence[str]) -> Reading:
        evidence = sampler.evidence()
        if not evidence.n or not len(evidence.a):
            raise self.no_rows()
        # Late columns in an order that does not depend on the sample, as the order decides between equal columns.
        late = () if self.source.columns else tuple(sorted(set(evidence.columns) - set(columns)))
        names = self.source.columns or (*columns, *late)
        kept = self.check(names, asked)
        weights = column_weights(kept, self.options.get("weights", {}))
        return Reading(evidence.select(kept), self.seed, self.intake.unreadable(), weights, bool(late))


def row_bytes(columns: int) -> int:
    """Return the bytes that one sampled row takes: priority, origin, offset, flag and the fingerprints."""
    return 25 + 8 * columns


def _open(table: object, options: Options) -> Source:
    if isinstance(table, str | os.PathLike):
        kind, delimiter, header = options.get("format"), options.get("delimiter"), options.get("header")
        return open_table(table, format=kind, delimiter=delimiter, header=header)
    return from_object(table)


def known_columns(source: Source) -> tuple[tuple[str, ...], Iterator[Batch]]:
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
