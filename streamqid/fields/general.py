"""The definition as a reader: every value is decoded whole, as the samples decode their candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.fields.reading import NUMBERS, Read
from streamqid.records import Reason
from streamqid.sampling.fingerprint import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.fields.reading import Definition, Spans
    from streamqid.sampling.fingerprint import Encoder


class GeneralReader:
    """Decodes whole records, and keeps the named columns."""

    def __init__(self, definition: Definition, columns: Sequence[str], encoder: Encoder) -> None:
        self._definition = definition
        self._columns = tuple(columns)
        self._encoder = encoder

    def read(self, spans: Spans) -> Read:
        """Return the fingerprints of all values."""
        return self.read_values(spans.values())

    def read_values(self, values: Sequence[bytes | None]) -> Read:
        """Return the fingerprints of values that stand alone."""
        found = [self._definition.read(value) for value in values]
        reasons = np.array([NUMBERS[one] if isinstance(one, Reason) else 0 for one in found], np.uint8)
        rows = [one for one in found if not isinstance(one, Reason)]
        names, cells = self._definition.tabulate(rows)
        places = {name: place for place, name in enumerate(names)}
        known = [(j, places[column]) for j, column in enumerate(self._columns) if column in places]
        fingerprints = np.full((len(found), len(self._columns)), MISSING, np.uint64)
        good = np.flatnonzero(reasons == 0)
        for j, place in known:
            fingerprints[good, j] = self._encoder.encode([names[place]], [cells[place]], len(rows))[:, 0]
        return Read(fingerprints, reasons)
