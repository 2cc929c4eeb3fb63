"""Independent pairs and tuples from samples without replacement.

The paper's lemmas speak of pairs drawn *independently*.  Pairs of one matching of the sampled rows are
not independent: once the sample is a large part of the table, agreeing pairs come in bursts (four rows a, a,
b, b have no agreeing pair in 2 of 3 matchings, where independent draws promise (2/3)^2), and bounds for
independent draws break.

So the draws are replayed.  Draw labels from 1..n *with* replacement, as the lemma does, and let every new
label stand for the next row of the sample.  Which draws coincide depends on n alone, and the rows in order of
their priorities are a uniform sequence without replacement, hence the rows so drawn are exactly independent
uniform draws from the table.  This holds for every sample size and every n; a sample of k rows lasts until
k different labels have come up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from streamqid.sampling.fingerprint import MISSING
from streamqid.sampling.priority import draws

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.sampling.secret import Secret


def replay(labels: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
    """Map labels to rows 0, 1, 2, … in order of first appearance, up to the draw that would need one more."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    row_of = np.empty(len(first), np.int64)
    row_of[np.argsort(first)] = np.arange(len(first))
    drawn = row_of[inverse]
    missing = np.flatnonzero(drawn >= rows)
    return drawn[: missing[0]] if missing.size else drawn


@dataclass(frozen=True, slots=True)
class Tuples:
    """The rows of one sample in order of priority: identities and fingerprints."""

    identity: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.fingerprints)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a solver sees: the samples A and B of a table with ``n`` rows.

    ``whole`` says that A (and B) hold every row, so that answers are exact.  ``n`` is exact when every
    record could be read, and otherwise estimated from the share of unreadable ones in the retained set.
    """

    columns: tuple[str, ...]
    n: int
    a: Tuples
    b: Tuples
    whole: bool
    missing_differ: bool
    secret: Secret

    def select(self, columns: Sequence[str]) -> Evidence:
        """Return the evidence on these columns, in this order; a column never seen is missing in every row."""
        have = {column: j for j, column in enumerate(self.columns)}

        def on(tuples: Tuples) -> Tuples:
            chosen = np.full((len(tuples), len(columns)), MISSING, np.uint64)
            for j, column in enumerate(columns):
                if column in have:
                    chosen[:, j] = tuples.fingerprints[:, have[column]]
            return Tuples(tuples.identity, chosen)

        return replace(self, columns=tuple(columns), a=on(self.a), b=on(self.b))

    def pairs(self, count: int) -> NDArray[np.bool_]:
        """Return at most ``count`` independent uniform pairs (A_i, B_i), never a row with itself.

        Element [j, i] says whether column j separates pair i.
        """
        # Some draws are lost to rows paired with themselves, and no sample lasts for many times its size.
        extra = min(count + 16 + 2 * count // max(self.n, 1), 64 + 8 * len(self.a))
        left = replay(draws(self.secret.draw_key("pairs A"), extra, self.n), len(self.a))
        right = replay(draws(self.secret.draw_key("pairs B"), extra, self.n), len(self.b))
        size = min(len(left), len(right))
        left, right = left[:size], right[:size]
        other = (self.a.identity[left] != self.b.identity[right]).any(axis=1)
        left, right = left[other][:count], right[other][:count]
        return self._separated(self.a.fingerprints[left], self.b.fingerprints[right])

    def pairs_inside_b(self, count: int) -> NDArray[np.bool_]:
        """Return at most ``count`` independent uniform pairs of two rows of B; nothing of A enters them."""
        if self.n < 2:
            return np.empty((len(self.columns), 0), np.bool_)
        left = draws(self.secret.draw_key("inside B left"), count, self.n)
        right = draws(self.secret.draw_key("inside B right"), count, self.n - 1)
        right += right >= left
        drawn = replay(np.stack([left, right], axis=1).ravel(), len(self.b))
        drawn = drawn[: len(drawn) // 2 * 2]
        return self._separated(self.b.fingerprints[drawn[::2]], self.b.fingerprints[drawn[1::2]])

    def _separated(self, left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.bool_]:
        separated = left != right
        if self.missing_differ:
            separated |= left == np.uint64(MISSING)
        return np.ascontiguousarray(separated.T)
