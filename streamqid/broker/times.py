"""When a record happened: three rules, each a function of the log alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from streamqid.errors import ConfigError


@dataclass(frozen=True, slots=True)
class TimeRule:
    """Where the event time of a record comes from.

    ``ingest`` is the largest timestamp of the batch that the record stands in, which its header tells; ``record`` the
    record's own timestamp; ``column`` a field of the row by its dotted path: a number in ``unit``, or ISO-8601 text,
    in UTC unless it says otherwise.
    """

    kind: Literal["ingest", "record", "column"] = "ingest"
    column: str = ""
    unit: Literal["seconds", "milliseconds"] = "milliseconds"

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
