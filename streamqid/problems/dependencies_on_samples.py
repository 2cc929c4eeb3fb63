"""Approximate dependencies from two samples: which may hold in the table, and which are certain to.

The g3 error of X → Y is the smallest share of the rows without which the dependency holds.  Both sides have a bound,
each at the level δ/2 divided by the number of dependencies that could be named, so that all hold at once:

- *From below, by sample A.*  Let W be a largest part of the table on which X → Y holds: |W| = (1 - g3)·n.  The sampled
  rows of W obey the dependency.  So the most rows of the sample that obey it are at least as many, and they bound the
  share of W from above (``drawn_share_bound``).
- *From above, by samples A and B.*  The most frequent value of Y in each class of X, as A sees it, is a function of X.
  It is enough to remove the rows of the table that it is wrong about (a class that A never saw counts as wrong), and
  their share is bounded by the rows of B that it is wrong about: B is independent of A (docs/decisions/0004).

So a dependency is ruled out, certain, or neither.  The second bound says little where X has many values for the
sample: such a dependency is one of the sample only.  Quasi-identifiers by single values of X (Hua et al., Algorithm 2)
no sample can show, since a row that is alone in it may have its equal outside.

Condition, besides those of ``minimum_key``: which columns there are must not depend on the sample.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.bounds import drawn_share_bound
from streamqid.measures.dependence import agreement
from streamqid.measures.estimate import Estimate
from streamqid.measures.partition import table_of
from streamqid.measures.radix import numbered_groups
from streamqid.problems.declared import declared_quasi_identifiers
from streamqid.problems.dependencies_answer import DependenciesAnswer, FoundDependency, dependencies_sentence
from streamqid.problems.instance import MOST_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from streamqid.measures.partition import Table
    from streamqid.problems.declared import Dependency
    from streamqid.sampling.pairs import Evidence


@dataclass(frozen=True, slots=True)
class DependencyQuestion:
    """Dependencies with a g3 error of at most ``threshold`` and at most ``most`` columns on the left are asked for."""

    threshold: float = 0.01
    delta: float = 0.01
    most: int = MOST_COLUMNS
    declared: tuple[Dependency, ...] = ()
    """Dependencies whose error is told in any case."""
    max_found: int = 100
    """Dependencies that an answer lists; the others are counted."""
    identifiers: tuple[str, ...] = ()
    """Columns that name a person: sets that determine them by the declared dependencies are quasi-identifiers."""

    def tests(self, m: int) -> int:
        """Return how many dependencies an answer about m columns could name."""
        return len(self.declared) + sum(math.comb(m, size) * (m - size) for size in range(min(self.most, m) + 1))


def dependencies_on_samples(evidence: Evidence, question: DependencyQuestion) -> DependenciesAnswer:
    """Find the minimal dependencies that the table may have, and say which of them are certain to hold.

    With probability 1 - δ, for all of them at once: of every dependency that the table obeys within the threshold, a
    part of the left side is told with the same right side, and one that is called certain holds.  Exact when the sample
    holds the whole table.
    """
    samples = Samples(evidence, question)
    found = list(_minimal(samples, question))
    # Stable: among equals the order of the columns stays.
    found.sort(key=lambda one: (not one.certain, len(one.left), one.error.estimate if one.error else 1.0))
    given = [samples.judged(sorted(one.left), sorted(one.right)) for one in question.declared]
    identifying = declared_quasi_identifiers(question.declared, question.identifiers) if question.identifiers else []
    return DependenciesAnswer(
        threshold=question.threshold,
        delta=question.delta,
        most=question.most,
        dependencies=found[: question.max_found],
        left_off=max(0, len(found) - question.max_found),
        declared=given,
        quasi_identifiers=[sorted(one) for one in identifying],
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=len(evidence.b),
        sample_unit="rows" if evidence.whole else "tuples",
        exact=evidence.whole,
        guarantee=dependencies_sentence(question.threshold, question.most, found, question.delta, exact=evidence.whole),
    )


def _minimal(samples: Samples, question: DependencyQuestion) -> Iterator[FoundDependency]:
    """Yield the dependencies that are not ruled out, while every one with a part of its left side is."""
    m, held = len(samples.columns), set[tuple[frozenset[int], int]]()
    for size in range(min(question.most, m) + 1):
        for left in itertools.combinations(range(m), size):
            parts = [frozenset(part) for width in range(size) for part in itertools.combinations(left, width)]
            rights = [j for j in range(m) if j not in left and not any((part, j) in held for part in parts)]
            for right in samples.possible(left, rights):
                held.add((frozenset(left), right))
                yield samples.found(left, (right,))


class Samples:
    """The rows of A and of B in one table, so that a value has the same number in both."""

    def __init__(self, evidence: Evidence, question: DependencyQuestion) -> None:
        self.columns, self._question, self._exact = evidence.columns, question, evidence.whole
        differ = evidence.missing_differ
        self._a = table_of(self.columns, evidence.a.fingerprints, missing_differ=differ)
        both = np.concatenate([evidence.a.fingerprints, evidence.b.fingerprints])
        self._both: Table = self._a if self._exact else table_of(self.columns, both, missing_differ=differ)
        tests = max(1, question.tests(len(self.columns)))
        self._level = math.log(question.delta / 2) - math.log(tests)

    def possible(self, left: Sequence[int], rights: Sequence[int]) -> list[int]:
        """Return the right sides whose error is not certain to be beyond the threshold."""
        classes = self._a.partition(left)
        errors = {right: agreement(self._a, classes, [right]).error for right in rights}
        return [right for right in rights if self._lower(errors[right]) <= self._question.threshold]

    def judged(self, left: Sequence[str], right: Sequence[str]) -> FoundDependency:
        """Return a declared dependency; one with a column that was never seen has no error."""
        numbers = [[self.columns.index(name) for name in side if name in self.columns] for side in (left, right)]
        if [len(side) for side in numbers] != [len(left), len(right)]:
            return FoundDependency(left=list(left), right=list(right), error=None, certain=False)
        return self.found(*numbers)

    def found(self, left: Sequence[int], right: Sequence[int]) -> FoundDependency:
        """Return a dependency with its error and whether it is certain to hold."""
        error = agreement(self._a, self._a.partition(left), right).error
        estimate = Estimate.exact(error)
        if not self._exact:
            upper = self._upper(left, right)
            confidence = 1.0 - self._question.delta
            estimate = Estimate(estimate=error, lower=self._lower(error), upper=upper, confidence=confidence)
        return FoundDependency(
            left=[self.columns[j] for j in left],
            right=[self.columns[j] for j in right],
            error=estimate,
            certain=estimate.upper is not None and estimate.upper <= self._question.threshold,
        )

    def _lower(self, error: float) -> float:
        if self._exact:
            return error
        kept = self._a.n - round(error * self._a.n)
        return max(0.0, 1.0 - drawn_share_bound(kept, self._a.n, self._level))

    def _upper(self, left: Sequence[int], right: Sequence[int]) -> float | None:
        """Bound the share of rows that the function of A is wrong about; None when B says nothing."""
        rows, n = self._both, self._a.n
        (group, groups), (value, _) = numbered_groups(rows, left), numbered_groups(rows, right)
        learned = _most_frequent(group[:n], value[:n], len(groups))
        wrong = int(np.count_nonzero(learned[group[n:]] != value[n:]))
        bound = drawn_share_bound(wrong, rows.n - n, self._level) if rows.n > n else 1.0
        return bound if bound < 1.0 else None


def _most_frequent(group: NDArray[np.integer], value: NDArray[np.integer], groups: int) -> NDArray[np.int64]:
    """Return the most frequent value of each group, and -1 for a group without rows."""
    pairs, counts = np.unique(np.stack([group, value]).astype(np.int64), axis=1, return_counts=True)
    order = np.argsort(counts, kind="stable")
    result = np.full(groups, -1, np.int64)
    # Of several assignments to one place the last one stays: that of the largest count.
    result[pairs[0, order]] = pairs[1, order]
    return result
