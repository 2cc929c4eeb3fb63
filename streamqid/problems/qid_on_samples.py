"""What a sample says about quasi-identifiers against k-anonymity.

*What it can say.*  Rows outside small groups repeat others: a group of s >= k rows has s - 1 >= s(k-1)/k repeats.  So
with N groups among n rows, at most k/(k-1)·(n - N) rows are not exposed, and the bound on n - N from the repeats of a
sample (``measures.bounds.repeats_bound``) gives a lower bound on the exposed rows: a set that shows hardly any
repeats in a sample far beyond √n rows is a QID.  And a row that is exposed in the table is exposed in every
sample that holds it, which gives an upper bound.

*What it cannot say.*  That no row is exposed: a single one outside the sample would do.  So the verdict is "yes" or
unknown, never "no".  Nor which set is a minimum QID of the table: it may be smaller than the smallest set that the
sample proves to be one.  Nor that a set exposes every row that all columns expose.

A sample that holds the whole table is answered exactly.  Everything holds for records that cannot be read as well
(docs/decisions/0006).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from streamqid.measures.bounds import drawn_share_bound, log_subsets, repeats_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition, table_of
from streamqid.problems import qid
from streamqid.problems.answer import Rule
from streamqid.problems.exposure import exposed
from streamqid.problems.greedy import Grouping
from streamqid.problems.qid import descent, lightest_reaching
from streamqid.problems.qid_answer import Exposes, QidAnswer, QidTestAnswer
from streamqid.problems.qid_sentences import qid_sentence, verdict_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.partition import Table
    from streamqid.problems.optimum_answer import Optimality
    from streamqid.sampling.pairs import Evidence


def anonymity_test(evidence: Evidence, columns: Sequence[int], k: int, delta: float) -> QidTestAnswer:
    """Judge one column set, named beforehand, on the tuples of A: a QID with confidence 1 - δ, or unknown."""
    table = _table(evidence)
    if evidence.whole:
        return qid.anonymity_test(table, columns, k)
    share = exposed_estimate(table.partition(columns), k, evidence.records, delta)
    names = [table.columns[j] for j in columns]
    proven = True if share.lower else None
    return QidTestAnswer(
        k=k,
        delta=delta,
        columns=names,
        qid=proven,
        exposed=share,
        smallest_group=None,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=table.n,
        sample_unit="tuples",
        exact=False,
        guarantee=verdict_sentence(names, k, share, delta, qid=proven),
    )


def minimum_qid(
    evidence: Evidence, k: int, delta: float, weights: Sequence[float], *, seconds: float = 60.0
) -> QidAnswer:
    """Find the lightest set that the tuples of A prove to be a QID, for all 2^m sets at once with confidence 1 - δ."""
    table = _table(evidence)
    if evidence.whole:
        return qid.minimum_qid(table, k, weights, seconds=seconds)
    need = _need(evidence, table, k, delta)
    if need is None:
        return _answer(evidence, table, "minimum QID", k, delta)
    chosen, optimality = lightest_reaching(table, lambda: Grouping(table), need, weights, seconds)
    return _answer(evidence, table, "minimum QID", k, delta, chosen=chosen, optimality=optimality)


def minimal_qid(evidence: Evidence, k: int, delta: float, order: Sequence[int] | None = None) -> QidAnswer:
    """Drop columns, in the given order or from the right, as long as the tuples of A prove the rest to be a QID."""
    table = _table(evidence)
    if evidence.whole:
        return qid.minimal_qid(table, k, order)
    need = _need(evidence, table, k, delta)
    if need is None:
        return _answer(evidence, table, "minimal QID", k, delta)
    chosen = descent(table, lambda: Grouping(table), need, order)
    return _answer(evidence, table, "minimal QID", k, delta, chosen=chosen)


def exposed_estimate(sample: Partition, k: int, records: int, delta: float, log_choices: float = 0.0) -> Estimate:
    """Estimate the share of rows in groups of fewer than k; if the sample chose the set, among exp(log_choices).

    The estimate is that of the sample, which shows more of them than the table has.  Half of δ is for each bound.
    """
    level = math.log(delta / 2) - log_choices
    return Estimate(
        estimate=exposed(sample, k) / max(sample.n, 1),
        lower=_lower(sample.n - sample.groups, sample.n, k, records, level),
        upper=drawn_share_bound(exposed(sample, k), sample.n, level),
        confidence=1.0 - delta,
    )


def _lower(repeats: int, tuples: int, k: int, records: int, level: float) -> float | None:
    repeated = repeats_bound(repeats, tuples, records, level)
    return None if repeated is None else max(0.0, 1.0 - repeated * k / (k - 1)) or None


def _need(evidence: Evidence, table: Table, k: int, delta: float) -> int | None:
    """Return how many groups prove a set to be a QID, whichever of the 2^m it is; None if all columns have fewer."""
    level = -log_subsets(len(table.columns), delta / 2)
    everything = table.partition(range(len(table.columns))).groups

    def proves(groups: int) -> bool:
        return bool(_lower(table.n - groups, table.n, k, evidence.records, level))

    if not proves(everything):
        return None
    low, high = 0, everything
    while low + 1 < high:
        middle = (low + high) // 2
        low, high = (low, middle) if proves(middle) else (middle, high)
    return high


def _answer(
    evidence: Evidence,
    table: Table,
    problem: Literal["minimum QID", "minimal QID"],
    k: int,
    delta: float,
    *,
    chosen: list[int] | None = None,
    optimality: Optimality | None = None,
) -> QidAnswer:
    m = len(table.columns)
    every = exposed_estimate(table.partition(range(m)), k, evidence.records, delta)
    share = every
    if chosen is not None:
        share = exposed_estimate(table.partition(chosen), k, evidence.records, delta, m * math.log(2.0))
    names = None if chosen is None else [table.columns[j] for j in chosen]
    return QidAnswer(
        problem=problem,
        rule=Rule.PAPER,
        k=k,
        exposes=Exposes.SOME,
        delta=delta,
        anonymous=None if chosen is None else False,
        columns=names,
        exposed=share,
        exposed_by_all=every,
        optimality=optimality,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=table.n,
        sample_unit="tuples",
        exact=False,
        guarantee=qid_sentence(names, k, share, delta, optimality),
    )


def _table(evidence: Evidence) -> Table:
    return table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
