"""Exact minima on the paper's adult: the tables of Motwani and Xu, with the optimum beside the greedy answer."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest

import streamqid
from streamqid.measures.partition import Partition
from streamqid.measures.ratios import separation
from streamqid.whole import read_whole

if TYPE_CHECKING:
    from pathlib import Path

    from streamqid.measures.partition import Table


@pytest.fixture(scope="module")
def table(adult_path: Path) -> Table:
    """All rows of adult without fnlwgt."""
    return read_whole(adult_path, {"ignore": ["fnlwgt"], "seed": 1}).table


def least_separation(table: Table, size: int) -> float:
    """Search all sets of so many columns; a part that separates more than a known set need not be completed."""
    best = 1.0

    def search(here: Partition, start: int, left: int) -> None:
        nonlocal best
        if separation(here) >= best:
            return
        if not left:
            best = separation(here)
        for j in range(start, len(table.columns) - left + 1 if left else 0):
            search(here.refine(table.codes[j], table.sizes[j]), j + 1, left - 1)

    search(Partition.trivial(table.n), 0, size)
    return best


def test_tables_2_and_3_the_optimal_masking_of_adult_for_separation_is_five_columns(
    adult_path: Path, table: Table
) -> None:
    answer = streamqid.optimal_mask(adult_path, beta=0.8, ignore=["fnlwgt"], seed=1)
    assert answer.publish == ["race", "capital-gain", "capital-loss", "native-country", "income"]
    assert answer.separation.estimate == pytest.approx(0.685344, abs=1e-6)
    assert (answer.optimality.optimal, answer.optimality.weight, answer.optimality.greedy_weight) == (True, 5.0, 5.0)
    # Any six columns separate more, so that the optimum does not rest on the solver alone.
    assert least_separation(table, 6) == pytest.approx(0.8282, abs=1e-4)


def test_tables_2_and_3_the_optimal_masking_of_adult_for_distinct_is_twelve_columns(adult_path: Path) -> None:
    answer = streamqid.optimal_mask(adult_path, measure="distinct", beta=0.5, ignore=["fnlwgt"], seed=1)
    assert (len(answer.publish), answer.optimality.optimal) == (12, True)
    assert answer.distinct.estimate <= 0.5


def test_the_optimum_publishes_more_than_the_greedy_algorithm(adult_path: Path) -> None:
    answer = streamqid.optimal_mask(adult_path, beta=0.99, ignore=["fnlwgt"], seed=1)
    assert (answer.optimality.optimal, answer.optimality.weight, answer.optimality.greedy_weight) == (True, 10.0, 9.0)
    assert answer.separation.estimate <= 0.99


def test_table_4_the_optimal_separation_key_of_adult(adult_path: Path, table: Table) -> None:
    answer = streamqid.optimal_keys(adult_path, epsilon=0.001, ignore=["fnlwgt"], seed=1)
    assert answer.columns == ["age", "occupation", "hours-per-week"]
    assert answer.separation.estimate >= 0.999
    assert answer.optimality.optimal
    assert answer.optimality.weight <= answer.optimality.greedy_weight
    assert max(separation(table.partition(two)) for two in combinations(range(14), 2)) < 0.999


def test_table_4_no_key_of_adult_is_smaller_than_the_greedy_one(adult_path: Path) -> None:
    answer = streamqid.optimal_keys(adult_path, epsilon=0.0, ignore=["fnlwgt"], seed=1)
    assert (len(answer.columns), answer.optimality.optimal) == (13, True)
    assert answer.distinct.estimate == pytest.approx(0.893584, abs=1e-6)


@pytest.mark.parametrize("epsilon", [1e-5, 1e-4, 1e-3, 1e-2, 5e-2])
def test_the_optimum_is_at_most_the_greedy_size(adult_path: Path, epsilon: float) -> None:
    answer = streamqid.optimal_keys(adult_path, epsilon=epsilon, seed=1)
    assert answer.optimality.optimal
    assert len(answer.columns) <= len(answer.optimality.greedy)
