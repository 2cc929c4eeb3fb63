"""Delimited text: the same rows as csv.reader, at any block size, and every kind of bad input."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from streamqid.errors import TableError
from streamqid.records import Reason, Reject
from streamqid.sources import blocks, quotes
from streamqid.sources.delimited import DelimitedSource
from streamqid.sources.streams import ByteSource

if TYPE_CHECKING:
    from tests.unit.sources.conftest import Read, ReadTable

QUOTINGS = [csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, csv.QUOTE_NONE]
FIELDS = st.text(st.sampled_from('ab1 ",;\t|\n\ré€😀\ufeff\x85\u2028'), max_size=8)
BLOCK_SIZES = st.one_of(st.integers(1, 20), st.sampled_from([64, 100, 1000]))


def source_of(data: bytes | str, delimiter: str | None = ",", block_bytes: int = 4096) -> DelimitedSource:
    raw = data.encode() if isinstance(data, str) else data
    return DelimitedSource(ByteSource(io.BytesIO(raw), "t.csv", len(raw)), delimiter, block_bytes)


def reference(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    """Rows as csv.reader sees them, each with the line on which it starts; no blank ones at the end."""
    reader = csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter)
    rows = []
    line = 1
    for fields in reader:
        rows.append((line, fields))
        line = reader.line_num + 1
    while rows and not rows[-1][1]:
        rows.pop()
    return rows


@st.composite
def written_tables(draw: st.DrawFn) -> tuple[str, str, int]:
    """Text of a table as csv.writer writes it, with rows that have a field too many; delimiter; columns."""
    width = draw(st.integers(1, 4))
    delimiter = draw(st.sampled_from(",;\t|"))
    terminator = draw(st.sampled_from(["\r\n", "\n"]))
    row = st.lists(FIELDS, min_size=width, max_size=width + draw(st.integers(0, 1)))
    rows = draw(st.lists(row, max_size=12))
    if terminator == "\n":  # Before Python 3.13 the writer leaves a lone CR without quotes then.
        rows = [[value.replace("\r", "\r\n") for value in fields] for fields in rows]
    target = io.StringIO()
    writer = csv.writer(target, delimiter=delimiter, lineterminator=terminator, quoting=draw(st.sampled_from(QUOTINGS)))
    try:
        writer.writerow([f"c{at}" for at in range(width)])
        writer.writerows(rows)
    except csv.Error:  # Without quotes not everything can be written.
        assume(False)
    text = target.getvalue()
    return text if draw(st.booleans()) else text.removesuffix(terminator), delimiter, width


@given(written_tables(), BLOCK_SIZES, st.integers(1, 5), st.integers(0, 4))
def test_any_rows_equal_those_of_csv_reader(
    read: Read, written: tuple[str, str, int], block_bytes: int, step: int, phase: int
) -> None:
    text, delimiter, width = written
    expected = reference(text, delimiter)[1:]
    source = source_of(text, delimiter, block_bytes)
    table = read(source, lambda offset: offset % step == phase % step)
    asked = [(at, *row) for at, row in enumerate(expected) if at % step == phase % step]
    assert table.count == len(expected)
    assert {at: list(row.values()) for at, row in table.rows.items()} == {
        at: fields for at, _, fields in asked if len(fields) == width
    }
    assert table.rejects == [Reject(at, Reason.RAGGED, line) for at, line, fields in asked if len(fields) != width]
    assert table.nbytes == (len(text.encode()) if expected else 0)


def outcome(read: Read, source: DelimitedSource) -> ReadTable | str:
    try:
        return read(source)
    except TableError as error:
        return str(error)


@given(st.text(st.sampled_from('a,"\n\r'), max_size=40), BLOCK_SIZES)
def test_careless_quotes_are_read_as_csv_reader_reads_them(read: Read, text: str, block_bytes: int) -> None:
    text = "h,i\n" + re.sub(r"\r(?!\n)", "", text)
    expected = reference(text, ",")[1:]
    table = outcome(read, source_of(text, ",", block_bytes))
    if isinstance(table, str):
        line, fields = expected[-1]
        assert table.startswith(f"A quote in the record that starts in line {line} of t.csv is never closed")
        assert "\n" in "".join(fields)
        return
    got: dict[int, object] = {at: list(row.values()) for at, row in table.rows.items()}
    got |= {reject.offset: (reject.line, reject.reason) for reject in table.rejects}
    assert table.count == len(expected)
    assert got == {
        at: fields if len(fields) == 2 else (line, Reason.RAGGED if fields else Reason.BLANK)
        for at, (line, fields) in enumerate(expected)
    }


@given(st.text(st.sampled_from('a,"\n\r'), max_size=40), BLOCK_SIZES)
def test_rows_do_not_depend_on_the_size_of_blocks(read: Read, text: str, block_bytes: int) -> None:
    # The quote in the first row sends a large block, but not the small ones, to the slow splitter.
    data = 'h,i\n5" disk,1\n' + text
    assert outcome(read, source_of(data, ",", block_bytes)) == outcome(read, source_of(data, ",", 1 << 16))


def test_well_placed_quotes_need_no_slow_splitter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quotes, "_exact_ends", None)
    records = quotes.index_records(b'"a ""b\n""",c\nd,""\n"""e""",\n', True, ",")
    assert records.spans(np.arange(3)) == [(0, 13), (13, 18), (18, 27)]


