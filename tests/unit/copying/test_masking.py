"""What is left of a record: the published fields as they stood there, and nothing else whatever the record holds."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.broker.formats import Format
from streamqid.copying.masking import Masking
from streamqid.records import Reason

CANARY = "canary7f3a"


def masked(value: bytes, *columns: str, row_path: str = "", **options: Any) -> bytes | Reason:
    return Masking(Format(row_path=row_path), frozenset(columns), **options).apply(value)


@pytest.mark.parametrize(
    ("value", "left"),
    [
        (b'{"a": 1, "b": "canary"}', b'{"a":1}'),
        (b'{"b": "canary"}', b"{}"),
        (b'{"a": 1.10, "b": 0}', b'{"a":1.10}'),
        (b'{"a": 123456789012345678901234567890}', b'{"a":123456789012345678901234567890}'),
        (b'{"a": "canary", "a": 2}', b'{"a":2}'),
        (b'{"\\u0061": 3}', b'{"a":3}'),
        (b'{"n": {"x": 1, "y": "canary"}, "a": null}', b'{"n":{"x":1},"a":null}'),
        (b'{"n.x": 1, "n": {"y": "canary"}}', b'{"n.x":1}'),
        (b'{"n.x": "canary", "n": {"x": 2}}', b'{"n":{"x":2}}'),
        (b'{"a": {"canary": "canary"}, "n": 7}', b"{}"),
        (b'{"a": [1, {"z": 2}]}', b'{"a":[1, {"z": 2}]}'),
    ],
)
def test_the_published_fields_are_left_as_they_stood(value: bytes, left: bytes) -> None:
    assert masked(value, "a", "n.x") == left


def test_the_envelope_around_a_row_is_left_out() -> None:
    event = b'{"op": "canary", "payload": {"before": {"a": "canary"}, "after": {"a": 1, "b": "canary"}}}'
    assert masked(event, "a", row_path="payload.after") == b'{"a":1}'
    assert masked(b'{"payload": {"after": null}}', "a", row_path="payload.after") is Reason.TOMBSTONE
    assert masked(b'{"payload": {"a": 1}}', "a", row_path="payload.after") is Reason.NOT_OBJECT


def test_hidden_fields_have_the_constant_and_names_of_the_configuration() -> None:
    hidden: dict[str, Any] = {"hidden": ("a", "b", "n.y"), "constant": "*"}
    assert masked(b'{"a": 1, "b": 2, "canary": 3}', "a", **hidden) == b'{"a":1,"b":"*","n":{"y":"*"}}'
    # A hidden field gives way to a published one in its place.
    assert masked(b'{"n": 5}', "n", **hidden) == b'{"n":5,"a":"*","b":"*"}'
    assert masked(b'{"n": {"x": 5}}', "n.x", hidden=("n", "n.x")) == b'{"n":{"x":5}}'


@pytest.mark.parametrize("value", [b"{", b"[1]", b"", b"\xff", b"7", b'{"b": "\xff", "a": 1}', b'{"b": 1e999, "a": 1}'])
def test_a_record_that_is_bad_anywhere_has_no_published_part(value: bytes) -> None:
    assert isinstance(masked(value, "a"), Reason)


def test_limits_are_those_of_the_format() -> None:
    small = Masking(Format(max_bytes=20), frozenset({"a"}))
    assert small.apply(b'{"a": 1}') == b'{"a":1}'
    assert small.apply(b'{"a": 1, "b": "' + b"x" * 20 + b'"}') is Reason.TOO_LARGE


def test_a_line_keeps_its_published_fields() -> None:
    line = Format(kind="csv", columns=("a", "b", "c"), delimiter=";")
    removed = Masking(line, frozenset({"a", "c"}))
    assert removed.apply(b"1;canary;3\r\n") == b"1;3"
    assert removed.apply(b'"x;y";canary;"two\nlines"') == b'"x;y";"two\nlines"'
    assert removed.apply(b"1;2") is Reason.RAGGED
    for constant, text in ((None, b"1;;3"), ("*", b"1;*;3"), (0, b"1;0;3"), (False, b"1;false;3")):
        assert Masking(line, frozenset({"a", "c"}), ("a", "b", "c"), constant).apply(b"1;canary;3") == text


NAMES = st.sampled_from(["a", "b", "c", "a.b", "b.c", CANARY])
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | NUMBERS | st.text(max_size=5) | st.just(CANARY),
    lambda inner: st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, max_size=5), st.sets(st.sampled_from(["a", "b", "a.b", "b.c", "a.b.c", "c"])))
def test_whatever_the_record_only_published_columns_come_through(record: dict[str, Any], columns: set[str]) -> None:
    """By the flat reading that samples and verdicts use, the copy is the record restricted to the columns."""
    value = json.dumps(record).encode()
    flat = Format().read(value)
    left = masked(value, *columns)
    assert isinstance(left, bytes)
    assert Format().read(left) == {name: cell for name, cell in flat.items() if name in columns}
    if all(flat.get(name) != CANARY for name in columns):
        assert CANARY.encode() not in left


@given(st.lists(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])), min_size=3, max_size=3))
def test_whatever_the_line_only_published_fields_come_through(cells: list[str]) -> None:
    line = Format(kind="csv", columns=("a", "b", "c"))
    value = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells).encode()
    read = line.read(value)
    left = Masking(line, frozenset({"a", "c"})).apply(value)
    if isinstance(read, Reason):
        assert left is read
        return
    assert isinstance(left, bytes)
    assert next(csv.reader(io.StringIO(left.decode(), newline=""))) == [read[0], read[2]]
