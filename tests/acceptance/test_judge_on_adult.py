"""Published sets of the real adult table, judged by samples and counted groups, against the truth."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from streamqid.engine.documents import VerdictState
from streamqid.engine.judge import Window, find, judge
from streamqid.engine.panes import PaneRule
from streamqid.engine.proposals import propose
from streamqid.engine.questions import Limit, PublishedSet, Quantity
from streamqid.measures.estimate import Estimate
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.groups import GroupSampler
from streamqid.sampling.priority import mix64
from tests.acceptance.sampling import evidence_of_seed
from tests.statistical.promises import allowed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.engine.documents import Finding
    from tests.acceptance.conftest import RealTable

SETS, SEEDS, CAPACITY, DELTA = 12, 25, 3000, 0.1
FACTORS = (0.5, 0.9, 0.999, 1.001, 1.1, 2.0)
"""Limits as multiples of the truth: far from it the state is known, next to it no judge can know it."""
SPAN = PaneRule(1.0, "seconds").span(0, 0)


def truth(table: RealTable, columns: list[str]) -> dict[Quantity, float]:
    sizes, n = table.sizes(columns), len(table.codes)
    return {
        Quantity.SEPARATION: table.separation(columns),
        Quantity.DISTINCT: len(sizes) / n,
        Quantity.UNIQUE_ROWS: int((sizes == 1).sum()) / n,
        Quantity.SMALL_GROUPS: int(sizes[sizes < 5].sum()) / n,
    }


def windows(table: RealTable, columns: list[str], first_seed: int = 0) -> Iterator[Window]:
    """The table as one window, sampled and counted under several seeds."""
    chosen = [table.columns.index(column) for column in columns]
    for seed in range(first_seed, first_seed + SEEDS):
        evidence = evidence_of_seed(table, seed, Capacity(CAPACITY))
        assert not evidence.whole
        sampler = GroupSampler(1000)
        rows = (table.codes[:, chosen].astype(np.uint64) * mix64(seed, np.arange(len(chosen)))).sum(1, dtype=np.uint64)
        sampler.update(mix64(seed, rows))
        yield Window(SPAN, len(table.codes), evidence, {tuple(sorted(columns)): sampler})


def random_sets(table: RealTable) -> Iterator[list[str]]:
    rng = np.random.default_rng(5)
    for _ in range(SETS):
        yield sorted(rng.choice(table.columns, rng.integers(2, 6), replace=False).tolist())


def is_wrong(finding: Finding, true: float) -> bool:
    return finding.state is (VerdictState.SAFE if true > finding.limit else VerdictState.UNSAFE)


def test_verdicts_are_wrong_at_most_as_often_as_stated(adult: RealTable) -> None:
    """Each of some thousand verdicts is one test at δ; a correct judge fails for one measure with 1e-6 at most.

    Verdicts on one sample hang together, so they are counted by (set, seed): wrong if it is so at any limit.  The
    control judges by the estimate alone.
    """
    wrong, control, known, trials = Counter[Quantity](), Counter[Quantity](), Counter[Quantity](), 0
    for number, columns in enumerate(random_sets(adult)):
        true = truth(adult, columns)
        for window in windows(adult, columns, number * SEEDS):
            trials += 1
            for quantity, value in true.items():
                if not 0.0 < value < 1.0:
                    continue
                k = 5 if quantity is Quantity.SMALL_GROUPS else None
                limits = tuple(Limit(quantity, factor * value, k) for factor in FACTORS if factor * value <= 1.0)
                # The first test of a set has δ/2.  An estimate does not depend on the limit, so one judgement has it.
                first = judge(PublishedSet("p", tuple(columns), limits[:1], 2 * DELTA), window, 1).findings[0]
                findings = [first, *(find(one, first.estimate) for one in limits[1:])]
                wrong[quantity] += any(is_wrong(finding, value) for finding in findings)
                known[quantity] += any(finding.state is not VerdictState.AT_RISK for finding in findings)
                bare = [
                    find(one, Estimate.exact(f.estimate.estimate))
                    for one, f in zip(limits, findings, strict=True)
                    if f.estimate
                ]
                control[quantity] += any(is_wrong(finding, value) for finding in bare)
    assert trials == SETS * SEEDS
    for quantity in (Quantity.SEPARATION, Quantity.DISTINCT, Quantity.UNIQUE_ROWS, Quantity.SMALL_GROUPS):
        assert wrong[quantity] <= allowed(trials, DELTA)
        assert known[quantity] > trials / 4, "a judge that never says anything is never wrong"
    assert max(control.values()) > allowed(trials, DELTA)


def test_what_is_proposed_keeps_the_limit(adult: RealTable) -> None:
    columns = ["age", "workclass", "education", "occupation", "hours-per-week", "native-country"]
    published = PublishedSet("p", tuple(columns), (Limit(Quantity.SEPARATION, 0.98),), DELTA)
    broken = found = 0
    for window in windows(adult, columns):
        assert judge(published, window, 1).state is VerdictState.UNSAFE
        proposal = propose(published, window, 1)
        for part in (proposal.without, proposal.keep):
            if part is not None:
                found += 1
                broken += adult.separation(part.columns) > 0.98
    assert found >= SEEDS
    assert broken <= allowed(found, DELTA)
