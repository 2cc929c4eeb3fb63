"""Numbers are printed so that they promise no more than they are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.problems.sentences import NAMED_COLUMNS, names, percent, sure


@pytest.mark.parametrize(
    ("share", "down", "up"),
    [
        (0.0, "0 %", "0 %"),
        (1.0, "100 %", "100 %"),
        (0.5, "50 %", "50 %"),
        (0.999, "99.9 %", "99.9 %"),
        (0.998991, "99.899 %", "99.9 %"),
        (0.78953, "78.9 %", "79 %"),
        (0.0123456, "1.23 %", "1.24 %"),
        (1 / 3, "33.3 %", "33.4 %"),
        (2 / 3, "66.6 %", "66.7 %"),
        (0.1, "10 %", "10 %"),
        (0.07, "7 %", "7 %"),
        (0.99995, "99.995 %", "99.995 %"),
        (1e-6, "0.0001 %", "0.0001 %"),
        (1e-15, "0 %", "0.000000001 %"),
        (1 - 1e-15, "99.999999999 %", "100 %"),
    ],
)
def test_percent_rounds_down_or_up(share: float, down: str, up: str) -> None:
    assert (percent(share), percent(share, up=True)) == (down, up)


@given(st.floats(0, 1))
def test_percent_never_promises_more(share: float) -> None:
    """Up to a millionth of the last printed digit, which stands for rounding in floating point."""
    down, up = (float(percent(share, up=way).removesuffix(" %")) / 100 for way in (False, True))
    assert down <= share + 1e-8
    assert up >= share - 1e-8
    assert up - down <= max(0.011 * min(share, 1 - share), 1.1e-11) + 1e-8


@given(st.floats(0, 1), st.floats(0, 1))
def test_percent_keeps_the_order(one: float, other: float) -> None:
    low, high = sorted((one, other))
    for up in (False, True):
        assert float(percent(low, up=up)[:-2]) <= float(percent(high, up=up)[:-2]) + 1e-6


def test_long_sets_are_shortened() -> None:
    assert names(["a"]) == "{a}"
    assert names([]) == "{}"
    many = [f"c{j}" for j in range(NAMED_COLUMNS + 3)]
    assert names(many[:NAMED_COLUMNS]) == "{" + ", ".join(many[:NAMED_COLUMNS]) + "}"
    assert names(many) == "{" + ", ".join(many[:NAMED_COLUMNS]) + ", and 3 more}"


def test_confidence_is_rounded_down() -> None:
    assert sure(None) == "exact: every row was counted"
    assert sure(0.01) == "confidence 99 %"
    assert sure(0.05) == "confidence 95 %"