def test_lines_in_large_blocks_are_found_at_any_density(read: Read) -> None:
    lines = [f"{at},{'x' * (at % 97)}" for at in range(20_000)]
    data = "id,x\n" + "\n".join(lines)
    for step in (1, 2, 3, 50, 999, 19_999):
        table = read(source_of(data, block_bytes=1 << 22), range(0, 20_000, step).__contains__)
        assert table.count == 20_000
        assert {at: ",".join(map(str, row.values())) for at, row in table.rows.items()} == {
            at: lines[at] for at in range(0, 20_000, step)
        }


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("block_bytes", [3, 4096])
def test_blank_lines_are_rejects_but_not_at_the_end(read: Read, newline: str, block_bytes: int) -> None:
    data = newline.join(["a,b", "1,2", "", "", "3,4", "", "", ""])
    table = read(source_of(data, block_bytes=block_bytes))
    assert table.count == 4
    assert list(table.rows) == [0, 3]
    assert table.rejects == [Reject(1, Reason.BLANK, 3), Reject(2, Reason.BLANK, 4)]


@pytest.mark.parametrize("block_bytes", [5, 4096])
@pytest.mark.parametrize("step", [1, 2])
def test_one_bad_row_does_not_harm_its_neighbours(read: Read, block_bytes: int, step: int) -> None:
    data = b'a,b\n0,"x\ny"\n1\n2,v\xff\n3,\0\n4,1,2\n5,x\ry\n6,last'
    table = read(source_of(data, block_bytes=block_bytes), lambda offset: offset % step == 0)
    reasons = [Reason.RAGGED, Reason.ENCODING, Reason.NUL, Reason.RAGGED, Reason.RAGGED]
    rejects = [Reject(at, reason, at + 3) for at, reason in enumerate(reasons, start=1)]
    assert table.rejects == [reject for reject in rejects if reject.offset % step == 0]
    assert table.rows == {0: {"a": "0", "b": "x\ny"}, 6: {"a": "6", "b": "last"}}
    assert table.count == 7


@pytest.mark.parametrize(
    ("header", "delimiter"),
    [("a,b", ","), ("a;b", ";"), ("a\tb", "\t"), ("a|b", "|"), ('"a;;;",b', ","), ("a", ","), ("a;b,c;d", ";")],
)
def test_delimiter_is_the_most_frequent_of_the_header(header: str, delimiter: str) -> None:
    expected = tuple(next(csv.reader([header], delimiter=delimiter)))
    assert source_of(header + "\n;;;;\n", None).columns == expected


@pytest.mark.parametrize("block_bytes", [1, 8, 4096])
def test_delimiter_is_not_looked_for_in_quotes_that_are_cut(block_bytes: int) -> None:
    assert source_of('x,"a;;;\nb",c\n', None, block_bytes).columns == ("x", "a;;;\nb", "c")


def test_given_delimiter_counts(read: Read) -> None:
    assert read(source_of("a:b,c\n1:2\n", ":")).rows == {0: {"a": "1", "b,c": "2"}}


def test_header_may_hold_quotes_and_line_breaks(read: Read) -> None:
    table = read(source_of('\ufeffa,"b\r\n""c"""\r\n1\r\n'))
    assert table.columns == ("a", 'b\r\n"c"')
    assert table.rejects == [Reject(0, Reason.RAGGED, 3)]


