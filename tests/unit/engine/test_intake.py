"""What an intake keeps of decoded rows."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.intake import Intake
from streamqid.engine.projection import Projection
from streamqid.records import Rows
from streamqid.sampling.fingerprint import Encoder
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    import pytest

LONG = "n" * 11
ROWS = Rows(np.array([4, 5]), ("a", "b", LONG), [[1, 2], [3, 4], [5, 6]], [])


def intake(projection: Projection) -> Intake:
    return Intake(Encoder(Secret.from_seed(1)), projection)


def test_a_name_that_is_too_long_is_no_column_and_told_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    reader = intake(Projection(ignore=["b"], longest=10))
    for _ in range(2):
        columns, fingerprints = reader.encode(ROWS)
        assert columns == ["a"]
        assert fingerprints.shape == (2, 1)
    assert set(reader.types) == {"a"}
    assert [record.getMessage() for record in caplog.records] == [
        "Columns whose names have more than 10 characters are left out."
    ]


def test_a_long_name_that_is_asked_for_is_a_column(caplog: pytest.LogCaptureFixture) -> None:
    columns, _ = intake(Projection([LONG], longest=10)).encode(ROWS)
    assert columns == [LONG]
    assert not caplog.records


def test_without_a_limit_any_name_is_a_column() -> None:
    columns, _ = intake(Projection()).encode(ROWS)
    assert columns == ["a", "b", LONG]
