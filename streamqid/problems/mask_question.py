"""What is asked of a masking, and what a solver found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.problems.greedy import mask_chain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import Contribution, Measure, Rule
    from streamqid.problems.greedy import PairCover, Refinement


@dataclass(frozen=True, slots=True)
class MaskQuestion:
    """A large set is asked for whose ratio is at most β, except with probability δ.

    ``weights`` are the utilities of the columns; ``must_publish`` and ``must_hide`` are numbers of columns.
    """

    measure: Measure
    beta: float
    delta: float
    rule: Rule
    weights: Sequence[float]
    must_publish: Sequence[int] = ()
    must_hide: Sequence[int] = ()

    def chain(self, state: PairCover | Refinement, limit: float) -> list[int]:
        """Return the greedy chain on a state, up to a limit of its ratio; 0 says that nothing can be promised."""
        if not limit:
            return list(self.must_publish)
        fixed = {*self.must_publish, *self.must_hide}
        allowed = [j for j in range(len(self.weights)) if j not in fixed]
        return mask_chain(state, self.weights, self.must_publish, allowed, limit)


@dataclass(frozen=True, slots=True)
class FoundMask:
    """Columns to publish, and whether their ratio is promised to be at most β."""

    chosen: list[int]
    ratio: Estimate
    met: bool
    sample: int
    added: list[Contribution]
