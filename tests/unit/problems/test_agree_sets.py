"""A guess is near the count, so that few sets are counted in vain; what is answered never depends on it."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.measures.partition import Table
from streamqid.problems import agree_sets
from streamqid.problems.answer import Measure
from streamqid.problems.lattice import columns_of
from streamqid.problems.minimal_sets import BorderSearch
from streamqid.problems.set_costs import TableCosts

VALUES = (2, 3, 5, 20, 50)
EVERY = columns_of(np.arange(32), 5)


@pytest.fixture(scope="module")
def table() -> Table:
    rng = np.random.default_rng(3)
    codes = np.array([rng.zipf(1.5, 3000) % size for size in VALUES], np.int32)
    return Table(tuple("abcde"), codes, VALUES)


@pytest.mark.parametrize("looked_at", [10_000, 1500])
def test_guessed_pairs_are_near_the_count(table: Table, looked_at: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agree_sets, "LOOKED_AT", looked_at)
    costs = TableCosts(table, Measure.SEPARATION)
    assert costs.guess()[1:] == pytest.approx(costs.of(EVERY)[1:], rel=0.15)


def test_guessed_repeats_are_near_the_count(table: Table) -> None:
    costs = TableCosts(table, Measure.DISTINCT)
    assert costs.guess()[1:] == pytest.approx(costs.of(EVERY)[1:], abs=0.1 * table.n)


@pytest.mark.parametrize("held", [1, 10_000, 1 << 20])
def test_all_pairs_are_counted_exactly(held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns of one, two and four bytes, and more of them than two bytes of an agree set hold."""
    monkeypatch.setattr(agree_sets, "HELD", held)
    rng, m, rows = np.random.default_rng(4), 18, 200
    values = [1, 255, 256, 300, 70_000, *range(2, m - 3)]
    codes = np.array([rng.integers(size, size=rows) for size in values], np.int32)
    codes[4, 1:] = codes[4, 0]
    table = Table(tuple(f"c{j}" for j in range(m)), codes, tuple(values))
    some = rng.integers(1 << m, size=2000)
    counted = agree_sets.counted_unseparated(table)
    assert len(counted) == 1 << m
    assert counted[some].tolist() == TableCosts(table, Measure.SEPARATION).of(columns_of(some, m)).tolist()


def test_all_pairs_are_counted_where_that_takes_less_time(table: Table) -> None:
    costs = TableCosts(table, Measure.SEPARATION)
    assert costs.every(table.n) is None
    every = costs.every(3 * table.n)
    assert every is not None
    assert every.tolist() == costs.of(EVERY).tolist()
    assert TableCosts(table, Measure.DISTINCT).every(3 * table.n) is None


@pytest.mark.parametrize("measure", list(Measure))
def test_a_wrong_guess_costs_time_only(table: Table, measure: Measure, monkeypatch: pytest.MonkeyPatch) -> None:
    costs = TableCosts(table, measure)
    limit = costs.total // 10
    search = BorderSearch(costs, limit, 5)
    right = search.take()
    for guess in (np.zeros(32), np.full(32, costs.total), np.random.default_rng(1).random(32) * costs.total):
        monkeypatch.setattr(TableCosts, "guess", lambda _, guess=guess: guess)
        misled = BorderSearch(costs, limit, 5)
        assert sorted(misled.take(), key=str) == sorted(right, key=str)
        assert misled.tested >= search.tested


def test_a_column_without_repeats_gives_no_pairs_to_guess_from() -> None:
    codes = np.array([np.arange(100), np.arange(100) % 2], np.int32)
    costs = TableCosts(Table(("id", "sex"), codes, (100, 2)), Measure.SEPARATION)
    every = columns_of(np.arange(4), 2)
    assert costs.guess()[1:] == pytest.approx(costs.of(every)[1:], rel=0.01)
