"""Tables in memory: data frames, arrays, columns and mappings give the same rows."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow
import pytest

from streamqid.errors import TableError
from streamqid.records import ABSENT, Reason, Reject
from streamqid.sources import from_object
from streamqid.sources.batches import BATCH_ROWS

if TYPE_CHECKING:
    from tests.unit.sources.conftest import Read

COLUMNS: dict[str, list[Any]] = {"id": [1, 2, 3], "name": ["x", "é", ""], "share": [0.5, 1.0, -2.0]}
RECORDS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]
DTYPE = [("id", "i8"), ("name", "U8"), ("share", "f8")]


class OwnFrame(pd.DataFrame):  # type: ignore[misc] # pandas comes without types
    """A data frame of a library on top of pandas."""


@pytest.mark.parametrize(
    "data",
    [
        RECORDS,
        tuple(RECORDS),
        [OrderedDict(record) for record in RECORDS],
        COLUMNS,
        {name: np.array(column) for name, column in COLUMNS.items()},
        {name: pd.Series(column, index=[7, 8, 9]) for name, column in COLUMNS.items()},
        {name: pd.Index(column) for name, column in COLUMNS.items()},
        {name: pd.array(column) for name, column in COLUMNS.items()},
        {name: pl.Series(column) for name, column in COLUMNS.items()},
        {name: pyarrow.array(column) for name, column in COLUMNS.items()},
        np.array([tuple(record.values()) for record in RECORDS], dtype=DTYPE),
        np.rec.array([tuple(record.values()) for record in RECORDS], dtype=DTYPE),
        pd.DataFrame(COLUMNS, index=[5, 5, 6]),
        OwnFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pyarrow.table(COLUMNS),
        pyarrow.RecordBatch.from_pydict(COLUMNS),
    ],
    ids=lambda data: type(data).__name__,
)
@pytest.mark.parametrize("step", [1, 2])
def test_every_kind_of_table_gives_the_same_rows(read: Read, data: object, step: int) -> None:
    table = read(from_object(data), lambda offset: offset % step == 0)
    assert table.count == 3
    assert table.columns in ((), tuple(COLUMNS))
    assert table.rows == {at: RECORDS[at] for at in range(0, 3, step)}
    kinds = [{name: type(value) for name, value in row.items()} for row in table.rows.values()]
    assert all(kind == {"id": int, "name": str, "share": float} for kind in kinds)


def test_generators_are_gone_through_once_in_batches(read: Read) -> None:
    size = BATCH_ROWS + 10
    table = read(from_object({"a": at} for at in range(size)), lambda offset: offset >= size - 2)
    assert table.count == size
    assert table.rows == {size - 2: {"a": size - 2}, size - 1: {"a": size - 1}}


def test_long_columns_come_in_batches(read: Read) -> None:
    size = BATCH_ROWS + 10
    table = read(from_object({"a": range(size)}), lambda offset: offset % BATCH_ROWS == 1)
    assert table.count == size
    assert table.rows == {1: {"a": 1}, BATCH_ROWS + 1: {"a": BATCH_ROWS + 1}}


def test_two_dimensional_arrays_number_their_columns(read: Read) -> None:
    source = from_object(np.array([[1, 2], [3, 4]]))
    assert source.columns == ("c0", "c1")
    assert read(source).rows == {0: {"c0": 1, "c1": 2}, 1: {"c0": 3, "c1": 4}}


def test_nested_fields_become_paths(read: Read) -> None:
    expected = {0: {"a.b": 1, "a.c": "x", "d": 5}}
    record = {"a": {"b": 1, "c": "x"}, "d": 5}
    inner = np.dtype([("b", "i8"), ("c", "U4")])
    tables: list[object] = [
        [record],
        {"a": [record["a"]], "d": [5]},
        pd.DataFrame([record]),
        pl.DataFrame([record]),
        pyarrow.Table.from_pylist([record]),
        np.array([((1, "x"), 5)], dtype=[("a", inner), ("d", "i8")]),
    ]
    for table in tables:
        assert read(from_object(table)).rows == expected


def test_records_may_differ_in_their_fields(read: Read) -> None:
    table = read(from_object([{"a": 1}, {"b": None, 3: 4}]))
    assert table.rows == {0: {"a": 1, "b": ABSENT, "3": ABSENT}, 1: {"a": ABSENT, "b": None, "3": 4}}


def test_what_is_no_mapping_or_too_deep_is_a_reject(read: Read) -> None:
    endless: dict[str, object] = {}
    endless["self"] = endless
    circle: list[object] = []
    circle.append(circle)
    table = read(from_object([{"a": 1}, (1, 2), endless, {"a": circle}, {"a": 2}]))
    assert table.rows == {0: {"a": 1}, 4: {"a": 2}}
    assert table.rejects == [
        Reject(1, Reason.NOT_OBJECT, 2),
        Reject(2, Reason.TOO_DEEP, 3),
        Reject(3, Reason.TOO_DEEP, 4),
    ]


def test_missing_values_of_pandas_are_null(read: Read) -> None:
    frame = pd.DataFrame(
        {
            "float": [1.5, None],
            "nullable": pd.array([1, None], "Int64"),
            "text": ["x", None],
            "moment": pd.to_datetime(["2024-01-01", None]),
            "category": pd.Categorical(["k", None]),
        }
    )
    rows = read(from_object(frame)).rows
    assert rows[0] == {
        "float": 1.5,
        "nullable": 1,
        "text": "x",
        "moment": datetime.datetime(2024, 1, 1),  # noqa: DTZ001 - the column has no zone
        "category": "k",
    }
    assert type(rows[0]["moment"]) is datetime.datetime
    assert type(rows[0]["nullable"]) is int
    assert rows[1] == dict.fromkeys(rows[0])


def test_values_of_numpy_and_pandas_in_mappings_become_plain(read: Read) -> None:
    record = {
        "int": np.int32(5),
        "text": np.str_("x"),
        "moment": pd.Timestamp("2024-01-01 00:00:00.000001"),
        "fine": pd.Timestamp("1970-01-01 00:00:00.000000001"),
        "span": pd.Timedelta(microseconds=3),
        "fine span": pd.Timedelta(3, "ns"),
        "missing": pd.NA,
        "never": pd.NaT,
        "month": pd.Period("2024-01"),
    }
    row = read(from_object([record])).rows[0]
    assert row == {
        "int": 5,
        "text": "x",
        "moment": datetime.datetime(2024, 1, 1, 0, 0, 0, 1),  # noqa: DTZ001
        "fine": 1,
        "span": datetime.timedelta(microseconds=3),
        "fine span": 3,
        "missing": None,
        "never": None,
        "month": "2024-01",
    }
    assert all(type(value).__module__ in ("builtins", "datetime") for value in row.values())


def test_nanoseconds_of_polars_are_not_lost(read: Read) -> None:
    counts = pl.Series([1_000, 1_001, None])
    frame = pl.DataFrame(
        {"moment": counts.cast(pl.Datetime("ns")), "span": counts.cast(pl.Duration("ns")), "time": counts.cast(pl.Time)}
    )
    rows = read(from_object(frame)).rows
    assert rows[0]["time"] == datetime.time(0, 0, 0, 1)
    assert rows[0]["span"] == datetime.timedelta(microseconds=1)
    assert rows[1] == {"moment": 1_001, "span": 1_001, "time": 1_001}
    assert rows[2] == dict.fromkeys(rows[0])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("t.csv", "give the path"),
        (b"a,b", "give the path"),
        (5, "An object of type int is not a table"),
        (None, "An object of type NoneType is not a table"),
        (np.arange(3), "array of 1 dimensions"),
        (np.zeros((2, 2, 2)), "array of 3 dimensions"),
        (pd.Series([1, 2]), "A pandas Series is not a table"),
        (pl.Series([1, 2]), "A polars Series is not a table"),
        (pl.LazyFrame({"a": [1]}), r"call its collect\(\)"),
        (pyarrow.array([1]), "is not a table"),
        ({"a": [1, 2], "b": [1]}, "differ in length"),
        ({"a": 1}, "Column a is no sequence"),
        ({"a": "text"}, "Column a is no sequence"),
        ({"": [1]}, "Column 1 of the given columns has no name"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one column named a"),
    ],
)
def test_what_is_no_table_is_refused(data: object, message: str) -> None:
    with pytest.raises(TableError, match=message):
        from_object(data)


@pytest.mark.parametrize("data", [[], {}, {"a": []}, pd.DataFrame({"a": []}), pl.DataFrame(), np.zeros((0, 2))])
def test_tables_without_rows_are_read(read: Read, data: object) -> None:
    assert read(from_object(data)).count == 0


def test_no_library_of_data_frames_is_imported() -> None:
    program = (
        "import sys; from streamqid.sources import from_object; next(from_object([{'a': 1}]).batches());"
        "sys.exit(bool({'pandas', 'polars', 'pyarrow'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_texts_of_pandas_are_not_looked_through_for_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> Any:
        raise AssertionError("looked at every value")

    frame = pd.DataFrame({"a": ["x", "y"]}, dtype="str")
    monkeypatch.setattr(pd.Series, "__iter__", refuse)
    assert from_object(frame).columns == ("a",)
    with pytest.raises(AssertionError):
        from_object(frame.astype(object))
