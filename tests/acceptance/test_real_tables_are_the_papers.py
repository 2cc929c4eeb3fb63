"""The tables are the ones that the expected numbers were measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import RealTable


def test_adult(adult: RealTable) -> None:
    assert adult.codes.shape == (32_561, 14)
    assert adult.distinct(adult.columns) == pytest.approx(0.893584, abs=1e-6)
    published = ["race", "capital-gain", "capital-loss", "native-country", "income"]
    assert adult.separation(published) == pytest.approx(0.685344, abs=1e-6)


def test_covtype(covtype: RealTable) -> None:
    assert covtype.codes.shape == (581_012, 54)
    assert covtype.distinct(covtype.columns) == 1.0
