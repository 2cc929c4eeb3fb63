"""Making records flat: a nested field becomes a column that is named by its path, as in ``address.zip``."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from streamqid.records import ABSENT, Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamqid.sources.batches import Tabulated

MAX_DEPTH = 32
"""How many objects and arrays may stand within each other, the record itself included."""

SCALARS = frozenset(
    {str, int, float, bool, type(None), bytes, decimal.Decimal}
    | {datetime.datetime, datetime.date, datetime.time, datetime.timedelta}
)
"""Types whose values are leaves and stay as they are."""
_TEXT = frozenset({str})


def flatten(record: object) -> dict[str, object] | Reason:
    """Give each leaf of a record the path to it as its name; arrays stay one value.

    An object without fields has no leaf and leaves no trace.  When a name with a dot in it and a path
    are spelled alike, the later one in the record counts, as for a JSON key that is written twice.
    """
    if type(record) is dict and _TEXT.issuperset(map(type, record)) and SCALARS.issuperset(map(type, record.values())):
        return record
    if not isinstance(record, Mapping):
        return Reason.NOT_OBJECT
    flat: dict[str, object] = {}
    return flat if _collect(record, "", MAX_DEPTH - 1, flat) else Reason.TOO_DEEP


def tabulate(records: Iterable[dict[str, object]]) -> Tabulated:
    """Turn flat records into columns, in the order in which the names appear first."""
    records = list(records)
    columns = tuple(records[0]) if records else ()
    if all(tuple(record) == columns for record in records):
        return columns, [list(column) for column in zip(*(record.values() for record in records), strict=True)]
    columns = tuple(dict.fromkeys(chain.from_iterable(records)))
    return columns, [[record.get(name, ABSENT) for record in records] for name in columns]


def plain(value: Any) -> object:
    """Turn a value of numpy or pandas into the Python value that it stands for; leave others as they are.

    A moment or span finer than Python's microseconds becomes a count of nanoseconds.
    """
    if isinstance(value, np.generic):
        return value.item()
    if type(value).__module__.partition(".")[0] != "pandas":
        return value
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "to_pydatetime"):
        return int(value.as_unit("ns").value) if value.nanosecond else value.to_pydatetime()
    if hasattr(value, "to_pytimedelta"):
        return int(value.as_unit("ns").value) if value.nanoseconds else value.to_pytimedelta()
    return value.tolist() if hasattr(value, "tolist") else str(value)


def _collect(record: Mapping[Any, object], prefix: str, room: int, flat: dict[str, object]) -> bool:
    """Put the leaves of a record into ``flat``; return whether it was not too deep."""
    for key, value in record.items():
        path = f"{prefix}{key}"
        if type(value) in SCALARS:
            flat[path] = value
        elif isinstance(value, Mapping):
            if not (room and _collect(value, path + ".", room - 1, flat)):
                return False
        elif isinstance(value, list | tuple) and not _fits(value, room):
            return False
        else:
            flat[path] = plain(value)
    return True


def _fits(value: object, room: int) -> bool:
    """Tell whether no more than ``room`` objects and arrays stand within each other."""
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return True
    return room > 0 and all(type(part) in SCALARS or _fits(part, room - 1) for part in value)
