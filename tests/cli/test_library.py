"""The library takes what the command line takes, and refuses the same mistakes with one sentence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import streamqid
from streamqid import UsageError

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = [{"age": i % 7, "sex": i % 2, "zip": i % 3} for i in range(40)]


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"ignored": ["age"]}, "did you mean 'ignore'"),
        ({"xyzzy": 1}, "no option 'xyzzy'."),
        ({"ignore": "age"}, "takes a list of names: write ['age']"),
        ({"epsilon": "x"}, "must be a number"),
        ({"only": ["AGE"]}, "did you mean 'age'"),
        ({"weights": {"age": 2.0}, "ignore": ["age"]}, "asked about and left out at once"),
    ],
)
def test_a_mistake_is_a_usage_error_that_says_what_to_do(options: dict[str, Any], advice: str) -> None:
    with pytest.raises(UsageError) as caught:
        streamqid.keys(PEOPLE, **options)
    assert advice in str(caught.value)


def test_columns_given_as_one_text_are_refused() -> None:
    with pytest.raises(UsageError, match="takes a list of names"):
        streamqid.check(PEOPLE, "age")


def test_every_column_hidden_publishes_nothing() -> None:
    answer = streamqid.mask(PEOPLE, must_hide=["age", "sex", "zip"])
    assert answer.publish == []
    assert answer.guarantee == "Every column must be hidden, so nothing is published."


def test_a_masking_tells_of_rows_that_stay_unique() -> None:
    """40 % of the rows are unique on ssn, which separates few pairs."""
    rows = [{"ssn": i if i % 5 < 2 else None, "x": 0} for i in range(3000)]
    exact = streamqid.mask(rows)
    assert exact.publish == ["ssn", "x"]
    assert exact.unique_rows.estimate == pytest.approx(0.4)
    sampled = streamqid.mask(rows, sample=500, seed=1, rule="certified")
    assert sampled.unique_rows.upper is not None
    assert 0.4 <= sampled.unique_rows.upper < 0.5
    assert sampled.unique_rows.lower is None


def test_an_exact_check_counts_every_unreadable_row(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("a,b\n" + "".join(f"{i},{i % 9}\n" if i % 10 else "short\n" for i in range(5000)))
    answer = streamqid.check(table, ["b"], exact=True, sample=100)
    assert answer.unreadable is not None
    assert (answer.exact, answer.rows, answer.unreadable.found, answer.unreadable.looked_at) == (True, 4500, 500, 5000)
    estimated = streamqid.check(table, ["b"], sample=100)
    assert estimated.rows_estimated
    assert 4000 < estimated.rows < 5000


def test_columns_that_come_late_are_judged_by_the_certified_rule(tmp_path: Path) -> None:
    """The paper's rule pays for 2^m sets, and m must not depend on the sample."""
    table = tmp_path / "t.jsonl"
    late = ({"a": i % 50, "late": i} if i > 1500 else {"a": i % 50} for i in range(4000))
    table.write_text("".join(json.dumps(row) + "\n" for row in late))
    assert streamqid.mask(table, sample=500, rule="paper").rule == "certified"
    assert streamqid.mask(table, sample=500, rule="paper", only=["a"]).rule == "paper"


def test_a_key_that_many_rows_share_is_no_name_tag() -> None:
    rows = [{"group": i % 3000} for i in range(200_000)]
    answer = streamqid.keys(rows, epsilon=0.002, rule="certified", seed=1)
    assert answer.met
    assert "many rows share their values" in answer.guarantee


def test_a_file_with_fewer_rows_than_its_size_promised_is_read_again(
    monkeypatch: pytest.MonkeyPatch, adult_path: Path
) -> None:
    first = streamqid.mask(adult_path, sample=500, seed=3)
    monkeypatch.setattr("streamqid.reading.LIKELY_SHARE", 1000.0)
    assert streamqid.mask(adult_path, sample=500, seed=3) == first
