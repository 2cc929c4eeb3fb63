"""Beyond what is solved to the optimum: what is promised then, and what ends a search."""

from __future__ import annotations

import csv
import gzip
import math
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest

from streamqid.anonymize import choosing, lower, matching, pairing, program, subsets
from streamqid.anonymize.answer import answer
from streamqid.anonymize.choosing import Method, solve
from streamqid.anonymize.descent import descend
from streamqid.anonymize.grouping import grouping_of
from streamqid.anonymize.microdata import Microdata
from streamqid.anonymize.request import Request
from streamqid.anonymize.requirements import KAnonymity, TCloseness, TwoDiversity, groups_met
from streamqid.anonymize.verify import audit
from streamqid.measures.distances import Counts
from streamqid.problems.interruptible import interruptible
from tests.unit.anonymize.papers import microdata

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from streamqid.anonymize.choosing import Solution

ADULT = Path(__file__).parents[2] / "data" / "adult.csv.gz"
QUASI = ["age", "sex", "race", "marital-status", "education"]


@pytest.fixture(scope="module")
def people() -> list[dict[str, str]]:
    with gzip.open(ADULT, "rt") as file:
        return list(csv.DictReader(file))


def table(
    people: list[dict[str, str]], rows: int, sensitive: str | None = None, quasi: Sequence[str] = QUASI
) -> Microdata:
    columns = [[person[name] for person in people[:rows]] for name in (*quasi, sensitive or "sex")]
    codes = [np.unique(column, return_inverse=True)[1].astype(np.int32) for column in columns]
    last = codes[-1] if sensitive else np.zeros_like(codes[-1])
    return Microdata(np.column_stack(codes[:-1]), last, int(last.max()) + 1)


def told(data: Microdata, request: Request, solution: Solution) -> Any:
    names = {"quasi": [f"q{j}" for j in range(data.m)], "sensitive": ["occupation"], "keep": ["income"], "drop": []}
    return answer(request, solution, audit(solution.grouping.labels.tolist(), data.sensitive.tolist()), names)


def test_k_anonymity_of_a_whole_table_is_within_its_factor(people: list[dict[str, str]]) -> None:
    data = table(people, len(people))
    solution = solve(data, KAnonymity(5), 60.0)
    assert solution.grouping.sizes.min() >= 5
    assert (solution.factor, solution.optimal) == (5, False)
    assert solution.bound is not None
    assert solution.bound < solution.grouping.cost <= 5 * solution.bound
    document = told(data, Request(k=5), solution)
    assert (document.factor, document.heuristic, document.optimal) == (5, False, False)
    assert document.gap == pytest.approx((document.cost - document.lower_bound) / document.cost)
    assert "at most 5 times the fewest (Theorem 10); at least" in document.guarantee
    assert document.conditions[1] == "Columns that are kept must not tell persons apart: income."


@pytest.mark.parametrize("rows", [900, 32_561])
def test_diversity_and_closeness_of_large_tables_are_heuristics(people: list[dict[str, str]], rows: int) -> None:
    data = table(people, rows, "occupation", QUASI[:4] if rows > 900 else [*QUASI, "hours-per-week"])
    whole = np.bincount(data.sensitive)
    for request in (Request(l=2), Request(t=0.3)):
        solution = solve(data, request.on(data), 1.0)
        assert groups_met(data, request.on(data), np.arange(rows), solution.grouping.labels).all()
        document = told(data, request, solution)
        assert (document.heuristic, document.optimal, document.factor) == (True, False, None)
        assert document.method is Method.DESCENT
        assert 0 < document.lower_bound < document.cost < data.n * data.m
        assert "by a heuristic; at least" in document.guarantee
        found = audit(solution.grouping.labels.tolist(), data.sensitive.tolist())
        assert found.keeps(l=request.l, t=request.t)
        assert not found.keeps(k=int(whole.max()))


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_a_sensitive_column_may_have_nearly_as_many_values_as_rows(
    people: list[dict[str, str]], distance: Literal["equal", "ordered"]
) -> None:
    # Groups times values are 200 million and more here, at each of hundreds of steps.
    data = table(people, len(people), "fnlwgt", QUASI[:4])
    assert data.values > 21_000
    request = Request(t=0.25 if distance == "ordered" else 0.999, distance=distance)
    solution = solve(data, request.on(data), 1.0)
    assert solution.bound is not None
    assert 0 < solution.bound < solution.grouping.cost < data.n * data.m
    order: dict[Hashable, int] = {value: value for value in range(data.values)}
    found = audit(solution.grouping.labels.tolist(), data.sensitive.tolist(), order if distance == "ordered" else None)
    assert found.keeps(t=request.t)
    assert found.classes > 100


def test_a_hundred_rows_are_solved_to_the_optimum(people: list[dict[str, str]]) -> None:
    alone, with_work = table(people, 100), table(people, 100, "occupation")
    k, diverse = solve(alone, KAnonymity(3), 60.0), solve(with_work, TwoDiversity(), 60.0)
    assert (k.optimal, k.method) == (True, Method.PROGRAM)
    assert (diverse.optimal, diverse.method) == (True, Method.MATCHING)
    assert descend(alone, KAnonymity(3)).cost > k.grouping.cost
    with_two = table(people, 100, "income")
    half = np.concatenate([np.flatnonzero(with_two.sensitive == value)[:20] for value in (0, 1)])
    balanced = Microdata(with_two.quasi[half], with_two.sensitive[half], 2)
    matched = solve(balanced, TwoDiversity(), 60.0)
    outcome = program.solve(balanced, TwoDiversity(), 60.0)
    assert outcome is not None
    assert outcome.grouping is not None
    assert (matched.optimal, matched.method) == (True, Method.BIPARTITE)
    assert matched.grouping.cost == outcome.grouping.cost == outcome.bound


