from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.broker.formats import Format
from streamqid.errors import ConfigError
from streamqid.records import ABSENT, Reason

CSV = Format("csv", columns=("a", "b", "c"))


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (b'{"a": 1, "b": {"c": null}}', {"a": 1, "b.c": None}),
        (b'{"id": 123456789012345678901234567890}', {"id": 123456789012345678901234567890}),
        (b'{"id": -9223372036854775809}', {"id": -9223372036854775809}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (None, Reason.TOMBSTONE),
        (b"null", Reason.TOMBSTONE),
        (b"", Reason.BLANK),
        (b"{", Reason.NOT_JSON),
        (b'{"a": NaN}', Reason.NOT_JSON),
        (b'{"a": "\\ud800"}', Reason.NOT_JSON),
        (b'{"a": "\xff"}', Reason.ENCODING),
        (b"[1]", Reason.NOT_OBJECT),
        (b"7", Reason.NOT_OBJECT),
        (b"[" * 100_000, Reason.TOO_DEEP),
        (b'{"a":' * 33 + b"1" + b"}" * 33, Reason.TOO_DEEP),
        (b'{"a": "' + b"x" * (1 << 20) + b'"}', Reason.TOO_LARGE),
        (b"{" + b",".join(b'"c%d":1' % n for n in range(1001)) + b"}", Reason.TOO_WIDE),
    ],
)
def test_json_values_are_rows_or_have_a_reason(value: bytes | None, row: object) -> None:
    assert Format().read(value) == row


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (b'{"payload": {"after": {"id": 1}}}', {"id": 1}),
        (b'{"payload": {"after": null}}', Reason.TOMBSTONE),
        (b'{"payload": null}', Reason.TOMBSTONE),
        (b'{"payload": {}}', Reason.NOT_OBJECT),
        (b'{"payload": 5}', Reason.NOT_OBJECT),
        (b"[]", Reason.NOT_OBJECT),
        (b"{", Reason.NOT_JSON),
    ],
)
def test_the_row_may_stand_inside_the_value(value: bytes, row: object) -> None:
    assert Format(row_path="payload.after").read(value) == row


def test_a_smaller_depth_counts_arrays_and_objects() -> None:
    shallow = Format(max_depth=2)
    assert shallow.read(b'{"a": [1], "b": {"c": 1}}') == {"a": [1], "b.c": 1}
    assert shallow.read(b'{"a": [[1]]}') is Reason.TOO_DEEP
    assert shallow.read(b'{"a": {"b": {}}}') is Reason.TOO_DEEP


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (b"1,x,", ["1", "x", ""]),
        (b"1,x,y\r\n", ["1", "x", "y"]),
        (b'1,"a\nb,c",2', ["1", "a\nb,c", "2"]),
        ("1,a\u2028b\u0085c\x0b,2".encode(), ["1", "a\u2028b\u0085c\x0b", "2"]),
        (b"1,2", Reason.RAGGED),
        (b"1,2,3\n4,5,6", Reason.RAGGED),
        (b"\n", Reason.BLANK),
        (b"a,\xff,b", Reason.ENCODING),
        (b"a,\0,b", Reason.NUL),
        (None, Reason.TOMBSTONE),
    ],
)
def test_delimited_values_are_rows_or_have_a_reason(value: bytes | None, row: object) -> None:
    assert CSV.read(value) == row


def test_rows_become_columns() -> None:
    assert Format().tabulate([{"a": 1}, {"b": 2}]) == (("a", "b"), [[1, ABSENT], [ABSENT, 2]])
    assert CSV.tabulate([["1", "2", "3"]]) == (("a", "b", "c"), [["1"], ["2"], ["3"]])
    assert CSV.tabulate([]) == (("a", "b", "c"), [[], [], []])


@given(value=st.binary(max_size=200), path=st.sampled_from(["", "a", "a.b"]))
def test_no_value_raises(value: bytes, path: str) -> None:
    Format(row_path=path).read(value)
    CSV.read(value)


@pytest.mark.parametrize(
    "wrong",
    [{"kind": "csv"}, {"kind": "csv", "columns": ("a",), "row_path": "b"}, {"columns": ("a",)}, {"max_depth": 33}],
)
def test_formats_that_cannot_be_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        Format(**wrong)  # type: ignore[arg-type]