@pytest.mark.parametrize("block_bytes", [1, 2, 5, 4096])
def test_byte_order_mark_is_taken_off(block_bytes: int) -> None:
    assert source_of("\ufeff\ufeffa,b\n", block_bytes=block_bytes).columns == ("\ufeffa", "b")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"\r\n\n\n", "is empty"),
        (b"\na,b\n1,2\n", "first line of t.csv is blank"),
        ("a,b\n1,2\n".encode("utf-16"), "looks like UTF-16"),
        ("a,b\n1,2\n".encode("utf-16-be"), "looks like UTF-16"),
        (b"\xfe\xff" + "a,b\n".encode("utf-16-be"), "looks like UTF-16"),
        ("a,b\n1,2\n".encode("utf-32"), "looks like UTF-16 or UTF-32"),
        (b"\0\0\xfe\xff" + "a,b\n".encode("utf-32-be"), "looks like UTF-16 or UTF-32"),
        ("é,b\n1,2\n".encode("latin-1"), "first line of t.csv is not valid UTF-8"),
        (b"a,b\r1,2\r", "lines that end in CR only"),
        (b"a,,c\n", "Column 2 of t.csv has no name"),
        (b"a, ,c\n", "Column 2 of t.csv has no name"),
        (b"a,b,a,c,b\n", "more than one column named a, b"),
        (b'a,"b\nc\nd', "quote in the first line of t.csv is never closed"),
    ],
)
@pytest.mark.parametrize("block_bytes", [7, 4096])
def test_bad_headers_are_refused(data: bytes, message: str, block_bytes: int) -> None:
    with pytest.raises(TableError, match=message):
        source_of(data, block_bytes=block_bytes)


@pytest.mark.parametrize("data", ["a,b", "a,b\n", "a,b\r\n\r\n"])
def test_header_alone_is_a_table_without_rows(read: Read, data: str) -> None:
    table = read(source_of(data))
    assert table.columns == ("a", "b")
    assert table.count == 0


def test_fields_longer_than_a_block_are_read(read: Read) -> None:
    long = "x" * 10_000_000
    data = f'a,b\n1,{long}\n2,"{long}\n{long}"\n3,4\n'
    rows = read(source_of(data, block_bytes=1 << 20)).rows
    assert rows[0]["b"] == long
    assert rows[1]["b"] == f"{long}\n{long}"
    assert rows[2] == {"a": "3", "b": "4"}


@pytest.mark.parametrize("field", ["x" * 5000, '"' + "x\n" * 2500])
def test_endless_record_is_refused_with_its_line(read: Read, monkeypatch: pytest.MonkeyPatch, field: str) -> None:
    monkeypatch.setattr(blocks, "RECORD_BYTES", 1000)
    with pytest.raises(TableError, match=r"record that starts in line 3 of t\.csv is longer than"):
        read(source_of(f"a,b\n1,2\n3,{field}", block_bytes=64))


@pytest.mark.parametrize("block_bytes", [4, 4096])
def test_quote_that_swallows_lines_up_to_the_end_is_refused(read: Read, block_bytes: int) -> None:
    with pytest.raises(TableError, match=r"line 3 of t\.csv is never closed"):
        read(source_of('a,b\n1,2\n3,"4\n5,6\n7,8\n', block_bytes=block_bytes))


def test_quote_that_the_end_of_the_file_closes_is_accepted(read: Read) -> None:
    assert read(source_of('a,b\n1,"2')).rows == {0: {"a": "1", "b": "2"}}


def test_offsets_outside_the_batch_come_back_as_nothing() -> None:
    batch = next(source_of("a\n1\n2\n3\n").batches())
    rows = batch.decode(np.array([-1, 1, 3, 99]))
    assert rows.offsets.tolist() == [1]
    assert rows.values == [["2"]]
    assert rows.rejects == []


def test_batch_stays_readable_after_later_ones_were_taken() -> None:
    batches = list(source_of("a\n" + "\n".join(map(str, range(1000))), block_bytes=100).batches())
    assert len(batches) > 10
    assert batches[0].decode(np.array([1])).values == [["1"]]
    assert batches[-1].decode(np.array([999])).values == [["999"]]
