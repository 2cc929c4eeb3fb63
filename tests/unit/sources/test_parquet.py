"""Parquet files: values as Python values, structs as paths, and files that are none."""

from __future__ import annotations

import datetime
import decimal
import gzip
import sys
from typing import TYPE_CHECKING, Any

import pyarrow
import pytest
from pyarrow import parquet

from streamqid.errors import TableError
from streamqid.records import Reason, Reject
from streamqid.sources import from_object, open_table

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.sources.conftest import Read

MOMENT = datetime.datetime(2024, 2, 29, 12, 30, 15, 123456, tzinfo=datetime.UTC)


def write(path: Path, table: Any, **options: Any) -> Path:
    parquet.write_table(table, path, **options)
    return path


def test_rows_are_read_in_batches_and_only_as_asked(read: Read, tmp_path: Path) -> None:
    table = pyarrow.table({"id": range(150_000), "name": [f"n{at}" for at in range(150_000)]})
    source = open_table(write(tmp_path / "t.parquet", table, row_group_size=70_000))
    assert source.columns == ("id", "name")
    got = read(source, lambda offset: offset % 49_999 == 0)
    assert got.count == 150_000
    assert got.rows == {at: {"id": at, "name": f"n{at}"} for at in (0, 49_999, 99_998, 149_997)}
    assert got.nbytes == source.total_bytes == (tmp_path / "t.parquet").stat().st_size


def test_values_come_as_python_values(read: Read, tmp_path: Path) -> None:
    row = {
        "text": "é",
        "int": 2**63 - 1,
        "float": 1.5,
        "bool": True,
        "null": None,
        "bytes": b"\xff\0",
        "moment": MOMENT,
        "date": datetime.date(2024, 2, 29),
        "decimal": decimal.Decimal("12.30"),
        "list": [1, None],
    }
    got = read(open_table(write(tmp_path / "t.parquet", pyarrow.Table.from_pylist([row]))))
    assert got.rows == {0: row}
    assert {name: type(value) for name, value in got.rows[0].items()} == {
        name: type(value) for name, value in row.items()
    }


def test_structs_become_paths(read: Read, tmp_path: Path) -> None:
    rows = [{"a": {"b": 1, "c": {"d": "x"}}, "e": 1}, {"a": None, "e": 2}]
    source = open_table(write(tmp_path / "t.parquet", pyarrow.Table.from_pylist(rows)))
    assert source.columns == ("a.b", "a.c.d", "e")
    assert read(source).rows == {
        0: {"a.b": 1, "a.c.d": "x", "e": 1},
        1: {"a.b": None, "a.c.d": None, "e": 2},
    }


def test_moments_finer_or_farther_than_python_has_come_as_counts(read: Read) -> None:
    in_ns = pyarrow.array([1_000, 1_001, None], pyarrow.int64())
    far = pyarrow.array([0, 2**60, None], pyarrow.int64())
    table = pyarrow.table(
        {
            "moment": in_ns.cast(pyarrow.timestamp("ns")),
            "span": in_ns.cast(pyarrow.duration("ns")),
            "time": in_ns.cast(pyarrow.time64("ns")),
            "far": far.cast(pyarrow.timestamp("us")),
        }
    )
    rows = read(from_object(table)).rows
    assert rows[0] == {
        "moment": datetime.datetime(1970, 1, 1, 0, 0, 0, 1),  # noqa: DTZ001 - the column has no zone
        "span": datetime.timedelta(microseconds=1),
        "time": datetime.time(0, 0, 0, 1),
        "far": datetime.datetime(1970, 1, 1),  # noqa: DTZ001
    }
    assert rows[1] == {"moment": 1_001, "span": 1_001, "time": 1_001, "far": 2**60}
    assert rows[2] == dict.fromkeys(rows[0])
    assert type(rows[0]["moment"]) is datetime.datetime


def test_text_that_is_not_utf8_is_a_reject(read: Read, tmp_path: Path) -> None:
    column = pyarrow.array([b"x", b"\xff", b"y"]).view(pyarrow.string())
    table = pyarrow.table({"a": column, "b": [1, 2, 3]})
    got = read(open_table(write(tmp_path / "t.parquet", table)))
    assert got.rows == {0: {"a": "x", "b": 1}, 2: {"a": "y", "b": 3}}
    assert got.rejects == [Reject(1, Reason.ENCODING, 2)]


def test_compressed_file_is_read(read: Read, tmp_path: Path) -> None:
    inner = write(tmp_path / "t.parquet", pyarrow.table({"a": [1, 2]}))
    path = tmp_path / "t.parquet.gz"
    path.write_bytes(gzip.compress(inner.read_bytes()))
    assert read(open_table(path)).rows == {0: {"a": 1}, 1: {"a": 2}}


def test_table_without_rows_is_read(read: Read, tmp_path: Path) -> None:
    table = pyarrow.table({"a": pyarrow.array([], pyarrow.string())})
    got = read(open_table(write(tmp_path / "t.parquet", table)))
    assert got.columns == ("a",)
    assert got.count == 0


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pyarrow.table([[1], [2]], names=["a", "a"])
    with pytest.raises(TableError, match="more than one column named a"):
        open_table(write(tmp_path / "t.parquet", table))


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises(TableError, match="is not a Parquet file"):
        open_table(path)


def test_damaged_file_is_refused(read: Read, tmp_path: Path) -> None:
    path = write(tmp_path / "t.parquet", pyarrow.table({"a": [f"v{at}" for at in range(10_000)]}))
    whole = path.read_bytes()
    path.write_bytes(whole[:-100])
    with pytest.raises(TableError, match="is damaged"):
        open_table(path)
    path.write_bytes(whole[:4] + b"\xff" * 2000 + whole[2004:])
    with pytest.raises(TableError, match="is damaged"):
        read(open_table(path))


def test_absence_of_pyarrow_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "t.parquet", pyarrow.table({"a": [1]}))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(TableError, match=r"needs pyarrow: pip install 'streamqid\[parquet\]'\."):
        open_table(path)
