"""Independent pairs and tuples from samples without replacement.

The paper's lemmas speak of pairs drawn *independently*.  Pairs of one matching of the sampled rows are
not independent: once the sample is a large part of the table, too many matchings have no agreeing pair (of four
rows a, a, b, b it is 2 of 3, where independent draws promise (2/3)^2), and bounds for independent draws break.

So the draws are replayed.  Draw labels from 1..n *with* replacement, as the lemma does, and let every new
label stand for the next row of the sample.  Which draws coincide depends on n alone, and the rows in order of
their priorities are a uniform sequence without replacement, hence the rows so drawn are exactly independent
uniform draws from the table.  This holds for every sample size and every n.  A sample of k rows gives k draws:
their number is fixed beforehand, since stopping when the rows run out would depend on what was drawn.
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


def replay(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Map labels to rows 0, 1, 2, … in order of first appearance."""
    order = np.argsort(labels)
    same = np.diff(labels[order]) == 0
    # Few labels come again where the table is large, so only those are looked at one by one.
    shared = np.concatenate([[False], same]) | np.concatenate([same, [False]]) if labels.size else same
    at = np.sort(order[shared])
    _, first, inverse = np.unique(labels[at], return_index=True, return_inverse=True)
    first_at = at[first][inverse]
    new = np.ones(len(labels), np.bool_)
    new[at] = first_at == at
    row = np.cumsum(new) - 1
    row[at] = row[first_at]
    return row


@dataclass(frozen=True, slots=True)
class Tuples:
    """The readable rows of one sample in order of priority: identities and fingerprints.

    ``place[i]`` is the row of the i-th record of the sample, and -1 where that record could not be read.
    """

    identity: NDArray[np.int64]
    fingerprints: NDArray[np.uint64]
    place: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.fingerprints)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a solver sees: the samples A and B of a table of ``n`` rows in ``records`` records.

    ``whole`` says that A (and B) hold every row, so that answers are exact and ``n`` is too.  Otherwise ``n`` is
    estimated by the share of readable records in the samples, and only ``records`` is certain.
    """

    columns: tuple[str, ...]
    n: int
    records: int
    a: Tuples
    b: Tuples
    whole: bool
    missing_differ: bool
    secret: Secret

    @property
    def population(self) -> int | None:
        """The number of rows to show: None if it is an estimate, because sampled records could not be read.

        Unless ``whole``, records outside the sample may be unreadable unseen, so no bound may rely on it.
        """
        return self.n if self.whole or self.n == self.records else None

    def select(self, columns: Sequence[str]) -> Evidence:
        """Return the evidence on these columns, in this order; a column never seen is missing in every row."""
        have = {column: j for j, column in enumerate(self.columns)}

        def on(tuples: Tuples) -> Tuples:
            chosen = np.full((len(tuples), len(columns)), MISSING, np.uint64)
            for j, column in enumerate(columns):
                if column in have:
                    chosen[:, j] = tuples.fingerprints[:, have[column]]
            return replace(tuples, fingerprints=chosen)

        return replace(self, columns=tuple(columns), a=on(self.a), b=on(self.b))

    def pairs(self, count: int) -> NDArray[np.bool_]:
        """Return at most ``count`` independent uniform pairs (A_i, B_i), never a row with itself.

        Element [j, i] says whether column j separates pair i.  Labels are drawn for all records; a pair with an
        unreadable record is dropped, which leaves independent uniform pairs of readable ones.
        """
        # As many draws as there are records in the sample never run out of them.
        size = min(len(self.a.place), len(self.b.place))
        left = self.a.place[self._drawn("pairs A", size, self.records)]
        right = self.b.place[self._drawn("pairs B", size, self.records)]
        readable = (left >= 0) & (right >= 0)
        left, right = left[readable], right[readable]
        other = (self.a.identity[left] != self.b.identity[right]).any(axis=1)
        left, right = left[other][:count], right[other][:count]
        return self._separated(self.a.fingerprints[left], self.b.fingerprints[right])

    def pairs_inside_b(self, count: int) -> NDArray[np.bool_]:
        """Return at most ``count`` independent uniform pairs of two rows of B; nothing of A enters them."""
        size = len(self.b.place) // 2
        if self.records < 2 or not size:
            return np.empty((len(self.columns), 0), np.bool_)
        left = draws(self.secret.draw_key("inside B left"), size, self.records)
        right = draws(self.secret.draw_key("inside B right"), size, self.records - 1)
        right += right >= left
        drawn = self.b.place[replay(np.stack([left, right], axis=1).ravel())].reshape(-1, 2)
        left, right = drawn[(drawn >= 0).all(axis=1)][:count].T
        return self._separated(self.b.fingerprints[left], self.b.fingerprints[right])

    def _drawn(self, purpose: str, size: int, below: int) -> NDArray[np.int64]:
        return replay(draws(self.secret.draw_key(purpose), size, below))

    def _separated(self, left: NDArray[np.uint64], right: NDArray[np.uint64]) -> NDArray[np.bool_]:
        separated = left != right
        if self.missing_differ:
            separated |= left == np.uint64(MISSING)
        return np.ascontiguousarray(separated.T)
