"""Small tables written as rows, the samplers and evidence made of them, and oracles that only count."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from numpy.typing import NDArray

    from streamqid.sampling.pairs import Evidence

ORIGIN = Origin("log")
PEOPLE = [(20, "F", "CA"), (30, "F", "CA"), (40, "F", "TX"), (20, "M", "NY"), (40, "M", "CA")]
"""Motwani and Xu, Table 1: age, sex, state."""


def names(columns: int) -> list[str]:
    """Return column names whose order by name is their order by number."""
    return [f"c{j:04}" for j in range(columns)]


def fingerprints(rows: Sequence[Sequence[Hashable]], columns: int | None = None) -> NDArray[np.uint64]:
    """Number the values of each column from 1 on, None being a missing value."""
    width = len(rows[0]) if columns is None else columns
    codes: list[dict[Hashable, int]] = [{None: 0} for _ in range(width)]
    numbered = [[codes[j].setdefault(v, len(codes[j])) for j, v in enumerate(row)] for row in rows]
    return np.array(numbered, np.uint64).reshape(len(rows), width)


def sampler_of(
    table: NDArray[np.uint64],
    seed: int = 0,
    capacity: Capacity | int = 1000,
    missing: MissingRule = MissingRule.VALUE,
) -> Sampler:
    """Return the sampler of a table of fingerprints that stands in one log."""
    size = capacity if isinstance(capacity, Capacity) else Capacity(capacity)
    sampler = Sampler(Secret.from_seed(seed), size, missing)
    n = len(table)
    offsets = sampler.candidates(ORIGIN, 0, n, n)
    sampler.update(ORIGIN, n, offsets, names(table.shape[1]), table[offsets])
    return sampler


def evidence_of(
    rows: Sequence[Sequence[Hashable]],
    seed: int = 0,
    capacity: Capacity | int = 1000,
    missing: MissingRule = MissingRule.VALUE,
    columns: int | None = None,
) -> Evidence:
    """Return the evidence on a table; a capacity of at least its rows makes it the whole table."""
    table = fingerprints(rows, columns)
    return sampler_of(table, seed, capacity, missing).evidence().select(names(table.shape[1]))


def project(rows: Sequence[Sequence[Hashable]], columns: Iterable[int]) -> list[tuple[Hashable, ...]]:
    """Return the rows on some columns."""
    wanted = list(columns)
    return [tuple(row[j] for j in wanted) for row in rows]


def separation_by_pairs(rows: Sequence[Sequence[Hashable]], columns: Iterable[int]) -> float:
    """Look at every pair of rows."""
    seen = project(rows, columns)
    pairs = list(combinations(seen, 2))
    return sum(a != b for a, b in pairs) / len(pairs) if pairs else 1.0


def distinct_by_count(rows: Sequence[Sequence[Hashable]], columns: Iterable[int]) -> float:
    """Count the different rows."""
    return len(set(project(rows, columns))) / len(rows) if rows else 1.0


def unique_by_count(rows: Sequence[Sequence[Hashable]], columns: Iterable[int]) -> float:
    """Count the rows that occur once."""
    counts = Counter(project(rows, columns))
    return sum(count == 1 for count in counts.values()) / len(rows) if rows else 0.0
