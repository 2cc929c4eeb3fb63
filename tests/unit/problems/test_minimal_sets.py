"""Where the lattice ends, and what the searches tell on the way."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.measures.partition import Table
from streamqid.problems import minimal_sets as steps
from streamqid.problems.all_minimal import all_minimal
from streamqid.problems.answer import Measure
from streamqid.problems.levelwise import PrunedSearch, sub_table_sizes
from streamqid.problems.minimal_on_samples import minimal_on_samples
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.minimal_sets import BorderSearch, LevelSearch, minimal_sets
from streamqid.problems.set_costs import TableCosts
from tests.unit.sampling.plain import names, sampler_of


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


def test_all_pairs_tell_what_no_test_told_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The border is counted in small steps first, and from all pairs of rows after the fourth."""
    costs = TableCosts(random_table(10), Measure.SEPARATION)
    limit, every, asked = costs.total // 30, costs.every, iter([None] * 4)
    monkeypatch.setattr(steps, "STEP", 15)
    monkeypatch.setattr(costs, "every", lambda _: next(asked, every(10**9)))
    search = BorderSearch(costs, limit, 10)
    sets = iter(search)
    first = next(sets)
    assert search.tested <= 4 * 15, "a set is told before all pairs are counted"
    found = [first, *sets]
    assert search.tested == 4 * 15 + (1 << 10)
    assert sorted(found, key=str) == sorted(LevelSearch(costs, limit, 10).take(), key=str)


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


@pytest.mark.parametrize(("most", "start"), [(3, "The search stopped at 3 of the sets that may"), (None, "All")])
def test_sets_from_a_sample_are_never_said_to_reach_the_ratio(most: int | None, start: str) -> None:
    """A sample does not rule these sets out; that they reach the ratio is said of the certain ones only."""
    table = np.random.default_rng(1).integers(1, 5, size=(3000, 8)).astype(np.uint64)
    evidence = sampler_of(table, 1, 400).evidence().select(names(8))
    answer = minimal_on_samples(evidence, MinimalQuestion(Measure.SEPARATION, 0.01, 0.01, [1.0] * 8, max_sets=most))
    assert answer.guarantee.startswith(start)
    assert not any(one.certain for one in answer.sets)
    assert "and 0 of them do so for certain (confidence 99 %)" in answer.guarantee
    assert answer.complete == (most is None)


@pytest.mark.parametrize("epsilon", [0.0, 0.01])
def test_the_levels_of_the_paper_answer_what_the_search_answers(epsilon: float) -> None:
    """A broken promise of the pruning has probability 0.01 at most, and the same seed repeats its outcome."""
    table, question = random_table(8), MinimalQuestion(Measure.SEPARATION, epsilon, 0.01, [1.0] * 8)
    by_levels = all_minimal(table, question, method="levelwise", seed=1)
    by_search = all_minimal(table, question)
    assert [one.columns for one in by_levels.sets] == [one.columns for one in by_search.sets] != []
    assert (by_levels.exact, by_levels.delta) == ((True, None) if epsilon == 0.0 else (False, 0.01))
    assert by_levels.saved is not None
    assert (by_search.exact, by_search.saved) == (True, None)


def test_keys_on_a_sample_are_minimal_on_it_and_never_certain() -> None:
    table = np.random.default_rng(1).integers(1, 5, size=(3000, 8)).astype(np.uint64)
    evidence = sampler_of(table, 1, 400).evidence().select(names(8))
    answer = minimal_on_samples(evidence, MinimalQuestion(Measure.DISTINCT, 0.0, 0.01, [1.0] * 8))
    rows = evidence.a.fingerprints
    whole = len(np.unique(rows, axis=0))
    for one in answer.sets:
        chosen = [evidence.columns.index(column) for column in one.columns]
        assert len(np.unique(rows[:, chosen], axis=0)) == whole
        for left_out in chosen:
            rest = [column for column in chosen if column != left_out]
            assert len(np.unique(rows[:, rest], axis=0)) < whole
    assert answer.sets
    assert not any(one.certain for one in answer.sets)
    assert answer.sample_unit == "tuples"


def test_what_is_asked_is_named_in_the_answer() -> None:
    table = random_table(3)
    keys = all_minimal(table, MinimalQuestion(Measure.SEPARATION, 0.0, 0.01, [1.0] * 3))
    assert (keys.problem, "separates as much as all columns" in keys.guarantee) == ("all minimal keys", True)
    pairs = all_minimal(table, MinimalQuestion(Measure.SEPARATION, 0.0, 0.01, [1.0] * 3, beta=0.75))
    assert pairs.problem == "all minimal beta-separation sets"
    assert "at least 75 % of all pairs of rows" in pairs.guarantee
    values = all_minimal(table, MinimalQuestion(Measure.DISTINCT, 0.0, 0.01, [1.0] * 3, beta=0.1))
    assert values.problem == "all minimal beta-distinct sets"
    assert "at least 10 % as many different values as there are rows" in values.guarantee


def test_nothing_is_needed_or_nothing_can() -> None:
    table = random_table(3)
    nothing = all_minimal(table, MinimalQuestion(Measure.DISTINCT, 0.0, 0.01, [1.0] * 3, beta=0.003))
    assert [one.columns for one in nothing.sets] == [[]]
    assert nothing.guarantee.startswith("No column is needed to take at least")
    never = all_minimal(table, MinimalQuestion(Measure.DISTINCT, 0.0, 0.01, [1.0] * 3, beta=0.99))
    assert never.sets == []
    assert never.guarantee.startswith("No column set can take at least 99 %")
    assert never.guarantee.endswith("ask with epsilon 0 for the sets that separate as much as all columns.")
    small = all_minimal(table, MinimalQuestion(Measure.DISTINCT, 0.0, 0.01, [1.0] * 3, beta=0.99, max_size=1))
    assert small.guarantee.startswith("No column set of at most 1 column can")
