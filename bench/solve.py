"""Solving on a sample against the greedy algorithm on the table that the sample came from.

2,000,000 rows, 41 columns; the sample sizes are those of the paper for ε = 0.001 (pairs) and ε = 0.128 (tuples).
Both sides start from fingerprints in memory, number the values, run the greedy algorithm and use the same partition
code.  Wall and CPU time: of one run on the table, and of the run with the least wall time of RUNS runs on a sample,
since those take milliseconds.  Taking the sample is no part of it (bench/scan.py has that).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.partition import pairs_within, table_of
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.greedy import PairCover, Refinement, key_chain
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.sizes import key_capacity
from streamqid.records import Origin
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.priority import mix64
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from streamqid.measures.partition import Table

ROWS, COLUMNS, WANTED, RUNS = 2_000_000, 41, 200, 5
NAMES = tuple(f"c{j:02d}" for j in range(COLUMNS))
PAIRS = KeyQuestion(Measure.SEPARATION, 0.001, 0.01, Rule.PAPER, [1.0] * COLUMNS)
TUPLES = KeyQuestion(Measure.DISTINCT, 0.128, 0.01, Rule.PAPER, [1.0] * COLUMNS)


def census() -> NDArray[np.uint64]:
    """Make skewed columns of 2 to 90 values, a third of them correlated with another one, as in census microdata."""
    rng = np.random.default_rng(1)
    table = np.empty((ROWS, COLUMNS), np.uint64)
    for j in range(COLUMNS):
        cardinality = int(2 * 45 ** (j / (COLUMNS - 1)))
        values = np.minimum(rng.zipf(2.0, ROWS) - 1, cardinality - 1)
        if j % 3 == 2:
            values = (table[:, j - 1] % np.uint64(97) + values.astype(np.uint64)) % np.uint64(cardinality)
        table[:, j] = mix64(j + 1, values.astype(np.int64))
    return table


def papers_greedy(table: Table) -> list[int]:
    """Choose as the paper writes it: at every step count, over all rows, what each column would separate."""
    group, groups, chain = np.zeros(table.n, np.int64), 1, list[int]()
    left = table.n * (table.n - 1) // 2
    while True:
        after = []
        for j in range(COLUMNS):
            key = group * table.sizes[j] + table.codes[j]
            after.append(pairs_within(counts_of(key, groups * table.sizes[j])))
        best = int(np.argmin(after))
        if after[best] == left:
            return chain
        chain.append(best)
        left = after[best]
        values, group = np.unique(group * table.sizes[best] + table.codes[best], return_inverse=True)
        groups = len(values)


def counts_of(key: NDArray[np.int64], slots: int) -> NDArray[np.int64]:
    if slots <= 2 * len(key):
        return np.bincount(key)
    key.sort()
    return np.diff(np.concatenate(([-1], np.flatnonzero(key[1:] != key[:-1]), [len(key) - 1])))


def plain_greedy(table: Table) -> list[int]:
    """Do the same on the rows that are still in groups of two or more."""
    state, chain = Refinement(table), list[int]()
    while True:
        gains = [state.gain(j) for j in range(COLUMNS)]
        best = int(np.argmax(gains))
        if not gains[best]:
            return chain
        chain.append(best)
        state.add(best)


def timed(work: Callable[[], object]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    table = census()
    sampler = Sampler(
        Secret.from_seed(1), Capacity(key_capacity(COLUMNS, PAIRS).floor, key_capacity(COLUMNS, TUPLES).root)
    )
    origin = Origin("table")
    wanted = sampler.candidates(origin, 0, ROWS, ROWS)
    sampler.update(origin, ROWS, wanted, NAMES, table[wanted])
    evidence = sampler.evidence()
    answers = [minimum_key(evidence, question) for question in (PAIRS, TUPLES)]
    tuples, weights = evidence.a.fingerprints[: answers[1].sample], [1.0] * COLUMNS

    by_pairs = min(timed(lambda: key_chain(PairCover(evidence.pairs(answers[0].sample)), weights)) for _ in range(RUNS))
    by_tuples = min(timed(lambda: key_chain(Refinement(table_of(NAMES, tuples)), weights)) for _ in range(RUNS))
    chain: list[int] = []
    whole = timed(lambda: chain.extend(papers_greedy(table_of(NAMES, table))))
    stripped = timed(lambda: plain_greedy(table_of(NAMES, table)))
    lazy = timed(lambda: key_chain(Refinement(table_of(NAMES, table)), weights))

    print(f"{'solve':<38}{'columns':>8}{'wall s':>10}{'CPU s':>10}{'faster, wall':>14}{'CPU':>8}")
    for label, (wall, cpu) in (
        ("greedy of the paper, 2,000,000 rows", whole),
        ("the same, unique rows dropped", stripped),
        ("the same, gains evaluated lazily", lazy),
    ):
        print(f"{label:<38}{len(chain):>8}{wall:>10.3f}{cpu:>10.3f}{whole[0] / wall:>14.1f}{whole[1] / cpu:>8.1f}")
    for answer, unit, (wall, cpu) in zip(answers, ("pairs", "tuples"), (by_pairs, by_tuples), strict=True):
        label, size = f"{answer.sample:,} {unit}", len(answer.columns)
        print(f"{label:<38}{size:>8}{wall:>10.3f}{cpu:>10.3f}{whole[0] / wall:>14.0f}{whole[1] / cpu:>8.0f}")
    for baseline, times in (("the paper's greedy", whole), ("our own greedy on these rows", lazy)):
        for j, clock in enumerate(("wall", "CPU time")):
            ratios = times[j] / by_pairs[j], times[j] / by_tuples[j]
            met = "met" if min(ratios) >= WANTED else "NOT met"
            text = f"at least {WANTED} times faster than {baseline} by {clock}"
            print(f"{text}: {met} ({ratios[0]:.0f} pairs, {ratios[1]:.0f} tuples)")


if __name__ == "__main__":
    main()
