"""Whatever the input: what ``anonymize`` writes keeps what was asked for, and differs in suppressed cells only."""

from __future__ import annotations

import csv
import io
import json
import math
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.anonymizing import Request, Roles, anonymize
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

TABLES = 150
MARK = "<gone>"
ROLES = Roles(quasi=["q1", "q 2"], sensitive=["s"], keep=["k"], drop=["d"])
COLUMNS = ["d", "q1", "k", "s", "q 2"]

few = st.sampled_from(["a", "b", 'c"', "d,e", "f\ng", "h\ri", "", " ", "é", "1", "01"])
texts = few | st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=3)
numbers = st.integers(-2, 2).map(str)
requests = st.one_of(
    st.integers(2, 6).map(lambda k: Request(k=k)),
    st.just(Request(l=2)),
    st.builds(
        lambda t, distance: Request(t=t, distance=distance), st.floats(0, 1), st.sampled_from(["equal", "ordered"])
    ),
)
texts_in_rows = st.lists(st.tuples(texts, few, texts, numbers, few), min_size=1, max_size=18)
leaves = (
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-1, 1) | few | st.lists(st.integers(0, 1), max_size=2)
)
fields = st.fixed_dictionaries(
    {"d": leaves, "s": st.integers(-2, 2), "q1": leaves},
    optional={"q 2": st.sampled_from([1, 1.0, True, "1", None]), "k": leaves},
)


def ask(text: str, ending: str, request: Request) -> tuple[str, int] | None:
    """Return what is written and its cost, or None if the request is refused; nothing else may be left behind."""
    with tempfile.TemporaryDirectory() as directory:
        table, out = Path(directory, f"in{ending}"), Path(directory, f"out{ending}")
        table.write_bytes(text.encode())
        try:
            answer = anonymize(table, out, ROLES, request, suppressed=MARK, time_limit=5.0)
        except UsageError:
            assert [path.name for path in Path(directory).iterdir()] == [table.name]
            return None
        assert sorted(path.name for path in Path(directory).iterdir()) == sorted([table.name, out.name])
        return out.read_bytes().decode(), answer.cost


def assert_kept(published: Sequence[tuple[Any, ...]], sensitive: Sequence[Any], request: Request) -> None:
    """Audit what a reader sees."""
    classes: dict[tuple[Any, ...], list[Any]] = {}
    for row, value in zip(published, sensitive, strict=True):
        classes.setdefault(row, []).append(value)
    whole = Counter(sensitive)
    for values in classes.values():
        if request.k is not None:
            assert len(values) >= request.k
        elif request.l is not None:
            assert 2 * max(Counter(values).values()) <= len(values)
        else:
            assert request.t is not None
            assert distance(Counter(values), whole, request.distance) <= Fraction(request.t) + Fraction(1, 10**9)


def distance(part: Counter[Any], whole: Counter[Any], kind: str) -> Fraction:
    """The Earth Mover's Distance by its definition: mass moves in the order of the values, or anywhere at price 1."""
    values = sorted(whole, key=float)
    surplus = [Fraction(part[v], part.total()) - Fraction(whole[v], whole.total()) for v in values]
    if kind == "equal":
        return sum((gain for gain in surplus if gain > 0), Fraction(0))
    paid = Fraction(0)
    for here in range(len(values) - 1):
        paid += abs(sum(surplus[: here + 1], Fraction(0)))
    return paid / max(len(values) - 1, 1)


def feasible(sensitive: Sequence[Any], request: Request) -> bool:
    if request.k is not None:
        return request.k <= len(sensitive)
    return request.l is None or 2 * max(Counter(sensitive).values()) <= len(sensitive)


@settings(max_examples=TABLES)
@given(texts_in_rows, requests)
def test_csv(rows: list[tuple[str, ...]], request: Request) -> None:
    table = io.StringIO(newline="")
    csv.writer(table, quoting=csv.QUOTE_ALL).writerows([COLUMNS, *rows])
    written = ask(table.getvalue(), ".csv", request)
    sensitive = [row[3] for row in rows]
    if written is None:
        assert not feasible(sensitive, request)
        return
    header, *after = csv.reader(io.StringIO(written[0], newline=""))
    assert header == COLUMNS[1:]
    assert len(after) == len(rows)
    suppressed = 0
    for before, now in zip(rows, after, strict=True):
        for name, old, new in zip(header, before[1:], now, strict=True):
            assert new == old or (new == MARK and name in ROLES.quasi)
            suppressed += new == MARK
    assert suppressed == written[1]
    assert_kept([(row[0], row[3]) for row in after], [row[2] for row in after], request)


@settings(max_examples=TABLES)
@given(st.lists(fields, min_size=1, max_size=14), requests)
def test_json_lines(rows: list[dict[str, Any]], request: Request) -> None:
    written = ask("".join(json.dumps(row) + "\n" for row in rows), ".jsonl", request)
    sensitive = [row["s"] for row in rows]
    if written is None:
        names = {name for row in rows for name in row}
        assert not feasible(sensitive, request) or names != set(COLUMNS)
        return
    after = [json.loads(line) for line in written[0].splitlines()]
    assert len(after) == len(rows)
    suppressed = 0
    for before, now in zip(rows, after, strict=True):
        assert "d" not in now
        for name in COLUMNS[1:]:
            hidden = now.get(name) == MARK
            assert hidden or exact(before, name) == exact(now, name)
            assert not hidden or name in ROLES.quasi
            suppressed += hidden
    assert suppressed == written[1]
    assert_kept([(exact(row, "q1"), exact(row, "q 2")) for row in after], [row["s"] for row in after], request)


def exact(row: dict[str, Any], name: str) -> str:
    """A field with its type; a float that is minus zero counts as zero."""
    if name not in row:
        return "absent"
    value = row[name]
    return repr(value + 0.0 if isinstance(value, float) and not math.isnan(value) else value)
