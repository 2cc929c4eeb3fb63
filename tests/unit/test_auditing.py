import math
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import streamqid
from streamqid.anonymizing import Request
from streamqid.errors import TableError
from streamqid.hierarchies import read_hierarchy


def test_a_file_and_a_mapping_are_read_alike(tmp_path: Path) -> None:
    path = tmp_path / "tree.csv"
    path.write_text("\ufefftea,drink,all\nrye,food,all\nale,drink,all\n", encoding="utf-8")
    from_file = read_hierarchy(path)
    given = read_hierarchy({"tea": ["drink", "all"], "rye": ["food", "all"], "ale": ["drink", "all"]})
    assert from_file.values == given.values == ["tea", "rye", "ale"]
    assert [level.tolist() for level in from_file.levels] == [[0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("", "is empty"),
        ("a\nb\n", "Line 1 of"),
        ("a,x,all\nb,all\n", "Line 2 of"),
        ("a,x,all\nb,x,any\n", "the same root"),
        ("a,x,all\na,x,all\n", "repeats a value"),
        ("a,x,p,all\nb,x,q,all\n", "a second parent"),
    ],
)
def test_a_mistake_names_the_line(tmp_path: Path, text: str, advice: str) -> None:
    path = tmp_path / "tree.csv"
    path.write_text(text)
    with pytest.raises(TableError, match=advice):
        read_hierarchy(path)


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "tree.csv"
    path.write_bytes(b"\xff\xfe\n")
    with pytest.raises(TableError, match="UTF-8"):
        read_hierarchy(path)


def test_ordered_columns_hold_numbers_in_every_row() -> None:
    rows = [{"a": 1, "s": 2}, {"a": 1, "s": "3.5"}]
    assert streamqid.audit(rows, quasi=["a"], sensitive=["s"], ordered=["s"]).sensitive[0].values == 2
    with pytest.raises(TableError, match="Line 3 of the given rows has no number in column 's'"):
        streamqid.audit([*rows, {"a": 1}], quasi=["a"], sensitive=["s"], ordered=["s"])
    with pytest.raises(streamqid.UsageError, match="There is no column 'u'"):
        streamqid.audit(rows, quasi=["a"], sensitive=["u"], ordered=["u"])
    late = [{"a": 1} for _ in range(65_536)] + [{"a": 1, "s": 1}]
    with pytest.raises(TableError, match="Line 1 of the given rows has no number"):
        streamqid.audit(late, quasi=["a"], sensitive=["s"], ordered=["s"])


@pytest.mark.parametrize("gap", [{"s": None}, {"s": ""}, {"s": float("nan")}, {}])
def test_every_kind_of_missing_sensitive_value_is_seen(gap: dict[str, object]) -> None:
    rows = [{"a": 1, "s": "x"}, {"a": 1, **gap}]
    with pytest.raises(TableError, match=r"'s' has missing values \(1, the first in row 2\)"):
        streamqid.audit(rows, quasi=["a"], sensitive=["s"])


def test_the_texts_of_a_hierarchy_stand_for_numbers_too(tmp_path: Path) -> None:
    path = tmp_path / "tree.csv"
    path.write_text("1,low,all\n2,low,all\n2.5,high,all\n01,high,all\n", encoding="utf-8")
    ask = partial(streamqid.audit, quasi=["z"], sensitive=["s"], hierarchy={"s": path})
    for values in ([1, 1, 2, 2], ["1", "1", "2", "2"], [2.5, 2.5, 1, 1]):
        rows = [{"z": z, "s": s} for z, s in zip("aabb", values, strict=True)]
        tall = 2.5 in values
        assert ask(rows).sensitive[0].t == (0.5 if tall else 0.25)
    with pytest.raises(TableError, match="does not have"):
        ask([{"z": "a", "s": "1.0"}])


@pytest.mark.parametrize("few", [0, 16])
def test_declared_values_are_found_one_by_one_or_all_at_once(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    monkeypatch.setattr("streamqid.whole.FEW", few)
    rows = [{"a": a, "s": s} for a, s in (("*", "tea"), ("x", "ale"), ("-", "rye"), (None, "tea"), ("y", "rye"))]
    tree = {"rye": ["food", "all"], "tea": ["drink", "all"], "ale": ["drink", "all"]}
    asked = {"quasi": ["a"], "sensitive": ["s"], "hierarchy": {"s": tree}, "suppressed": ["-", "*", "gone"], "seed": 1}
    answer = streamqid.audit(rows, **asked)  # type: ignore[arg-type]
    assert (answer.suppressed.quasi, answer.missing.quasi) == (2, 1)
    # Rye, two of five, is food: the other three go a half or all of the way.
    assert answer.sensitive[0].t == pytest.approx(0.6)
    assert streamqid.audit(rows, suppressed_as="any", **asked).groups.smallest == 3  # type: ignore[arg-type]
    with pytest.raises(TableError, match="Row 2 has a value in column 's'"):
        streamqid.audit([*rows[:1], {"a": "x", "s": "gin"}], **asked)  # type: ignore[arg-type]


def test_disclosure_is_limited_strictly() -> None:
    # The share of x is twice that of the table: ln 2 is no δ that the table keeps, and whatever is above it is one.
    rows = [{"a": a, "s": s} for a, s in ("px", "px", "qy", "qy")]
    found = streamqid.audit(rows, quasi=["a"], sensitive=["s"], delta=1.0, seed=1).sensitive[0].delta
    assert found == pytest.approx(math.log(2))
    for delta, met in ((found, False), (math.nextafter(found, 1.0), True)):
        assert streamqid.audit(rows, quasi=["a"], sensitive=["s"], delta=delta, seed=1).met is met


@pytest.mark.parametrize("given", [{"k": "2"}, {"k": True}, {"l": 2.0}, {"t": "0.1"}, {"t": True}])
def test_a_limit_of_another_type_is_refused_in_one_sentence(given: dict[str, Any]) -> None:
    (value,) = given.values()
    with pytest.raises(streamqid.UsageError, match=f"not {value!r}"):
        streamqid.audit([{"a": 1, "s": 2}], quasi=["a"], sensitive=["s"], **given)
    with pytest.raises(streamqid.UsageError, match=f"not {value!r}"):
        Request(**given)


def test_limits_may_be_numbers_of_numpy() -> None:
    rows = [{"a": 1, "s": "x"}, {"a": 1, "s": "y"}]
    limits: dict[str, Any] = {"k": np.int64(2), "l": np.int32(2), "t": np.float32(0.5)}
    assert streamqid.audit(rows, quasi=["a"], sensitive=["s"], **limits).met
    for given, limit in limits.items():
        value = getattr(Request(**{given: limit}), given)
        assert (value, type(value)) == (limit, float if given == "t" else int)
    with pytest.raises(streamqid.UsageError, match="between 0 and 1"):
        Request(t=10**400)
