"""Rows about made-up people, as the messages of a topic."""

from __future__ import annotations

import json

import numpy as np

from streamqid.records import ABSENT
from streamqid.synthetic import GeneratedBatch, Population


def rows(count: int, seed: int = 1, start: int = 0) -> list[dict[str, object]]:
    """Return rows ``start`` to ``start + count`` of a population."""
    people = Population(seed, identifier=False)
    read = GeneratedBatch(people, start, start + count).decode(np.arange(start, start + count))
    return [
        {name: value for name, value in zip(read.columns, values, strict=True) if value is not ABSENT}
        for values in zip(*read.values, strict=True)
    ]


def messages(count: int, seed: int = 1, start: int = 0) -> list[bytes]:
    """Return the same rows as JSON."""
    return [json.dumps(row).encode() for row in rows(count, seed, start)]
