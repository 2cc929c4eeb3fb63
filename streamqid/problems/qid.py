"""k-anonymity test, minimum QID and minimal QID of a table (Yuan and Wang).

A column set is k-anonymous if every group of rows that are equal on it has at least k rows; the rows in smaller groups
are *exposed*.  Removing columns only merges groups (the paper's Lemma 1), so what a set exposes only grows with it.
By Definition 3 a set is a quasi-identifier (QID) when it exposes some row.  The algorithm of section 5.1 and the
examples of 4.2 and 5.2 look for more: a set that keeps as many different rows as all columns have, which for a database
without duplicates and k = 2 means that it exposes every row.  Both are offered (``Exposes``); the second as: every row
that all columns expose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamqid.measures.estimate import Estimate
from streamqid.problems.cuts import Reaching
from streamqid.problems.exposure import Exposure, exposed
from streamqid.problems.optimum_answer import optimality_of
from streamqid.problems.programs import lightest
from streamqid.problems.qid_answer import Exposes, QidAnswer, QidTestAnswer
from streamqid.problems.qid_sentences import qid_sentence, verdict_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamqid.measures.partition import Table
    from streamqid.problems.greedy import Refinement
    from streamqid.problems.optimum_answer import Optimality


def anonymity_test(table: Table, columns: Sequence[int], k: int) -> QidTestAnswer:
    """Decide exactly whether a column set is a QID (k-anonymity-test, Problem 1; Proposition 1)."""
    here = table.partition(columns)
    sizes, count = here.all_sizes(), exposed(here, k)
    names = [table.columns[j] for j in columns]
    share = Estimate.exact(count / table.n)
    return QidTestAnswer(
        k=k,
        delta=0.0,
        columns=names,
        qid=count > 0,
        exposed=share,
        smallest_group=int(sizes[0]),
        rows=table.n,
        sample=table.n,
        sample_unit="rows",
        exact=True,
        guarantee=verdict_sentence(names, k, share, None, qid=count > 0),
    )


def minimum_qid(
    table: Table, k: int, weights: Sequence[float], exposes: Exposes = Exposes.SOME, *, seconds: float = 60.0
) -> QidAnswer:
    """Find the lightest QID exactly (minimum-QID, Problem 2, which is NP-hard), with a time limit.

    A covering program over the largest sets that are no QID (``problems.cuts.Reaching``).
    """
    need = needed(table, k, exposes)
    if not need:
        return _answer(table, "minimum QID", k, exposes)

    def state() -> Refinement:
        return Exposure(table, k)

    chosen, optimality = lightest_reaching(table, state, need, weights, seconds)
    return _answer(table, "minimum QID", k, exposes, chosen, optimality)


def minimal_qid(table: Table, k: int, order: Sequence[int] | None = None, exposes: Exposes = Exposes.SOME) -> QidAnswer:
    """Find a QID of which no column can be left out (minimal-QID, Problem 5), by greedy descent (section 5.1).

    ``order`` numbers the columns in the order in which they are tried for dropping; by default from the right, as the
    paper's example does.  What it returns depends on it, and may be far larger than a minimum QID.
    """
    need = needed(table, k, exposes)
    if not need:
        return _answer(table, "minimal QID", k, exposes)
    chosen = descent(table, lambda: Exposure(table, k), need, order)
    return _answer(table, "minimal QID", k, exposes, chosen)


def needed(table: Table, k: int, exposes: Exposes) -> int:
    """Return how many rows a QID of the table exposes at least; 0 if all columns expose none."""
    every = exposed(table.partition(range(len(table.columns))), k)
    return min(1, every) if exposes is Exposes.SOME else every


def descent(
    table: Table, new_state: Callable[[], Refinement], need: int, order: Sequence[int] | None = None
) -> list[int]:
    """Drop columns one by one, in the given order, as long as the rest reaches the count."""
    m = len(table.columns)
    kept = list(range(m))
    for j in reversed(range(m)) if order is None else order:
        state = new_state()
        for i in kept:
            if i != j:
                state.add(i)
        if state.count >= need:
            kept.remove(j)
    return kept


def lightest_reaching(
    table: Table, new_state: Callable[[], Refinement], need: int, weights: Sequence[float], seconds: float
) -> tuple[list[int], Optimality]:
    """Return the lightest set that reaches the count; beside it, what the descent from heavy columns on finds."""
    m = len(weights)
    greedy = descent(table, new_state, need, sorted(range(m), key=lambda j: (-weights[j], -j)))
    cover = lightest(weights, Reaching(new_state, m, need, submodular=False), greedy, seconds)
    return cover.chosen, optimality_of(table.columns, cover, greedy, weights, seconds)


def _answer(
    table: Table,
    problem: Literal["minimum QID", "minimal QID"],
    k: int,
    exposes: Exposes,
    chosen: list[int] | None = None,
    optimality: Optimality | None = None,
) -> QidAnswer:
    every = Estimate.exact(exposed(table.partition(range(len(table.columns))), k) / table.n)
    share = every if chosen is None else Estimate.exact(exposed(table.partition(chosen), k) / table.n)
    names = None if chosen is None else [table.columns[j] for j in chosen]
    return QidAnswer(
        problem=problem,
        k=k,
        exposes=exposes,
        delta=0.0,
        anonymous=chosen is None,
        columns=names,
        exposed=share,
        exposed_by_all=every,
        optimality=optimality,
        rows=table.n,
        sample=table.n,
        sample_unit="rows",
        exact=True,
        guarantee=qid_sentence(names, k, share, None, optimality),
    )
