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
    prefixes = [Partition.trivial(table.n)]
    for j in chosen:
        prefixes.append(prefixes[-1].refine(table.codes[j], table.sizes[j]))
    here = prefixes[-1]
    base = ratio(here)
    result = []
    for j, name in enumerate(table.columns):
        if j in chosen:
            place = list(chosen).index(j)
            without = prefixes[place]
            for i in chosen[place + 1 :]:
                without = without.refine(table.codes[i], table.sizes[i])
            change = base - ratio(without)
        else:
            change = ratio(here.refine(table.codes[j], table.sizes[j])) - base
        estimate = (
            Estimate.exact(change) if exact else Estimate(estimate=change, lower=None, upper=None, confidence=0.0)
        )
        result.append(Contribution(column=name, member=j in chosen, change=estimate))
    return result
