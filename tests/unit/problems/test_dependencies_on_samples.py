"""Approximate dependencies from samples: what is ruled out, what is certain, and how often that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.measures.bounds import drawn_share_bound
from streamqid.measures.partition import table_of
from streamqid.problems import dependencies_on_samples as solver
from streamqid.problems.answer import Rule
from streamqid.problems.declared import dependency
from streamqid.problems.dependencies_on_samples import DependencyQuestion, dependencies_on_samples
from streamqid.problems.instance import instance_dependencies
from streamqid.sampling.secret import Secret
from tests.statistical.promises import allowed, outside
from tests.unit.engine.windows import window

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROWS = 20_000
RNG = np.random.default_rng(4)
ZIP = RNG.integers(50, size=ROWS)
TOWN = ZIP // 5
WRONG = np.where(np.arange(ROWS) % 10 == 0, RNG.integers(1000, 2000, size=ROWS), TOWN)
"""Like the town in nine rows of ten: the error of zip → wrong is nearly 0.1."""
CODES = {"zip": ZIP, "town": TOWN, "wrong": WRONG, "row": np.arange(ROWS), "same": ZIP * 0}


def test_a_dependency_is_certain_ruled_out_or_of_the_sample_only() -> None:
    declared = (dependency(["zip"], ["town"]), dependency(["zip"], ["gone"]))
    question = DependencyQuestion(threshold=0.02, most=1, declared=declared, identifiers=("town",))
    answer = dependencies_on_samples(window(CODES, capacity=2000).evidence, question)
    found = {(tuple(one.left), tuple(one.right)): one for one in answer.dependencies}
    assert [key for key, one in found.items() if one.certain] == [((), ("same",)), (("zip",), ("town",))]
    assert (("town",), ("zip",)) not in found
    assert (("zip",), ("wrong",)) not in found
    unsure = found[("row",), ("town",)]
    assert unsure.error is not None
    assert (unsure.error.estimate, unsure.error.lower) == (0.0, 0.0)
    assert unsure.error.upper is None or unsure.error.upper > 0.8
    assert [(one.error is None, one.certain) for one in answer.declared] == [(False, True), (True, False)]
    assert answer.quasi_identifiers == [["zip"]]
    assert (answer.rule, answer.exact, answer.left_off) == (Rule.CERTIFIED, False, 0)
    assert "2 hold for certain (confidence 99 %); the others are of the sample only" in answer.guarantee
    few = dependencies_on_samples(
        window(CODES, capacity=2000).evidence, DependencyQuestion(threshold=0.02, most=1, max_found=1)
    )
    assert (len(few.dependencies), few.left_off) == (1, len(answer.dependencies) - 1)


@pytest.mark.parametrize("threshold", [0.0, 0.05, 0.3])
def test_a_whole_table_is_exact(threshold: float) -> None:
    rng = np.random.default_rng(7)
    codes = {name: rng.integers(high, size=60) for name, high in (("a", 2), ("b", 4), ("c", 30), ("d", 1))}
    evidence = window(codes).evidence
    answer = dependencies_on_samples(evidence, DependencyQuestion(threshold=threshold, most=2))
    table = table_of(evidence.columns, evidence.a.fingerprints)
    expected = {(found.left, found.right): found.error for found in instance_dependencies(table, threshold, 2)}
    number = evidence.columns.index
    got = {(tuple(map(number, one.left)), number(one.right[0])): one for one in answer.dependencies}
    assert {key: one.error.estimate for key, one in got.items() if one.error} == pytest.approx(expected)
    assert all(one.certain for one in got.values())
    assert answer.exact
    assert "every row was counted" in answer.guarantee


def test_a_sample_without_rows_knows_nothing() -> None:
    evidence = window({"a": np.arange(0), "b": np.arange(0)}).evidence.select(["a", "b"])
    assert dependencies_on_samples(evidence, DependencyQuestion()).rows == 0


SEEDS, DELTA = 300, 0.05


def misses(codes: dict[str, NDArray[np.int64]], left: str, right: str, true: float) -> int:
    """Under how many secrets the interval of one dependency, the only one that is tested, misses the true error."""
    question = DependencyQuestion(delta=DELTA, most=0, declared=(dependency([left], [right]),))
    found = 0
    for seed in range(SEEDS):
        evidence = window(codes, capacity=400, secret=Secret.from_seed(seed)).evidence
        found += outside(dependencies_on_samples(evidence, question).declared[0].error, true)
    return found


FEW = {"x": np.arange(4000) % 4, "y": np.where(np.arange(4000) % 20 < 4, 9, np.arange(4000) % 4)}
"""In each of four classes a fifth of the rows has another value: the error is 0.2."""
MANY = {"x": np.arange(4000) // 4, "y": np.arange(4000) % 4}
"""Each class has four rows of different values: the error is 0.75, and a sample shows nearly none."""


@pytest.mark.parametrize(("codes", "true"), [(FEW, 0.2), (MANY, 0.75)])
def test_intervals_hold_the_error(codes: dict[str, NDArray[np.int64]], true: float) -> None:
    """A correct program fails with probability at most 1e-6 over the choice of the seeds."""
    assert misses(codes, "x", "y", true) <= allowed(SEEDS, DELTA)


def test_a_bound_without_room_for_chance_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(solver, "drawn_share_bound", lambda hits, trials, _: hits / trials)
    assert misses(FEW, "x", "y", 0.2) > allowed(SEEDS, DELTA)


def test_an_error_that_is_judged_on_the_sample_that_learned_it_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The map of sample A is right about nearly all of A; only B shows that it is wrong."""

    def on_a(self: solver.Samples, left: list[int], right: list[int]) -> float:
        return drawn_share_bound(0, self._a.n, self._level)

    monkeypatch.setattr(solver.Samples, "_upper", on_a)
    assert misses(MANY, "x", "y", 0.75) > allowed(SEEDS, DELTA)
