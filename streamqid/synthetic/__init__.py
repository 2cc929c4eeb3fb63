"""Synthetic microdata as a source, as CSV or JSON lines, and the exact truth about it."""

from __future__ import annotations

from streamqid.synthetic.drift import Drift, DriftKind, default_drift
from streamqid.synthetic.population import Population
from streamqid.synthetic.source import GeneratedBatch, GeneratorSource
from streamqid.synthetic.truth import truth
from streamqid.synthetic.writers import jsonl, write_csv, write_jsonl

__all__ = [
    "Drift",
    "DriftKind",
    "GeneratedBatch",
    "GeneratorSource",
    "Population",
    "default_drift",
    "jsonl",
    "truth",
    "write_csv",
    "write_jsonl",
]
