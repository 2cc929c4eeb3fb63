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

from streamqid import notebooks
from streamqid.errors import (
    ConfigError,
    MergeError,
    SnapshotCorruptError,
    SnapshotVersionError,
    StateError,
    StreamqidError,
    TableError,
    TransportError,
    UsageError,
)

if TYPE_CHECKING:
    from streamqid.auditing import audit
    from streamqid.audits.answer import AuditAnswer
    from streamqid.detecting import detect
    from streamqid.measures.estimate import Estimate
    from streamqid.minimal import all_keys
    from streamqid.optimum import anonymity_test, minimal_qid, minimum_qid, optimal_keys, optimal_mask
    from streamqid.planning import plan
    from streamqid.problems.answer import CheckAnswer, Document, KeyAnswer, MaskAnswer, PlanAnswer, ScanAnswer
    from streamqid.problems.findings import DetectAnswer
    from streamqid.problems.minimal_answer import MinimalAnswer
    from streamqid.problems.optimum_answer import OptimalKeyAnswer, OptimalMaskAnswer
    from streamqid.problems.qid_answer import QidAnswer, QidTestAnswer
    from streamqid.tables import check, keys, mask, scan

    __version__: str

__all__ = [
    "AuditAnswer",
    "CheckAnswer",
    "ConfigError",
    "DetectAnswer",
    "Estimate",
    "KeyAnswer",
    "MaskAnswer",
    "MergeError",
    "MinimalAnswer",
    "OptimalKeyAnswer",
    "OptimalMaskAnswer",
    "PlanAnswer",
    "QidAnswer",
    "QidTestAnswer",
    "ScanAnswer",
    "SnapshotCorruptError",
    "SnapshotVersionError",
    "StateError",
    "StreamqidError",
    "TableError",
    "TransportError",
    "UsageError",
    "__version__",
    "all_keys",
    "anonymity_test",
    "audit",
    "check",
    "detect",
    "keys",
    "mask",
    "minimal_qid",
    "minimum_qid",
    "optimal_keys",
    "optimal_mask",
    "plan",
    "scan",
]

_ANSWER, _TABLES = "streamqid.problems.answer", "streamqid.tables"
_OPTIMUM, _OPTIMUM_ANSWER, _QID = (
    "streamqid.optimum",
    "streamqid.problems.optimum_answer",
    "streamqid.problems.qid_answer",
)
_HOME = {
    "AuditAnswer": "streamqid.audits.answer",
    "CheckAnswer": _ANSWER,
    "DetectAnswer": "streamqid.problems.findings",
    "Estimate": "streamqid.measures.estimate",
    "KeyAnswer": _ANSWER,
    "MaskAnswer": _ANSWER,
    "MinimalAnswer": "streamqid.problems.minimal_answer",
    "OptimalKeyAnswer": _OPTIMUM_ANSWER,
    "OptimalMaskAnswer": _OPTIMUM_ANSWER,
    "PlanAnswer": _ANSWER,
    "QidAnswer": _QID,
    "QidTestAnswer": _QID,
    "ScanAnswer": _ANSWER,
    "all_keys": "streamqid.minimal",
    "anonymity_test": _OPTIMUM,
    "audit": "streamqid.auditing",
    "check": _TABLES,
    "detect": "streamqid.detecting",
    "keys": _TABLES,
    "mask": _TABLES,
    "minimal_qid": _OPTIMUM,
    "minimum_qid": _OPTIMUM,
    "optimal_keys": _OPTIMUM,
    "optimal_mask": _OPTIMUM,
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


def _notebook_view(document: Document) -> str | None:
    from streamqid.report.notebook import notebook_html

    return notebook_html(document)


notebooks.view = _notebook_view


def _version() -> str:
    from importlib import metadata

    try:
        return metadata.version("streamqid")
    except metadata.PackageNotFoundError:
        return "0+unknown"
