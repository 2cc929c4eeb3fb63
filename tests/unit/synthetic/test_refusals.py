"""Populations, drifts and questions that cannot be."""

from __future__ import annotations

import io
from typing import cast

import pytest

from streamqid.errors import UsageError
from streamqid.synthetic import Drift, DriftKind, GeneratorSource, Population, truth, write_jsonl

ALL_NEW = tuple(Drift(DriftKind.NEW, name, 0) for name in Population(identifier=False).columns)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: GeneratorSource(Population(), -1), "rows must be 0 or more"),
        (lambda: GeneratorSource(Population(), 10, 0), "batch holds 1 row or more"),
        (lambda: GeneratorSource(Population(), 10, 5, 11), "first row lies within"),
        (lambda: truth(Population(drifts=(Drift(DriftKind.FLAT, "age", 10),)), 10), "row 10, beyond"),
        (lambda: Drift(DriftKind.FINER, "regoin", 0), "did you mean 'region'"),
        (lambda: Drift(DriftKind.FINER, "qqqq", 0), "choose one of age"),
        (lambda: Drift(cast("DriftKind", "odd"), "age", 0), "choose one of finer"),
        (lambda: Drift(DriftKind.FINER, "age", -1), "row 0 or later"),
        (lambda: Drift(DriftKind.FINER, "age", 5, until_row=5), "until_row after it"),
        (lambda: truth(Population(), 10, [("age", "zap")]), "did you mean 'zip'"),
        (lambda: Population(missing=1.1), "between 0 and 1"),
        (lambda: Population(rate=0.0), "rate must be above 0"),
        (lambda: write_jsonl(Population(rate=1e-9), 100, io.BytesIO()), "raise the rate"),
        (lambda: Population(identifier=False, drifts=ALL_NEW), "leave at least one"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_sentence(attempt: object, message: str) -> None:
    assert callable(attempt)
    with pytest.raises(UsageError, match=message):
        attempt()
