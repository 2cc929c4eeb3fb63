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
