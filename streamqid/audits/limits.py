"""The judgement of each limit that an audit is asked for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.audits.answer import Limit
from streamqid.audits.sentences import limit_sentence
from streamqid.measures.distances import TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from streamqid.audits.answer import Model
    from streamqid.audits.asked import Limits
    from streamqid.audits.classes import Classes
    from streamqid.audits.measured import Measured


@dataclass(frozen=True, slots=True)
class Judged:
    """A figure of every group, and which groups violate the limit on it."""

    model: Model
    asked: float
    figures: NDArray[np.number]
    violated: NDArray[np.bool_]
    least: bool
    """Whether the figure must be large (k, l), so that the smallest is the worst."""

    def limit(self, column: str | None, rows: NDArray[np.int64], sizes: NDArray[np.int64]) -> Limit:
        """Return the document; equal figures are the worse the smaller the group is."""
        worst = self.figures.min() if self.least else self.figures.max()
        found = float(worst) if math.isfinite(worst) else None
        size = int(sizes[self.figures == worst].min())
        groups, hit = int(self.violated.sum()), int(rows[self.violated].sum())
        limit = Limit(
            model=self.model,
            column=column,
            asked=self.asked,
            found=found,
            met=not groups,
            worst_group=size,
            groups=groups,
            rows=hit,
            sentence="",
        )
        return limit.model_copy(update={"sentence": limit_sentence(limit)})


def judge_groups(classes: Classes, limits: Limits) -> Iterator[Limit]:
    """Yield the limit on the size of groups, if there is one."""
    if limits.k is not None:
        judged = Judged("k-anonymity", limits.k, classes.sizes, classes.sizes < limits.k, least=True)
        yield judged.limit(None, classes.rows, classes.sizes)


def judge_column(found: Measured, limits: Limits) -> Iterator[Limit]:
    """Yield the limits on a sensitive column."""
    for judged in (*_diversity(found, limits), *_disclosure(found, limits)):
        yield judged.limit(found.column.name, found.rows, found.sizes)


def _diversity(found: Measured, limits: Limits) -> Iterator[Judged]:
    if limits.l is not None:
        asked = limits.l
        yield Judged("distinct l-diversity", asked, found.distinct, found.distinct < asked, least=True)
        crowded = found.largest * float(asked) > found.sizes
        yield Judged("frequency l-diversity", asked, found.sizes / found.largest, crowded, least=True)
        yield Judged("entropy l-diversity", asked, found.entropy, found.entropy < asked - TOLERANCE, least=True)
    if limits.c is not None:
        yield Judged("recursive (c, l)-diversity", limits.c, found.ratio, found.ratio >= limits.c, least=False)


def _disclosure(found: Measured, limits: Limits) -> Iterator[Judged]:
    if limits.t is not None:
        far = found.distance > limits.t + TOLERANCE
        yield Judged("t-closeness", limits.t, found.distance, far, least=False)
    if limits.alpha is not None:
        violated = (found.share > limits.alpha + TOLERANCE) | (found.sizes < (limits.k or 1))
        yield Judged("(α, k)-anonymity", limits.alpha, found.share, violated, least=False)
    if limits.delta is not None:
        yield Judged("δ-disclosure privacy", limits.delta, found.told, found.told >= limits.delta, least=False)
    if limits.beta is not None:
        above = found.gain > limits.beta + TOLERANCE
        yield Judged("basic β-likeness", limits.beta, found.gain, above, least=False)
        gain = np.where(found.unlike, np.inf, found.gain)
        yield Judged("enhanced β-likeness", limits.beta, gain, above | found.unlike, least=False)
