"""Find quasi-identifiers in tables and streams of microdata, every answer with its guarantee.

>>> import streamqid
>>> streamqid.check([{"sex": "F", "age": 20}, {"sex": "F", "age": 30}], ["sex"]).separation.estimate
0.0

A table is a path, ``"-"`` for standard input, or an object in memory (see ``streamqid.sources.from_object``).
The modules behind the names are imported when a name is first used.
"""

from __future__ import annotations

import importlib
import logging
from typing import TYPE_CHECKING

from streamqid.errors import (
    MergeError,
    SnapshotCorruptError,
    SnapshotVersionError,
    StateError,
    StreamqidError,
    TableError,
    UsageError,
)

if TYPE_CHECKING:
    from streamqid.detecting import detect
    from streamqid.measures.estimate import Estimate
    from streamqid.planning import plan
    from streamqid.problems.answer import CheckAnswer, KeyAnswer, MaskAnswer, PlanAnswer, ScanAnswer
    from streamqid.problems.findings import DetectAnswer
    from streamqid.tables import check, keys, mask, scan

    __version__: str

__all__ = [
    "CheckAnswer",
    "DetectAnswer",
    "Estimate",
    "KeyAnswer",
    "MaskAnswer",
    "MergeError",
    "PlanAnswer",
    "ScanAnswer",
    "SnapshotCorruptError",
    "SnapshotVersionError",
    "StateError",
    "StreamqidError",
    "TableError",
    "UsageError",
    "__version__",
    "check",
    "detect",
    "keys",
    "mask",
    "plan",
    "scan",
]

_ANSWER, _TABLES = "streamqid.problems.answer", "streamqid.tables"
_HOME = {
    "CheckAnswer": _ANSWER,
    "DetectAnswer": "streamqid.problems.findings",
    "Estimate": "streamqid.measures.estimate",
    "KeyAnswer": _ANSWER,
    "MaskAnswer": _ANSWER,
    "PlanAnswer": _ANSWER,
    "ScanAnswer": _ANSWER,
    "check": _TABLES,
    "detect": "streamqid.detecting",
    "keys": _TABLES,
    "mask": _TABLES,
    "plan": "streamqid.planning",
    "scan": _TABLES,
}

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that the command line starts quickly."""
    if name == "__version__":
        value: object = _version()
    elif name in _HOME:
        value = getattr(importlib.import_module(_HOME[name]), name)
    else:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("streamqid")
    except metadata.PackageNotFoundError:
        return "0+unknown"
