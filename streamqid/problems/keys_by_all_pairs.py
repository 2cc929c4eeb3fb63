"""Keys by separation, from all pairs of a few tuples (Hildebrant et al. 2022)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.measures.bounds import drawn_share_bound, log_subsets, tuple_pairs_bound
from streamqid.measures.estimate import Estimate
from streamqid.measures.ratios import separation
from streamqid.problems import contributions
from streamqid.problems.answer import Measure
from streamqid.problems.greedy import Refinement, key_chain
from streamqid.problems.key_question import FoundKey, KeyQuestion
from streamqid.problems.keys_by_pairs import ROUNDING

if TYPE_CHECKING:
    from streamqid.measures.partition import Table
    from streamqid.sampling.pairs import Evidence


def tuples(evidence: Evidence, table: Table, question: KeyQuestion) -> FoundKey:
    """Find a key of the tuples of A, which separates every pair of them that can be separated.

    Any column set that leaves more than the share ε of all pairs of rows unseparated leaves a pair of the sample
    unseparated, and so is rejected, except with probability δ for all 2^m sets at once
    (``measures.bounds.tuple_pairs_bound``, proven in docs/decisions/0007 for samples without replacement, whatever
    the number of rows).  It takes Θ(m/√ε) tuples where Theorem 5 takes Θ(m/ε) pairs.

    What differs from the paper's rule: all r(r-1)/2 pairs of the sample must be separated, not Θ(m/ε) of them, so
    keys tend to be longer: what is returned separates more than was asked for.  Its size is at most 1 + ln(r(r-1)/2)
    times that of the smallest key.  Rows of the sample that are equal on all columns count as repeats and weaken the
    promise; there is no promise relative to all columns, because a few rows among many equal ones
    cannot be expected in so small a sample.  If all tuples are equal, no column is chosen, and what all columns
    separate is bounded by the share of the rows that differ from them; that takes the part of δ of the empty set.
    """
    return judged(evidence, table, question, key_chain(Refinement(table), question.weights))


def judged(evidence: Evidence, table: Table, question: KeyQuestion, chosen: list[int]) -> FoundKey:
    """Return the promise for a set, however it was chosen: the bound holds for all 2^m at once."""
    here = table.partition(chosen)
    level = -log_subsets(len(evidence.columns), question.paid_delta)
    lower = 1.0 - tuple_pairs_bound(table.n - here.groups, table.n, level)
    nothing = None if chosen else min(1.0, 2.0 * drawn_share_bound(0, table.n, level))
    reached, share = lower >= question.target - ROUNDING, separation(here)
    return FoundKey(
        chosen=chosen,
        ratio=Estimate(estimate=share, lower=min(lower, share), upper=1.0, confidence=1.0 - question.delta),
        promised=question.target if reached else lower or None,
        lost=nothing,
        met=reached or (nothing is not None and nothing <= question.slack),
        sample=table.n,
        added=contributions.from_table(table, chosen, Measure.SEPARATION, exact=False),
    )
