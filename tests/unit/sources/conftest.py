"""Reading a whole source, as the tests of all formats do."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np
import pytest

from streamqid.records import Origin

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.records import Reject, Rows, Source


@dataclass
class ReadTable:
    """What a source gave: rows by offset, each a dict of its fields."""

    columns: tuple[str, ...]
    rows: dict[int, dict[str, object]] = field(default_factory=dict)
    rejects: list[Reject] = field(default_factory=list)
    count: int = 0
    nbytes: int = 0

    def add(self, rows: Rows) -> None:
        assert all(len(column) == len(rows.offsets) for column in rows.values)
        assert len(rows.columns) == len(rows.values)
        for at, offset in enumerate(rows.offsets.tolist()):
            self.rows[offset] = {name: column[at] for name, column in zip(rows.columns, rows.values, strict=True)}
        self.rejects += rows.rejects


class Read(Protocol):
    def __call__(self, source: Source, asked: Callable[[int], bool] = ...) -> ReadTable: ...


@pytest.fixture(scope="session")
def read() -> Read:
    """Read the rows of a source whose offset is asked for, by default all, and close it."""

    def read_source(source: Source, asked: Callable[[int], bool] = lambda _: True) -> ReadTable:
        table = ReadTable(source.columns)
        with contextlib.closing(source):
            for batch in source.batches():
                assert batch.origin == Origin("table")
                assert batch.start == table.count
                assert batch.end == batch.start + batch.count
                offsets = [offset for offset in range(batch.start, batch.end) if asked(offset)]
                rows = batch.decode(np.array(offsets, np.int64))
                came = [*rows.offsets.tolist(), *(reject.offset for reject in rows.rejects)]
                assert sorted(came) == offsets
                table.add(rows)
                table.count += batch.count
                table.nbytes += batch.nbytes
        return table

    return read_source
