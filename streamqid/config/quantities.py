"""Durations and sizes as people write them: "30s", "5m", "64MiB"."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema
from pydantic_core import PydanticCustomError

_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = r"(\d{1,12}(?:\.\d{1,9})?) ?(ms|s|m|h|d)"
_BYTES = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
_BYTES |= {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SIZE = r"(\d{1,15}) ?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)?"


def seconds_of(value: Any) -> float:
    """Read a duration, which always has a unit; 0 alone needs none.

    >>> seconds_of("1.5m"), seconds_of("250ms"), seconds_of(0)
    (90.0, 0.25, 0.0)
    """
    found = re.fullmatch(_DURATION, value) if isinstance(value, str) else None
    if found is not None:
        return float(found[1]) * _SECONDS[found[2]]
    if value == 0 and not isinstance(value, bool):
        return 0.0
    raise PydanticCustomError("mistake", "{sentence}", {"sentence": "must be a duration such as 30s, 5m, 1h or 250ms"})


def duration_text(seconds: float) -> str:
    """Write a duration in the largest unit that divides it.

    >>> duration_text(90.0), duration_text(3600.0), duration_text(0.25), duration_text(0.0)
    ('90s', '1h', '250ms', '0s')
    """
    for unit in ("d", "h", "m", "s"):
        number = seconds / _SECONDS[unit]
        if number.is_integer() and (number or unit == "s"):
            return f"{int(number)}{unit}"
    return f"{seconds * 1000:.6f}".rstrip("0").rstrip(".") + "ms"


def bytes_of(value: Any) -> int:
    """Read a size; a number alone is in bytes.

    >>> bytes_of("64MiB"), bytes_of("1kB"), bytes_of(512)
    (67108864, 1000, 512)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = re.fullmatch(_SIZE, value) if isinstance(value, str) else None
    if found is not None:
        return int(found[1]) * _BYTES[found[2] or ""]
    raise PydanticCustomError("mistake", "{sentence}", {"sentence": "must be a size such as 64MiB, 2GB or 4096"})


def size_text(size: int) -> str | int:
    """Write a size in the largest unit that divides it.

    >>> size_text(67108864), size_text(2_000_000), size_text(513)
    ('64MiB', '2MB', 513)
    """
    for unit in ("TiB", "GiB", "MiB", "KiB", "TB", "GB", "MB"):
        if size and size % _BYTES[unit] == 0:
            return f"{size // _BYTES[unit]}{unit}"
    return size


Duration = Annotated[
    float,
    BeforeValidator(seconds_of),
    PlainSerializer(duration_text, return_type=str),
    WithJsonSchema({"type": "string", "pattern": f"^{_DURATION}$", "title": "duration"}),
]
"""Seconds."""

Size = Annotated[
    int,
    BeforeValidator(bytes_of),
    PlainSerializer(size_text),
    WithJsonSchema({"type": ["string", "integer"], "pattern": f"^{_SIZE}$", "minimum": 0, "title": "size"}),
]
"""Bytes."""
