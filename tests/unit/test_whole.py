import numpy as np
import pytest

from streamqid.errors import TableError, UsageError
from streamqid.whole import read_whole

PEOPLE = [
    {"age": 20, "sex": "F"},
    {"age": 30, "sex": "F", "state": None},
    {"age": 20, "sex": "M", "state": "NY"},
]


def test_every_row_is_there_with_equal_codes_for_equal_values() -> None:
    whole = read_whole(PEOPLE, {"seed": 1})
    assert whole.table.columns == ("age", "sex", "state")
    age, sex, state = whole.table.codes
    assert age[0] == age[2] != age[1]
    assert sex[0] == sex[1] != sex[2]
    assert len(set(state.tolist())) == 3
    assert whole.table.partition([0, 1]).unique_rows == 3
    assert whole.stamp() == {"seed": 1, "unreadable": None}


def test_columns_are_chosen_and_weighted() -> None:
    whole = read_whole(PEOPLE, {"seed": 1, "ignore": ["age"], "weights": {"sex": 2.0}})
    assert whole.table.columns == ("sex", "state")
    assert whole.weights == (2.0, 1.0)


def test_missing_values_differ_when_asked_for() -> None:
    rows = [{"a": None}, {"a": None}, {"a": "x"}]
    assert read_whole(rows, {"missing": "equal"}).table.partition([0]).groups == 2
    assert read_whole(rows, {"missing": "distinct"}).table.partition([0]).groups == 3


def test_a_column_that_comes_late_is_missing_before() -> None:
    rows = [{"a": i} for i in range(40_000)] + [{"a": 0, "b": 1}]
    table = read_whole(rows, {}).table
    assert table.columns == ("a", "b")
    assert np.unique(table.codes[1], return_counts=True)[1].tolist() == [40_000, 1]


def test_mistakes_are_told_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="did you mean 'age'"):
        read_whole(PEOPLE, {}, ["agee"])
    with pytest.raises(UsageError, match="does not fit into 10 bytes"):
        read_whole(PEOPLE, {"memory": 10})
    with pytest.raises(TableError, match="No rows were given"):
        read_whole([], {})