def test_a_search_ends_in_time_with_a_bound(people: list[dict[str, str]]) -> None:
    data = table(people, 400, "occupation", QUASI[:4])
    requirement = TCloseness(0.3, "equal", np.bincount(data.sensitive))
    start = time.monotonic()
    outcome = program.solve(data, requirement, 1.0)
    assert time.monotonic() - start < 60.0
    assert outcome is not None
    assert outcome.bound < descend(data, requirement).cost
    groups = pairing.twos_and_threes(data, [np.arange(data.n)])
    assert matching.Matching(data, groups, 0.0).solve() == program.Outcome(None, 0)


def test_programs_that_would_be_too_large_are_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    data = microdata([tuple(row) for row in rng.integers(0, 3, (30, 4)).tolist()])
    for name in ("MOST_CLASSES", "MOST_PATTERNS", "MOST_VARIABLES"):
        with monkeypatch.context() as patch:
            patch.setattr(program, name, 5)
            assert program.solve(data, KAnonymity(2), 60.0) is None
    assert program.closed_patterns(data.quasi, 10**6, deadline=-math.inf) is None


def test_edges_that_matter_may_come_later_and_too_many_leave_a_gap(
    people: list[dict[str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    data = table(people, 61, "occupation")
    groups = pairing.twos_and_threes(data, [np.arange(data.n)])
    best = matching.Matching(data, groups, 60.0).solve()
    assert best.grouping is not None
    assert best.grouping.cost == best.bound
    monkeypatch.setattr(matching, "FIRST", 0)
    later = matching.Matching(data, groups, 60.0).solve()
    assert later.grouping is not None
    assert (later.grouping.cost, later.bound) == (best.bound, best.bound)
    monkeypatch.setattr(matching, "MOST_EDGES", 0)
    found = matching.Matching(data, groups, 60.0).solve()
    assert found.grouping is not None
    assert found.bound <= best.bound < found.grouping.cost


def test_the_bound_looks_at_all_columns_only_where_sets_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    data = microdata([(1, 1), (1, 1), (1, 2), (5, 6)])
    assert lower.least_cost(data, KAnonymity(2)) == 0 + 0 + 1 + 2
    monkeypatch.setattr(lower, "MOST_STEPS", 0)
    assert lower.least_cost(data, KAnonymity(2)) == 2


def test_each_group_is_judged_by_its_own_rows(people: list[dict[str, str]]) -> None:
    data = table(people, 300, "occupation")
    labels = np.unique(np.random.default_rng(2).integers(0, 90, data.n), return_inverse=True)[1]
    groups = int(labels.max()) + 1
    whole = np.bincount(data.sensitive)
    for requirement in (KAnonymity(3), TwoDiversity(), TCloseness(0.7, "equal", whole)):
        at_once = groups_met(data, requirement, np.arange(data.n), labels)
        counts = [np.bincount(data.sensitive[labels == g], minlength=data.values) for g in range(groups)]
        each = [bool(requirement.met(Counts.of(one[None]))[0]) for one in counts]
        assert at_once.tolist() == each
        assert 0 < at_once.sum() < groups


def test_what_one_group_does_not_meet_no_partition_meets() -> None:
    data = microdata([(1,), (2,), (3,)], [1, 1, 2])
    assert subsets.optimum(data, TwoDiversity()) is None
    with pytest.raises(ValueError, match="one group"):
        solve(microdata([(1,), (2,)]), _Never(), 1.0)


class _Never:
    def met(self, counts: Any) -> Any:
        return np.zeros(len(counts.sizes), np.bool_)

    reachable = met


def test_what_rounding_lets_through_is_not_taken() -> None:
    data = microdata([(1,), (1,), (2,), (2,)])
    best = choosing._Best(data, KAnonymity(2))  # noqa: SLF001 - the guard that everything offered passes
    best.offer(subsets.optimum(data, KAnonymity(1)), Method.PROGRAM, 0)
    assert best.found is not None
    alone = grouping_of(data, [np.array([i]) for i in range(4)])
    fresh = choosing._Best(data, KAnonymity(2))  # noqa: SLF001
    fresh.offer(alone, Method.PROGRAM, 0)
    assert (fresh.found, fresh.settled) == (None, False)


SCRIPT = """
import signal
import numpy as np
from streamqid.anonymize import program
from streamqid.problems.interruptible import interruptible
from streamqid.anonymize.microdata import Microdata
from streamqid.anonymize.requirements import TCloseness

def milp(*args, **options):
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    return slow(*args, **options)

slow, program.milp = program.milp, milp
signal.signal(signal.SIGALRM, signal.default_int_handler)
rng = np.random.default_rng(1)
data = Microdata(rng.integers(0, 6, (300, 4)).astype(np.int32), rng.integers(0, 12, 300).astype(np.int32), 12)
try:
    program.solve(data, TCloseness(0.3, "equal", np.bincount(data.sensitive)), 300.0)
except KeyboardInterrupt:
    print("interrupted")
"""


def test_an_interrupt_does_not_wait_for_the_solver() -> None:
    # The solver alone would go on for five minutes.
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=100, check=True)
    assert ended.stdout == "interrupted\n"


def test_what_a_solver_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        interruptible(lambda: 1 // 0)
    assert interruptible(lambda: 7) == 7
