"""JSON lines and JSON arrays: flat fields, exact numbers, and every kind of bad record."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamqid.errors import TableError
from streamqid.records import ABSENT, Reason, Reject
from streamqid.sources import blocks, open_table
from streamqid.sources.batches import FREE_ROWS
from streamqid.sources.jsonlines import JsonArraySource, JsonLinesSource
from streamqid.sources.streams import ByteSource

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.sources.conftest import Read

LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=5),
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=4)
KEYS = st.text(st.sampled_from("abcé \"\\.'"), max_size=3)
RECORDS = st.dictionaries(
    KEYS, st.recursive(VALUES, lambda inner: st.dictionaries(KEYS, inner, max_size=3), max_leaves=5), max_size=4
)


def lines_of(data: bytes, block_bytes: int = 4096) -> JsonLinesSource:
    return JsonLinesSource(ByteSource(io.BytesIO(data), "t.jsonl", len(data)), block_bytes)


def array_of(data: bytes) -> JsonArraySource:
    return JsonArraySource(ByteSource(io.BytesIO(data), "t.json", len(data)))


def leaves(record: dict[str, Any], prefix: str = "") -> list[tuple[str, object]]:
    found: list[tuple[str, object]] = []
    for key, value in record.items():
        found += leaves(value, f"{prefix}{key}.") if isinstance(value, dict) else [(prefix + key, value)]
    return found


def without_absent(row: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in row.items() if value is not ABSENT}


@given(
    st.lists(RECORDS, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
    st.one_of(st.integers(1, 30), st.just(4096)),
    st.integers(1, 4),
)
def test_any_rows_equal_the_leaves_of_the_objects(
    read: Read, records: list[dict[str, Any]], newline: str, as_ascii: bool, block_bytes: int, step: int
) -> None:
    texts = [json.dumps(record, ensure_ascii=as_ascii) for record in records]
    table = read(lines_of(newline.join(texts).encode(), block_bytes), lambda offset: offset % step == 0)
    assert table.count == len(records)
    assert table.rejects == []
    assert repr({at: without_absent(row).items() for at, row in sorted(table.rows.items())}) == repr(
        {at: dict(sorted_like(table.rows[at], records[at])).items() for at in range(0, len(records), step)}
    )
    array = read(array_of(("[" + ",".join(texts) + "]").encode()))
    assert {at: array.rows[at] for at in table.rows}.keys() == table.rows.keys()
    assert all(without_absent(array.rows[at]) == without_absent(row) for at, row in table.rows.items())


def sorted_like(row: dict[str, object], record: dict[str, Any]) -> list[tuple[str, object]]:
    """Leaves of a record, in the order of the columns of a row; repr tells 1 from 1.0 and True."""
    flat = dict(leaves(record))
    return [(name, flat[name]) for name in row if name in flat]


def test_columns_come_in_order_of_appearance_and_absent_is_not_null(read: Read) -> None:
    source = lines_of(b'{"a":1,"b":{"c":null}}\n{"d":[1,{"e":2}],"a":"1"}\n')
    assert source.columns == ()
    table = read(source)
    assert table.rows == {
        0: {"a": 1, "b.c": None, "d": ABSENT},
        1: {"a": "1", "b.c": ABSENT, "d": [1, {"e": 2}]},
    }
    assert list(table.rows[1]) == ["a", "b.c", "d"]


@pytest.mark.parametrize(
    ("line", "value"),
    [(b'{"a.b":1,"a":{"b":2}}', 2), (b'{"a":{"b":2},"a.b":1}', 1), (b'{"a.b":1,"a.b":3}', 3)],
)
def test_of_two_fields_with_one_path_the_later_counts(read: Read, line: bytes, value: int) -> None:
    assert read(lines_of(line)).rows == {0: {"a.b": value}}


def nested(depth: int) -> bytes:
    return b'{"a":' * (depth - 1) + b"{}" + b"}" * (depth - 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", Reason.BLANK),
        (b" \t", Reason.BLANK),
        (b"{", Reason.NOT_JSON),
        (b'{"a":NaN}', Reason.NOT_JSON),
        (b'{"a":Infinity}', Reason.NOT_JSON),
        (b'{"a":1}{"a":2}', Reason.NOT_JSON),
        (b"{'a':1}", Reason.NOT_JSON),
        (b'{"a":1,}', Reason.NOT_JSON),
        (b'{"a":"\0"}', Reason.NOT_JSON),
        (b"a,b", Reason.NOT_JSON),
        (b'{"a":' + b"1" * 6000 + b"}", Reason.TOO_LARGE),
        (b'{"a":1e999}', Reason.TOO_LARGE),
        (b"[1]", Reason.NOT_OBJECT),
        (b"null", Reason.NOT_OBJECT),
        (b'"text"', Reason.NOT_OBJECT),
        (b'{"a":"\xff"}', Reason.ENCODING),
        (b'{"\xc3":1}', Reason.ENCODING),
        (nested(33), Reason.TOO_DEEP),
        (b'{"a":' + b"[" * 32 + b"]" * 32 + b"}", Reason.TOO_DEEP),
        (b'{"a":[' * 17 + b"]}" * 17, Reason.TOO_DEEP),
        (nested(100_000), Reason.TOO_DEEP),
        (b'{"a":' + b"[" * 100_000, Reason.TOO_DEEP),
    ],
    ids=lambda case: case[:16] if isinstance(case, bytes) else None,
)
@pytest.mark.parametrize("block_bytes", [5, 1 << 20])
def test_one_bad_line_does_not_harm_its_neighbours(read: Read, line: bytes, reason: Reason, block_bytes: int) -> None:
    table = read(lines_of(b'{"a":1}\r\n' + line + b'\r\n{"a":2}\n\n', block_bytes))
    assert table.count == 3
    assert table.rows == {0: {"a": 1}, 2: {"a": 2}}
    assert table.rejects == [Reject(1, reason, 2)]


@pytest.mark.parametrize("line", [nested(32), b'{"a":' + b"[" * 31 + b"]" * 31 + b"}"])
def test_nesting_of_32_is_accepted(read: Read, line: bytes) -> None:
    table = read(lines_of(line))
    assert list(table.rows) == [0]
    assert table.rejects == []


@pytest.mark.parametrize("block_bytes", [1, 2, 4096])
def test_byte_order_mark_is_taken_off(read: Read, block_bytes: int) -> None:
    assert read(lines_of(b'\xef\xbb\xbf{"a":1}\n', block_bytes)).rows == {0: {"a": 1}}
    assert read(array_of(b'\xef\xbb\xbf[{"a":1}]')).rows == {0: {"a": 1}}


def test_utf16_is_refused(read: Read) -> None:
    with pytest.raises(TableError, match="UTF-16"):
        read(lines_of('{"a":1}\n'.encode("utf-16")))


def test_empty_file_has_no_rows(read: Read) -> None:
    assert read(lines_of(b"")).count == 0
    assert read(lines_of(b"\n\n")).count == 0


def test_endless_line_is_refused(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "RECORD_BYTES", 1000)
    with pytest.raises(TableError, match="starts in line 2 "):
        read(lines_of(b'{"a":1}\n{"a":"' + b"x" * 5000, 64))


def test_array_reads_each_element_by_itself(read: Read) -> None:
    source = array_of(b' [{"a":1}, 2,\n{"a":{"b":123456789012345678901234567890}} , {"a":"\xff"}]\n')
    table = read(source)
    assert table.rows == {
        0: {"a": 1, "a.b": ABSENT},
        2: {"a": ABSENT, "a.b": 123456789012345678901234567890},
    }
    assert table.rejects == [Reject(1, Reason.NOT_OBJECT, 2), Reject(3, Reason.ENCODING, 4)]
    assert table.nbytes == source.total_bytes


@pytest.mark.parametrize("data", [b'[{"a":1}', b'[{"a":1}]x', b"[{]", b"[" * 100_000])
def test_broken_array_is_refused(read: Read, data: bytes) -> None:
    with pytest.raises(TableError, match="not one whole JSON array"):
        read(array_of(data))


def test_rows_of_a_block_come_in_slices_with_their_lines_and_bytes(tmp_path: Path) -> None:
    """A batch must stay small, as each of its rows may have fields of its own."""
    path = tmp_path / "t.jsonl"
    bad = 2 * FREE_ROWS + 7
    path.write_text("".join("[]\n" if i == bad else f'{{"a":{i}}}\n' for i in range(3 * FREE_ROWS + 5)))
    source = open_table(path)
    batches = list(source.batches())
    source.close()
    assert [batch.count for batch in batches] == [FREE_ROWS] * 3 + [5]
    assert sum(batch.nbytes for batch in batches) == path.stat().st_size
    for batch in batches:
        rows = batch.decode(np.arange(batch.start, batch.end))
        assert rows.values[0] == rows.offsets.tolist()
        assert [(reject.offset, reject.line) for reject in rows.rejects] == [(bad, bad + 1)] * (batch is batches[2])
