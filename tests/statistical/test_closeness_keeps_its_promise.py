"""The interval of far rows, over many secrets: how often it misses the truth.

A program that keeps its promise fails a test of these with probability at most 1e-6 over the choice of the seeds
(``promises.allowed``).  The tables lie at the border: groups are as far as t, just below it or just above.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamqid.engine.closeness import closeness
from streamqid.engine.questions import Limit, Quantity
from streamqid.measures import closeness as measured
from streamqid.measures.closeness import Cells, far_rows
from streamqid.measures.distances import Counts, EqualSpace
from streamqid.sampling.secret import Secret
from tests.statistical.promises import DELTA, allowed, outside
from tests.unit.engine.windows import window

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEEDS, ROWS, GROUPS, T = 300, 6000, 12, 0.25


def table(margin: float, values: int) -> dict[str, NDArray[np.int64]]:
    """In all rows the first value has the share 0.5, and in two of three groups it is T + margin away from that."""
    group = np.arange(ROWS) % GROUPS
    inside = np.arange(ROWS) // GROUPS
    size = ROWS // GROUPS
    share = np.choose(group % 3, [0.5, 0.5 + T + margin, 0.5 - T - margin])
    first = inside < np.round(share * size)
    return {"g": group, "s": np.where(first, 0, 1 + inside % (values - 1))}


def misses(codes: dict[str, NDArray[np.int64]], capacity: int) -> tuple[int, int]:
    """Return how often the interval does not hold the true share, and how often there was one."""
    true = far_rows(Cells(codes["g"], codes["s"], int(codes["s"].max()) + 1), T)
    limit = Limit(Quantity.CLOSENESS, 0.1, sensitive="s", t=T)
    found = [
        closeness(window(codes, capacity=capacity, secret=Secret.from_seed(seed)).evidence, ("g",), limit, DELTA)
        for seed in range(SEEDS)
    ]
    told = [estimate for estimate in found if estimate is not None]
    return sum(outside(estimate, true) for estimate in told), len(told)


@pytest.mark.parametrize("margin", [-0.01, 0.01])
@pytest.mark.parametrize(("values", "capacity"), [(2, 1500), (40, 1500), (2, 5000)])
def test_the_interval_holds_the_share_of_far_rows(margin: float, values: int, capacity: int) -> None:
    broken, _ = misses(table(margin, values), capacity)
    assert broken <= allowed(SEEDS, DELTA)


def test_there_is_an_interval_where_groups_are_large_enough() -> None:
    assert misses(table(0.2, 2), 5000)[1] == SEEDS


@pytest.mark.parametrize("margin", [-0.01, 0.01])
def test_without_the_width_of_the_groups_the_promise_is_broken(monkeypatch: pytest.MonkeyPatch, margin: float) -> None:
    monkeypatch.setattr(measured, "distribution_bound", lambda *_: 0.0)
    assert misses(table(margin, 2), 1500)[0] > allowed(SEEDS, DELTA)


def test_distances_are_those_of_the_audit() -> None:
    rng = np.random.default_rng(2)
    group, value = np.sort(rng.integers(20, size=500)), rng.integers(7, size=500)
    counts = np.zeros((20, 7))
    np.add.at(counts, (group, value), 1)
    cells = Cells(group, value, 7)
    np.testing.assert_allclose(
        cells.distances(cells.shares()), EqualSpace(counts.sum(axis=0)).distances(Counts.of(counts))
    )
