"""When a record happened: three rules, each a function of the log alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

import numpy as np

from streamqid.errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TimeRule:
    """Where the event time of a record comes from.

    ``ingest`` is the largest timestamp of the batch that the record stands in, which its header tells; ``record`` the
    record's own timestamp; ``column`` a field of the row by its dotted path: a number in ``unit``, or ISO-8601 text,
    in UTC unless it says otherwise.

    Anybody can write any time into a column, and one record from the far future would close every pane before it.  So a
    column is believed up to ``ahead`` seconds after the record's own timestamp, which brokers keep near their clock
    (``message.timestamp.after.max.ms``).  What lies further ahead is no event time, nor is what stands in a record
    without a timestamp of its own.  None believes every column.
    """

    kind: Literal["ingest", "record", "column"] = "ingest"
    column: str = ""
    unit: Literal["seconds", "milliseconds"] = "milliseconds"
    ahead: float | None = None

    def __post_init__(self) -> None:
        if (self.kind == "column") != bool(self.column):
            raise ConfigError("A column of event times is named exactly if the time comes from a column.")

    def seconds(self, value: object) -> float:
        """Return the time that a field holds, in seconds since 1970; NaN if it holds none."""
        try:
            if isinstance(value, str):
                moment = datetime.fromisoformat(value)
                return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
            if isinstance(value, int | float) and not isinstance(value, bool):
                return value / 1000 if self.unit == "milliseconds" else float(value)
        except (ValueError, OverflowError):
            pass
        return math.nan

    def believed(self, times: NDArray[np.float64], own: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return times in seconds without those too far ahead of the records' own, in milliseconds; -1 is none."""
        if self.ahead is None:
            return times
        return np.where((own >= 0) & (times - own / 1000 <= self.ahead), times, np.nan)
