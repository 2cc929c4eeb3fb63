"""Dependencies that the rows of a table show, and the quasi-identifiers that follow (Hua et al., Algorithm 2)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.measures.dependence import agreement, g3

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from streamqid.measures.partition import Partition, Table

MOST_COLUMNS = 2
"""Largest set that Algorithm 2 looks at.

The paper has no limit; without one every column of its three tables becomes part of a quasi-identifier.  Two was
found by fit: its results for bank and adult come out exactly.
"""


@dataclass(frozen=True, slots=True)
class InstanceDependency:
    """The columns ``left`` determine the column ``right`` but for the share ``error`` of the rows (g3)."""

    left: tuple[int, ...]
    right: int
    error: float


def instance_dependencies(table: Table, threshold: float = 0.0, most: int = MOST_COLUMNS) -> list[InstanceDependency]:
    """Find all minimal X → A with g3 error at most ``threshold`` and at most ``most`` columns in X.

    Exact over the rows of the table.  Minimal: no part of X meets the threshold, since g3 only falls as X grows.  The
    empty X stands for a column that is constant but for that share of the rows.
    """
    found: list[InstanceDependency] = []
    for left, classes in _partitions(table, range(len(table.columns)), most, lambda _: False):
        known = {d.right for d in found if set(d.left) <= set(left)}
        for right in range(len(table.columns)):
            if right in left or right in known:
                continue
            error = agreement(table, classes, [right]).error
            if error <= threshold:
                found.append(InstanceDependency(left, right, error))
    return found


@dataclass(frozen=True, slots=True)
class SinglingSet:
    """A minimal set some of whose values belong to one identifier only."""

    columns: tuple[int, ...]
    values: int
    """How many of its values (classes) do."""
    rows: int
    """How many rows these classes hold."""


def instance_quasi_identifiers(
    table: Table, identifiers: Sequence[int] = (), among: Sequence[int] | None = None, most: int = MOST_COLUMNS
) -> list[SinglingSet]:
    """Find all minimal sets of at most ``most`` columns that the identifiers projection-depend on (Algorithm 2).

    X determines the identifiers partially when some class of X, in the projection on X and the identifiers, has one
    row: a value of X that belongs to one identifier.  Without identifiers every row counts as a person of its own.
    Supersets of such a set are such sets too, so only minimal ones are kept (section IV.C).  Exact over the rows of
    the table; a set that is not returned may single out persons together with more columns.

    Parameters
    ----------
    table
        The whole table: a sample cannot answer this, since a row that is alone in it may have its equal outside.
    identifiers
        Columns that name a person.
    among
        Candidates; by default all other columns.
    most
        Largest number of columns in a set.
    """
    candidates = [j for j in (range(len(table.columns)) if among is None else among) if j not in identifiers]
    found: list[SinglingSet] = []

    def known(columns: tuple[int, ...]) -> bool:
        return not columns or any(set(smaller.columns) <= set(columns) for smaller in found)

    for columns, classes in _partitions(table, candidates, most, known):
        values, rows = classes.unique_rows, classes.unique_rows
        if identifiers:
            here = agreement(table, classes, identifiers)
            values, rows = here.determined, here.determined_rows
        if values:
            found.append(SinglingSet(columns, values, rows))
    return found


def _partitions(
    table: Table, columns: Sequence[int], most: int, skip: Callable[[tuple[int, ...]], bool]
) -> Iterator[tuple[tuple[int, ...], Partition]]:
    """Yield every set of at most ``most`` columns, by size, with its partition, but for those to skip.

    Sets with the same first columns follow each other, so the partitions by these are kept until they change.
    """
    prefixes: list[tuple[tuple[int, ...], Partition]] = [((), table.partition([]))]
    for size in range(min(most, len(columns)) + 1):
        for chosen in itertools.combinations(columns, size):
            if skip(chosen):
                continue
            while chosen[: len(prefixes[-1][0])] != prefixes[-1][0]:
                prefixes.pop()
            for j in chosen[len(prefixes[-1][0]) :]:
                before, here = prefixes[-1]
                prefixes.append(((*before, j), here.refine(table.codes[j], table.sizes[j])))
            yield chosen, prefixes[-1][1]


def dependency_error(table: Table, left: Sequence[str], right: Sequence[str]) -> float:
    """Return the g3 error of a declared dependency on the rows of a table: 0 when the table obeys it."""
    return g3(table, map(table.columns.index, left), map(table.columns.index, right))
