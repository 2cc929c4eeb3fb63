"""The measures of one given column set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition, table_of
from streamqid.measures.ratios import (
    distinct,
    distinct_estimate,
    separation,
    separation_estimate,
    unique,
    unique_estimate,
)
from streamqid.problems import contributions
from streamqid.problems.answer import CheckAnswer, GroupSizes, Measure
from streamqid.problems.sentences import check_sentence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.problems.answer import Contribution
    from streamqid.sampling.pairs import Evidence

SMALL_GROUP = 5


def check(evidence: Evidence, columns: Sequence[str], delta: float) -> CheckAnswer:
    """Measure one column set (see ``Checker.check``)."""
    return Checker(evidence).check(columns, delta)


class Checker:
    """Measures column sets one after the other; what they share is computed once."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._table = table_of(evidence.columns, evidence.a.fingerprints, missing_differ=evidence.missing_differ)
        self._pairs = None if evidence.whole else evidence.pairs(len(evidence.a))

    def partition(self, columns: Sequence[str]) -> Partition:
        """Return the rows of sample A, grouped by these columns."""
        return self._table.partition(self._numbers(columns))

    def check(self, columns: Sequence[str], delta: float) -> CheckAnswer:
        """Measure one column set; each interval holds with probability 1 - δ for itself.

        Separation from independent pairs (A_i, B_i); the distinct ratio and the unique rows from the tuples of A, with
        bounds only on the sides that such a sample supports.  Exact when the sample holds the whole table.
        """
        evidence, pairs, chosen = self._evidence, self._pairs, self._numbers(columns)
        here = self._table.partition(chosen)
        if pairs is None:
            added = contributions.from_table(self._table, chosen, Measure.SEPARATION, exact=True)
            return exact_check(columns, here, added)
        separated = separation_estimate(np.logical_or.reduce(pairs[chosen], axis=0), delta)
        return CheckAnswer(
            columns=list(columns),
            delta=delta,
            separation=separated,
            distinct=distinct_estimate(here, evidence.records, delta),
            unique_rows=unique_estimate(here, delta),
            contributions=contributions.from_pairs(pairs, chosen, evidence.columns, delta),
            rows=evidence.n,
            rows_estimated=evidence.population is None,
            sample=pairs.shape[1],
            sample_unit="pairs",
            exact=False,
            guarantee=check_sentence(columns, evidence.n, separated, delta),
        )

    def _numbers(self, columns: Sequence[str]) -> list[int]:
        return [self._evidence.columns.index(column) for column in columns]


def exact_check(columns: Sequence[str], here: Partition, added: list[Contribution]) -> CheckAnswer:
    """Return the exact measures of a column set, given the partition of all rows by it."""
    sizes = here.all_sizes()
    separated = Estimate.exact(separation(here))
    return CheckAnswer(
        columns=list(columns),
        delta=0.0,
        separation=separated,
        distinct=Estimate.exact(distinct(here)),
        unique_rows=Estimate.exact(unique(here)),
        group_sizes=GroupSizes(
            groups=len(sizes),
            smallest=int(sizes[0]),
            median=float(np.median(sizes)),
            largest=int(sizes[-1]),
            rows_below_5=int(sizes[sizes < SMALL_GROUP].sum()),
        ),
        contributions=added,
        rows=here.n,
        sample=here.n,
        sample_unit="rows",
        exact=True,
        guarantee=check_sentence(columns, here.n, separated, None),
    )
