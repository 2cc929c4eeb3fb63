"""Where the lattice ends, and what the searches tell on the way."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.measures.partition import Table
from streamqid.problems.answer import Measure
from streamqid.problems.levelwise import PrunedSearch, sub_table_sizes
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.minimal_sets import BorderSearch, LevelSearch, minimal_sets
from streamqid.problems.set_costs import TableCosts


def random_table(m: int, rows: int = 300) -> Table:
    rng = np.random.default_rng(m)
    sizes = tuple(int(size) for size in np.linspace(2, 9, m))
    return Table(
        tuple(f"c{j}" for j in range(m)), np.array([rng.integers(s, size=rows) for s in sizes], np.int32), sizes
    )


@pytest.mark.parametrize("measure", list(Measure))
def test_22_columns_are_complete_and_equal_the_levels(measure: Measure) -> None:
    costs = TableCosts(random_table(22), measure)
    limit = costs.total // 30 if measure is Measure.SEPARATION else costs.total * 9 // 10
    search = minimal_sets(costs, limit, rows=300)
    assert isinstance(search, BorderSearch)
    found = search.take()
    levels = LevelSearch(costs, limit, 22)
    assert sorted(found, key=str) == sorted(levels.take(), key=str)
    assert len(found) > 100
    assert search.complete_up_to == levels.complete_up_to == 22


def test_23_columns_are_complete_up_to_a_size() -> None:
    costs = TableCosts(random_table(23), Measure.SEPARATION)
    search = minimal_sets(costs, 0, rows=2_000_000)
    assert isinstance(search, LevelSearch)
    assert search.take() == []
    assert search.complete_up_to == 2
    asked = minimal_sets(costs, 0, rows=300, max_size=1)
    asked.take()
    assert (asked.complete_up_to, asked.tested) == (1, 24)


def test_sets_are_told_while_others_are_still_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The guess is made poor, so that the border needs more than one round."""
    costs = TableCosts(random_table(10), Measure.SEPARATION)
    poor = costs.guess() * np.random.default_rng(1).uniform(0.3, 3.0, 1 << 10)
    monkeypatch.setattr(costs, "guess", lambda: poor)
    limit = costs.total // 30
    for search in (LevelSearch(costs, limit, 10), BorderSearch(costs, limit, 10)):
        tested = [search.tested for _ in search]
        assert tested[0] < tested[-1]


def test_sub_tables_grow() -> None:
    separation = MinimalQuestion(Measure.SEPARATION, 0.01, 0.01, [1.0] * 3)
    distinct = MinimalQuestion(Measure.DISTINCT, 0.01, 0.01, [1.0] * 3)
    keys = MinimalQuestion(Measure.SEPARATION, 0.0, 0.01, [1.0] * 3)
    assert sub_table_sizes(10_000, separation) == [10_000, 100_000]
    assert sub_table_sizes(10_000_000, separation) == [2_000_000]
    assert sub_table_sizes(10_000, distinct) == sub_table_sizes(10_000, keys) == [100, 1000]
    assert sub_table_sizes(3, keys) == [1]


def test_pruning_a_table_of_one_row() -> None:
    table = Table(("a",), np.zeros((1, 1), np.int32), (1,))
    search = PrunedSearch(table, MinimalQuestion(Measure.SEPARATION, 0.1, 0.01, [1.0]), 0)
    assert [found.columns for found in search.take()] == [()]
