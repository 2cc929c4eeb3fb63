"""All minimal keys, β-separation sets and β-distinct sets of a whole table, as an answer (Motwani-Xu, section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.measures.estimate import Estimate
from streamqid.problems.minimal_answer import Method, MinimalAnswer, MinimalSet, minimal_sentence, problem_of
from streamqid.problems.minimal_sets import Found, Search, minimal_sets
from streamqid.problems.set_costs import TableCosts, limit_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.partition import Table
    from streamqid.problems.minimal_question import MinimalQuestion


def all_minimal(table: Table, question: MinimalQuestion, *, method: Method = "search", seed: int = 0) -> MinimalAnswer:
    """Find every minimal column set that reaches the ratio asked for.

    By ``search`` the answer is exact on the table: complete up to 22 columns, and beyond that up to the set
    size that it states.  By ``levelwise`` it is the same with probability at least 1 - δ (always, for keys); that
    method takes at most 22 columns and no ``max_size``.  ``seed`` changes the time that is needed, and what is pruned.
    """
    m = len(table.columns)
    search: Search
    saved, uncertain = None, None
    if method == "levelwise":
        # Imported here because the other method needs no bounds, and scipy takes a third of its time to import.
        from streamqid.problems.levelwise import PrunedSearch

        search = pruned = PrunedSearch(table, question, seed)
        found = search.take(question.max_sets)
        saved = pruned.saved if search.complete_up_to == m else None
        uncertain = None if question.keys else question.delta
    else:
        costs = TableCosts(table, question.measure, seed)
        search = minimal_sets(costs, limit_of(costs, question), rows=table.n, max_size=question.max_size)
        found = search.take(question.max_sets)
    total = max(1, search.costs.total)
    sets = [
        MinimalSet(columns=names(table.columns, one), ratio=Estimate.exact(1.0 - one.cost / total), certain=True)
        for one in ranked(found, question.weights)
    ]
    up_to = search.complete_up_to if search.complete_up_to >= 0 else None
    return MinimalAnswer(
        problem=problem_of(question),
        measure=question.measure,
        method=method,
        epsilon=None if question.beta is not None else question.epsilon,
        beta=question.target,
        delta=uncertain,
        sets=sets,
        complete=up_to == m,
        complete_up_to=up_to,
        tested=search.tested,
        saved=saved,
        inseparable_rows=len(table.partition(range(m)).rows),
        rows=table.n,
        sample=table.n,
        sample_unit="rows",
        exact=uncertain is None,
        guarantee=minimal_sentence(question, sets, up_to=up_to, m=m, delta=uncertain, exact=True),
    )


def ranked(found: Sequence[Found], weights: Sequence[float]) -> list[Found]:
    """Return sets by ascending weight, those with the lowest cost (the highest risk) first, then by their columns."""
    return sorted(found, key=lambda one: (sum(weights[j] for j in one.columns), one.cost, one.columns))


def names(columns: Sequence[str], found: Found) -> list[str]:
    """Return the names of the columns of a set."""
    return [columns[j] for j in found.columns]
