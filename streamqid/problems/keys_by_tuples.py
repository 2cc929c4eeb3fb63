"""Keys by distinct ratio, from tuples sampled without replacement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.measures.bounds import log_subsets, repeats_bound, share_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition, Table, table_of
from streamqid.problems import contributions
from streamqid.problems.answer import Measure
from streamqid.problems.certified import shortest_passing
from streamqid.problems.greedy import Refinement, key_chain
from streamqid.problems.key_question import FoundKey, KeyQuestion
from streamqid.problems.sizes import key_root

if TYPE_CHECKING:
    from streamqid.sampling.pairs import Evidence


def paper(evidence: Evidence, table_a: Table, question: KeyQuestion) -> FoundKey:
    """Find a key of a sample of k tuples (Theorem 7).

    The bound holds for all 2^m column sets at once with probability 1 - δ.  It is ``repeats_bound`` at δ/2^m,
    which for a sample without repeats is sharper than Lemma 6 (about 1 - ε/2 instead of 1 - ε, because
    groups have whole numbers of rows) and also holds where duplicates cause repeats.
    """
    m, n = len(evidence.columns), evidence.n
    table = table_a.head(math.ceil(key_root(m, question) * math.sqrt(n)))
    chosen = key_chain(Refinement(table), question.weights)
    return _found(table, table.partition(chosen), chosen, n, -log_subsets(m, question.delta), question)


def certified(evidence: Evidence, table_a: Table, question: KeyQuestion) -> FoundKey:
    """Choose a chain on the tuples of A and judge it on the tuples of B, from the long end down."""
    n, level = evidence.n, math.log(question.delta)
    chain = key_chain(Refinement(table_a), question.weights)
    table = table_of(evidence.columns, evidence.b.fingerprints, missing_differ=evidence.missing_differ)
    partitions = [Partition.trivial(table.n)]
    for j in chain:
        partitions.append(partitions[-1].refine(table.codes[j], table.sizes[j]))
    everything = _by_all(table, partitions[-1], chain).groups
    in_a = _by_all(table_a, table_a.partition(chain), chain)
    # Whether all columns reach the target is read off A, so that B judges one fixed kind of claim.
    reachable = _repeated(in_a.n - in_a.groups, in_a.n, n, level)
    relative = reachable is None or reachable > question.slack

    def passes(length: int) -> bool:
        groups = partitions[length].groups
        if relative:
            bound = _lost(everything - groups, table.n, n, level)
        else:
            bound = _repeated(table.n - groups, table.n, n, level)
        return bound is not None and bound <= question.slack

    length = shortest_passing(range(len(chain) + 1), passes)
    chosen = chain[: len(chain) if length is None else length]
    found = _found(table, partitions[len(chosen)], chosen, n, math.log(question.delta / len(partitions)), question)
    met = length is not None
    if met and not relative:
        ratio = found.ratio.model_copy(update={"lower": question.target})
        return FoundKey(chosen, ratio, question.target, None, True, found.sample, found.added)
    lost = question.slack if met else None
    return FoundKey(chosen, found.ratio, found.promised, lost, met, found.sample, found.added)


def _found(table: Table, here: Partition, chosen: list[int], n: int, level: float, question: KeyQuestion) -> FoundKey:
    """Bound the distinct ratio of a set, and what it loses against all columns, each at error exp(level)."""
    k, everything = table.n, _by_all(table, here, chosen).groups
    repeated = _repeated(k - here.groups, k, n, level)
    lower = None if repeated is None else 1.0 - repeated
    reached = lower is not None and lower >= question.target
    may_lose = _lost(everything - here.groups, k, n, level)
    # The paper's sample size bounds the loss by ε/(1 - ε) where Lemma 6 would bound the ratio by 1 - ε.
    relative = not reached and may_lose is not None and may_lose <= question.epsilon / (1.0 - question.epsilon)
    return FoundKey(
        chosen=chosen,
        ratio=Estimate(
            estimate=here.groups / k,
            lower=lower,
            upper=share_bound(here.groups, k, level, "upper", population=n),
            confidence=1.0 - question.delta,
        ),
        promised=question.target if reached else lower,
        lost=may_lose if relative else None,
        met=reached or relative,
        sample=k,
        added=contributions.from_table(table, chosen, Measure.DISTINCT, exact=False),
    )


def _by_all(table: Table, here: Partition, chosen: list[int]) -> Partition:
    """Refine the partition by the chosen columns to that by all columns."""
    for j in range(len(table.columns)):
        if j not in chosen and len(here.rows):
            here = here.refine(table.codes[j], table.sizes[j])
    return here


def _repeated(repeats: int, k: int, n: int, level: float) -> float | None:
    """Bound the share of the table's rows that repeat others on the set."""
    bound = repeats_bound(repeats, k, n, level)
    return None if bound is None else bound / n


def _lost(lost: int, k: int, n: int, level: float) -> float | None:
    """Bound the groups that the set loses against all columns, as a share of the rows.

    Take one row of each group of all columns.  A set that loses d of these groups leaves at least d/2
    disjoint pairs of such rows equal, each of which costs the sample a group if it is drawn completely; so
    the argument of ``repeats_bound`` holds for d/2 in the place of n - N.
    """
    bound = repeats_bound(lost, k, n, level)
    return None if bound is None else (2 * bound + 1) / n
