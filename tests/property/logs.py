"""Logs of several origins, and every way to feed them to a sampler."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.fingerprint import MISSING, MissingRule
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Iterable

Record = tuple[int, dict[str, int] | None]
"""Offset, and the fingerprint of each column that the record has, or None if it cannot be read."""


@dataclass(frozen=True)
class Chunk:
    """Consecutive records of one origin: one batch."""

    origin: Origin
    records: tuple[Record, ...]

    def feed(self, sampler: Sampler) -> None:
        """Do what the intake does: ask for candidates, decode only them, count all."""
        start, end, count = self.records[0][0], self.records[-1][0] + 1, len(self.records)
        wanted = set(sampler.candidates(self.origin, start, end, count).tolist())
        if not wanted:
            sampler.update_count(count)
            return
        decoded = [(offset, row) for offset, row in self.records if offset in wanted]
        good = [(offset, row) for offset, row in decoded if row is not None]
        columns = list(dict.fromkeys(column for _, row in good for column in row))
        table = np.full((len(good), len(columns)), MISSING, np.uint64)
        for i, (_, row) in enumerate(good):
            for column, value in row.items():
                table[i, columns.index(column)] = value
        offsets = np.array([offset for offset, _ in good], np.int64)
        sampler.update(self.origin, count, offsets, columns, table, [offset for offset, row in decoded if row is None])


@dataclass(frozen=True)
class Log:
    """Records of several origins under one capacity."""

    capacity: Capacity
    records: dict[Origin, tuple[Record, ...]]
    max_columns: int | None = None

    def sampler(self) -> Sampler:
        """Return an empty sampler."""
        return Sampler(Secret.from_seed(1), self.capacity, MissingRule.EQUAL, self.max_columns)

    def one_pass(self) -> bytes:
        """Return the snapshot after one batch for each origin."""
        return self.fed(Chunk(origin, records) for origin, records in self.records.items() if records)

    def fed(self, chunks: Iterable[Chunk]) -> bytes:
        """Return the snapshot after these batches."""
        sampler = self.sampler()
        for chunk in chunks:
            chunk.feed(sampler)
        return sampler.to_bytes()

    def chunks(self, draw: st.DrawFn) -> list[Chunk]:
        """Cut every origin into batches, and mix the origins while each one stays in its order."""
        queues: list[list[Chunk]] = []
        for origin, records in self.records.items():
            inner = range(1, len(records))
            cuts = sorted(draw(st.sets(st.sampled_from(inner), max_size=12))) if inner else []
            bounds = [0, *cuts, len(records)]
            parts = [records[a:b] for a, b in pairwise(bounds)]
            queues.append([Chunk(origin, part) for part in parts if part])
        mixed: list[Chunk] = []
        while any(queues):
            queue = draw(st.sampled_from([queue for queue in queues if queue]))
            mixed.append(queue.pop(0))
        return mixed


@st.composite
def logs(draw: st.DrawFn) -> tuple[Log, list[Chunk]]:
    """Draw a log and one way to cut it into batches.

    Columns come and go, some names are made up without end, some values are missing, some records cannot be read,
    and offsets have gaps.
    """
    floor, root = draw(st.sampled_from([(1, 0.0), (5, 0.0), (2, 0.7), (1, 3.0), (50, 0.0)]))
    capacity = Capacity(floor, root, draw(st.none() | st.integers(1, 20)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    records: dict[Origin, tuple[Record, ...]] = {}
    for number in range(draw(st.integers(1, 3))):
        n = draw(st.integers(0, 30) | st.integers(100, 400))
        offsets = np.cumsum(rng.integers(1, draw(st.sampled_from([2, 4])), n)) + draw(st.integers(0, 10**6))
        bad, width = draw(st.sampled_from([0.0, 0.1, 0.9])), draw(st.integers(1, 4))
        has = rng.random((n, width)) < draw(st.sampled_from([1.0, 0.7, 0.1]))
        values = rng.integers(0, 4, (n, width)) * 2**60 + rng.integers(0, 2, (n, width))
        rows = [{f"c{j}": int(values[i, j]) for j in rng.permutation(width).tolist() if has[i, j]} for i in range(n)]
        if draw(st.booleans()):
            for row in rows:
                row[f"made up {rng.integers(0, 60)}"] = int(rng.integers(1, 3))
        unreadable = rng.random(n) < bad
        records[Origin("topic", number)] = tuple(
            (int(offset), None if unreadable[i] else rows[i]) for i, offset in enumerate(offsets)
        )
    log = Log(capacity, records, draw(st.sampled_from([None, 1, 2, 5])))
    return log, log.chunks(draw)
