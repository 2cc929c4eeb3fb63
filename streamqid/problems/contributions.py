"""How much each column adds to the risk of a column set."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import Partition
from streamqid.measures.ratios import distinct, separation, separation_estimate
from streamqid.problems.answer import Contribution, Measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.measures.partition import Table


def from_pairs(
    separated: NDArray[np.bool_], chosen: Sequence[int], columns: Sequence[str], delta: float, log_choices: float = 0.0
) -> list[Contribution]:
    """Estimate the change of the separation from independent pairs.

    A set loses with a member the pairs that no other member separates, and gains with another column the
    pairs that no member separates: both are shares of pairs.  The interval of each column holds with confidence
    1 - δ for itself, also when the set was chosen by these pairs among exp(log_choices) sets.
    """
    by_members = separated[list(chosen)].sum(axis=0, dtype=np.int64)
    alone, open_pairs = by_members == 1, by_members == 0
    return [
        Contribution(
            column=name,
            member=j in chosen,
            change=separation_estimate(separated[j] & (alone if j in chosen else open_pairs), delta, log_choices),
        )
        for j, name in enumerate(columns)
    ]


def from_table(table: Table, chosen: Sequence[int], measure: Measure, *, exact: bool) -> list[Contribution]:
    """Compute the change of a ratio over the rows of a table.

    Over a sample (not ``exact``) the change is that of the sample, without a bound on either side: a tuple
    sample bounds the distinct ratio itself, not differences of it.
    """
    ratio = separation if measure is Measure.SEPARATION else distinct
    here = table.partition(chosen)
    base, without = ratio(here), _without_each(table, chosen)
    result = []
    for j, name in enumerate(table.columns):
        other = without[j] if j in without else here.refine(table.codes[j], table.sizes[j])
        change = abs(base - ratio(other))
        estimate = (
            Estimate.exact(change) if exact else Estimate(estimate=change, lower=None, upper=None, confidence=0.0)
        )
        result.append(Contribution(column=name, member=j in without, change=estimate))
    return result


def _without_each(table: Table, chosen: Sequence[int]) -> dict[int, Partition]:
    """Return, for each chosen column, the partition by all the others.

    The columns outside a half are shared by all columns of that half, so each takes part in log2 of their number
    of refinements instead of in all of them.
    """
    found: dict[int, Partition] = {}

    def leave_out(part: Sequence[int], by_others: Partition) -> None:
        if len(part) == 1:
            found[part[0]] = by_others
        elif part:
            half = len(part) // 2
            leave_out(part[:half], _refined(by_others, table, part[half:]))
            leave_out(part[half:], _refined(by_others, table, part[:half]))

    leave_out(chosen, Partition.trivial(table.n))
    return found


def _refined(partition: Partition, table: Table, columns: Sequence[int]) -> Partition:
    for j in columns:
        partition = partition.refine(table.codes[j], table.sizes[j])
    return partition
