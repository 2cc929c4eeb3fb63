"""Equal values of one type have equal canonical bytes, all others have different ones."""

from __future__ import annotations

import math
from collections import OrderedDict
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.records import ABSENT
from streamqid.sampling.fingerprint import canonical

ALL_DIFFERENT: list[object] = [
    1,
    1.0,
    True,
    "1",
    None,
    ABSENT,
    b"1",
    [1],
    [1.0],
    ["1"],
    [True],
    {"a": 1},
    [["a", 1]],
    "",
    b"",
    [],
    {},
    0,
    False,
    0.0,
    math.nan,
    math.inf,
    -math.inf,
    "nan",
    "inf",
    "None",
    "null",
    [None],
    ["null"],
    2**64,
    2**64 + 1,
    -(2**63),
    2**63,
    1 << 20_000,
    (1 << 20_000) + 1,
    5e-324,
    0.1,
    float(np.float32(0.1)),
    0.3,
    0.1 + 0.2,
    "\ud800",
    "\ud801",
    "e\u0301",
    "\u00e9",
    [1, 2],
    [2, 1],
    [12],
    {"a": {"b": [None]}},
    {"a": {"b": []}},
    1 + 2j,
    "(1+2j)",
]


def test_values_of_different_type_or_content_differ() -> None:
    assert len({canonical(value) for value in ALL_DIFFERENT}) == len(ALL_DIFFERENT)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (-0.0, 0.0),
        (math.nan, -math.nan),
        (1, np.int8(1)),
        (2**63, np.uint64(2**63)),
        (True, np.bool_(True)),
        (0.5, np.float32(0.5)),
        ("a", np.str_("a")),
        (b"a", np.bytes_(b"a")),
        ({"a": 1, "b": 2}, OrderedDict(b=2, a=1)),
        ({"x": {"a": 1, "b": 2}}, {"x": {"b": 2, "a": 1}}),
        ([1, [2]], (1, (2,))),
    ],
)
def test_equal_values_have_equal_bytes(left: object, right: object) -> None:
    assert canonical(left) == canonical(right)


def test_an_unknown_type_is_told_apart_by_its_name_and_its_text() -> None:
    assert canonical(1 + 2j) == b"ocomplex:(1+2j)"
    assert canonical([3j]) != canonical([4j])


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_floats_have_equal_bytes_exactly_when_they_are_equal(left: float, right: float) -> None:
    assert (canonical(left) == canonical(right)) == (left == right)
    assert canonical(left) == canonical(left + 0.0)


@given(st.integers(), st.integers())
def test_integers_have_equal_bytes_exactly_when_they_are_equal(left: int, right: int) -> None:
    assert (canonical(left) == canonical(right)) == (left == right)


@given(st.text(st.characters()), st.text(st.characters()))
def test_texts_have_equal_bytes_exactly_when_they_are_equal(left: str, right: str) -> None:
    assert (canonical(left) == canonical(right)) == (left == right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ([math.nan], [None]),
        ([math.inf], [None]),
        ([math.inf], [-math.inf]),
        ([b"1"], ["MQ=="]),
        ([ABSENT], ["absent"]),
    ],
)
def test_values_that_differ_by_themselves_differ_inside_a_list(left: object, right: object) -> None:
    assert canonical(left) != canonical(right)


@pytest.mark.parametrize(("left", "right"), [([0.0], [-0.0]), ([math.nan], [-math.nan]), ({"a": -0.0}, {"a": 0.0})])
def test_values_that_are_equal_by_themselves_are_equal_inside_a_list(left: object, right: object) -> None:
    assert canonical(left) == canonical(right)


@pytest.mark.parametrize("value", [["\ud800"], {"\ud800": 1}, {1: 2}, {None: 1, "a": 2}, [{(1, 2): 3}]])
def test_every_nested_value_has_bytes(value: object) -> None:
    assert canonical(value) == canonical(value)


def test_decimals_compare_by_value() -> None:
    long = "1" + "0" * 60 + "1"
    equal = [("1.0", "1.00"), ("1E+2", "100"), ("-0.0", "0"), ("0E+5", "0.000"), ("NaN", "sNaN"), (long, long + ".00")]
    for one, other in equal:
        assert canonical(Decimal(one)) == canonical(Decimal(other))
    different = ["1", "-1", "10", "1.01", "0", "Infinity", "-Infinity", "NaN", long, long[:-1] + "2"]
    assert len({canonical(Decimal(text)) for text in different}) == len(different)
    assert canonical(Decimal(1)) not in (canonical(1), canonical(1.0), canonical("1"))


@given(st.decimals(allow_nan=False), st.decimals(allow_nan=False), st.integers(0, 40))
def test_decimals_are_equal_exactly_where_python_says_so(one: Decimal, other: Decimal, zeros: int) -> None:
    assert (canonical(one) == canonical(other)) is (one == other)
    if one.is_finite():
        sign, digits, exponent = one.as_tuple()
        assert isinstance(exponent, int)
        longer = Decimal((sign, digits + (0,) * zeros, exponent - zeros))
        assert canonical(longer) == canonical(one)


def test_arrays_are_lists_of_their_values() -> None:
    """Their print has eight digits, and leaves out the middle of long ones."""
    long = np.zeros(2000)
    other = long.copy()
    other[1000] = 1.0
    assert str(long) == str(other)
    assert canonical(long) == canonical(long.tolist()) != canonical(other)
    assert canonical([np.array([1e9, 1e-3])]) == canonical([[1e9, 1e-3]]) != canonical([[1e9 + 1, 1e-3]])
    assert canonical(np.array([[1, 2], [3, 4]])) == canonical([[1, 2], [3, 4]])
