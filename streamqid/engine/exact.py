"""Exact groups of one column set over a whole log, at one 64-bit number per record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.partition import Partition, table_of
from streamqid.sampling.fingerprint import MISSING, MissingRule
from streamqid.sampling.groups import row_hashes
from streamqid.sampling.priority import mix64

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from streamqid.engine.intake import Intake
    from streamqid.problems.answer import Unreadable
    from streamqid.records import Batch


class ExactPartition:
    """Decodes every record and keeps one 64-bit fingerprint of its values on the column set.

    Exact up to a collision of two fingerprints, whose probability is below n^2 / 2^65 (3e-6 for 10 million).
    """

    def __init__(self, intake: Intake, columns: list[str], missing: MissingRule) -> None:
        self._intake = intake
        self._columns = columns
        self._missing_differ = missing is MissingRule.DISTINCT
        self._parts: list[NDArray[np.uint64]] = []

    def add(self, batch: Batch) -> None:
        """Decode a batch and keep the fingerprints of its rows on the set."""
        rows = batch.decode(np.arange(batch.start, batch.end))
        self._intake.look_at(rows)
        columns, fingerprints = self._intake.encode(rows)
        chosen = np.full((len(rows.offsets), len(self._columns)), MISSING, np.uint64)
        for j, column in enumerate(self._columns):
            if column in columns:
                chosen[:, j] = fingerprints[:, columns.index(column)]
        whole = row_hashes(chosen)
        if self._missing_differ:
            alone = (chosen == MISSING).any(axis=1)
            whole[alone] = mix64(len(self._columns), rows.offsets[alone])
        self._parts.append(whole)

    def unreadable(self) -> Unreadable:
        """Return what could not be read, all of it."""
        return self._intake.unreadable()

    def partition(self) -> Partition:
        """Return the partition of all rows that could be read."""
        whole = np.concatenate(self._parts) if self._parts else np.empty(0, np.uint64)
        return table_of(("set",), whole[:, None]).partition([0])
