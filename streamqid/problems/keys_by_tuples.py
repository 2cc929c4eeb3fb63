"""Keys by distinct ratio, from tuples sampled without replacement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.bounds import log_subsets, repeats_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition, Table, table_of
from streamqid.problems import contributions
from streamqid.problems.answer import Measure
from streamqid.problems.certified import shortest_passing
from streamqid.problems.greedy import Refinement, key_chain
from streamqid.problems.key_question import FoundKey, KeyQuestion
from streamqid.problems.sizes import CLAIMS, key_root, key_tuples

if TYPE_CHECKING:
    from streamqid.sampling.pairs import Evidence


def paper(evidence: Evidence, table_a: Table, question: KeyQuestion) -> FoundKey:
    """Find a key of a sample of k tuples (Theorem 7).

    The bounds hold for all 2^m column sets at once: ``repeats_bound`` at δ/2^m, which for a sample without
    repeats is sharper than Lemma 6 (about 1 - ε/2 instead of 1 - ε, because groups have whole numbers of rows).
    Where duplicates cause repeats, the loss against all columns is judged instead, on somewhat more tuples.
    A third of δ is for each claim: the ratio by the first tuples, the ratio by all of them, and the loss.
    """
    m, records = len(evidence.columns), evidence.records
    level = -log_subsets(m, question.paid_delta / CLAIMS)
    table = table_a.head(math.ceil(key_root(m, question) * math.sqrt(records)))
    chosen = key_chain(Refinement(table), question.weights)
    here = table.partition(chosen)
    repeated, may_lose = repeats_bound(table.n - here.groups, table.n, records, level), None
    reached = repeated is not None and repeated <= question.slack
    if not reached:
        table = table_a.head(key_tuples(m, records, question))
        chosen = key_chain(Refinement(table), question.weights)
        here = table.partition(chosen)
        repeated = repeats_bound(table.n - here.groups, table.n, records, level)
        reached = repeated is not None and repeated <= question.slack
        may_lose = _lost(_by_all(table, here, chosen).groups - here.groups, table.n, records, level)
    relative = not reached and may_lose is not None and may_lose <= question.slack
    return FoundKey(
        chosen=chosen,
        ratio=_estimate(here, repeated, question.delta),
        promised=question.target if reached else None if repeated is None else 1.0 - repeated,
        lost=may_lose if relative else None,
        met=reached or relative,
        sample=table.n,
        added=contributions.from_table(table, chosen, Measure.DISTINCT, exact=False),
    )


def certified(evidence: Evidence, table_a: Table, question: KeyQuestion) -> FoundKey:
    """Choose a chain on the tuples of A and judge it on the tuples of B, from the long end down.

    Where B judges what a prefix loses, a part of δ is kept for the ratio that is told besides: all that is claimed
    holds together with probability 1 - δ (docs/decisions/0004).
    """
    records, level = evidence.records, math.log(question.paid_delta)
    chain = key_chain(Refinement(table_a), question.weights)
    table = table_of(evidence.columns, evidence.b.fingerprints, missing_differ=evidence.missing_differ)
    partitions = [Partition.trivial(table.n)]
    for j in chain:
        partitions.append(partitions[-1].refine(table.codes[j], table.sizes[j]))
    everything = _by_all(table, partitions[-1], chain).groups
    in_a = _by_all(table_a, table_a.partition(chain), chain)
    # Whether all columns reach the target is read off A, so that B judges one fixed kind of claim.
    reachable = repeats_bound(in_a.n - in_a.groups, in_a.n, records, level)
    relative = reachable is None or reachable > question.slack
    level = math.log(question.loss_delta) if relative else level

    def passes(length: int) -> bool:
        groups = partitions[length].groups
        if relative:
            bound = _lost(everything - groups, table.n, records, level)
        else:
            bound = repeats_bound(table.n - groups, table.n, records, level)
        return bound is not None and bound <= question.slack

    length = shortest_passing(range(len(chain) + 1), passes)
    met = length is not None
    chosen = chain[: len(chain) if length is None else length]
    here = partitions[len(chosen)]
    # A prefix that passed is certified for the target.  If the longest one failed, its own bound misses the target,
    # so it can only be wrong where that test was to fail; the ratio beside a loss pays for all prefixes.
    repeated: float | None = question.slack
    if relative or not met:
        claimed = math.log(question.ratio_delta / len(partitions)) if relative else level
        repeated = repeats_bound(table.n - here.groups, table.n, records, claimed)
    return FoundKey(
        chosen=chosen,
        ratio=_estimate(here, repeated, question.delta),
        promised=None if repeated is None else 1.0 - repeated,
        lost=question.slack if met and relative else None,
        met=met,
        sample=table.n,
        added=contributions.from_table(table, chosen, Measure.DISTINCT, exact=False),
    )


def _estimate(here: Partition, repeated: float | None, delta: float) -> Estimate:
    """Return the estimate with the bound that was claimed; 1 is the only upper bound that costs nothing."""
    ratio = here.groups / max(here.n, 1)
    lower = None if repeated is None else min(1.0 - repeated, ratio)
    return Estimate(estimate=ratio, lower=lower, upper=1.0, confidence=1.0 - delta)


def _by_all(table: Table, here: Partition, chosen: list[int]) -> Partition:
    """Refine the partition by the chosen columns to that by all columns."""
    for j in range(len(table.columns)):
        if j not in chosen and len(here.rows):
            here = here.refine(table.codes[j], table.sizes[j])
    return here


def _lost(lost: int, k: int, records: int, level: float) -> float | None:
    """Bound the groups that the set loses against all columns, as a share of the rows.

    Take one row of each group of all columns.  A set that loses d of these groups leaves at least d/2
    disjoint pairs of such rows equal, each of which costs the sample a group if it is drawn completely; so
    the argument of ``repeats_bound`` holds for d/2 in the place of n - N.
    """
    bound = repeats_bound(lost, k, records, level)
    return None if bound is None else 2 * bound
