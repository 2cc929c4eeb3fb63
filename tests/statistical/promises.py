"""Counting broken promises over many seeds.

A promise at δ may be broken by a correct program with probability δ in each of the independent trials.  A test
fails when more are broken than the (1 - 1e-6)-quantile of Binomial(trials, δ); so a correct program fails it with
probability at most 1e-6, over the choice of the seeds.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scipy import stats

from streamqid.problems.answer import KeyAnswer, Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.sizes import key_capacity
from streamqid.sampling.capacity import Capacity
from streamqid.sampling.sampler import Sampler
from streamqid.sampling.secret import Secret
from tests.unit.sampling.plain import ORIGIN, names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.measures.estimate import Estimate
    from streamqid.sampling.pairs import Evidence
    from tests.statistical.tables import Tempting

FALSE_ALARM = 1e-6
DELTA = 0.05
SEEDS = 1000
EDGE = 1e-9


def allowed(trials: int, delta: float = DELTA) -> int:
    """Return how many broken promises a correct program exceeds with probability at most 1e-6."""
    return int(stats.binom.isf(FALSE_ALARM, trials, delta))


def evidence(table: Tempting, capacity: Capacity, seeds: int, *, biased: bool) -> Iterator[Evidence]:
    """Yield the evidence under each seed.  A biased sampler counts every record and loses some by their values."""
    fingerprints, columns = table.fingerprints, names(table.codes.shape[1])
    n = len(fingerprints)
    for seed in range(seeds):
        sampler = Sampler(Secret.from_seed(seed), capacity)
        offsets = sampler.candidates(ORIGIN, 0, n, n)
        if biased:
            offsets = offsets[table.biased[offsets]]
        sampler.update(ORIGIN, n, offsets, columns, fingerprints[offsets])
        found = sampler.evidence()
        assert not found.whole
        yield found.select(columns)


def outside(interval: Estimate | None, true: float) -> bool:
    """Whether a reported interval does not hold the true value."""
    assert interval is not None
    low = interval.lower is not None and interval.lower > true + EDGE
    high = interval.upper is not None and interval.upper < true - EDGE
    return low or high


def key_trials(
    table: Tempting,
    measure: Measure,
    rule: Rule,
    epsilon: float,
    beta: float | None = None,
    *,
    biased: bool = False,
    seeds: int = SEEDS,
) -> Counter[str]:
    """Count how often a key was found, and how often its promise or its interval was broken."""
    m = table.codes.shape[1]
    question = KeyQuestion(measure, epsilon, DELTA, rule, [1.0] * m, beta)
    seen: Counter[str] = Counter()
    for found in evidence(table, key_capacity(m, question), seeds, biased=biased):
        answer = minimum_key(found, question)
        seen["asked"] += 1
        seen["met"] += answer.met
        seen["broken"] += answer.met and broken_key(answer, table, question)
        true = table.separation if measure is Measure.SEPARATION else table.distinct
        interval = answer.separation if measure is Measure.SEPARATION else answer.distinct
        seen["outside"] += outside(interval, true(chosen(answer)))
    return seen


def broken_key(answer: KeyAnswer, table: Tempting, question: KeyQuestion) -> bool:
    """Whether the ratio is below the target, or, where only the loss is promised, the loss above what is allowed."""
    by_pairs = question.measure is Measure.SEPARATION
    true, interval = (table.separation, answer.separation) if by_pairs else (table.distinct, answer.distinct)
    assert interval is not None
    if interval.lower is not None and interval.lower >= question.target - EDGE:
        return true(chosen(answer)) < question.target - EDGE
    return true(range(table.codes.shape[1])) - true(chosen(answer)) > question.slack + EDGE


def mask_trials(
    table: Tempting,
    measure: Measure,
    rule: Rule,
    beta: float,
    sample: int,
    *,
    biased: bool = False,
    seeds: int = SEEDS,
) -> Counter[str]:
    """Count how often a mask was promised, and how often its ratio is above β or above its own bound."""
    question = MaskQuestion(measure, beta, DELTA, rule, [1.0] * table.codes.shape[1])
    true = table.separation if measure is Measure.SEPARATION else table.distinct
    seen: Counter[str] = Counter()
    for found in evidence(table, Capacity(sample), seeds, biased=biased):
        answer = masking(found, question)
        published = [int(name[1:]) for name in answer.publish]
        seen["asked"] += 1
        seen["met"] += answer.met
        seen["broken"] += answer.met and true(published) > beta + EDGE
        seen["outside"] += outside(
            answer.separation if measure is Measure.SEPARATION else answer.distinct, true(published)
        )
    return seen


def chosen(answer: KeyAnswer) -> list[int]:
    """Return the numbers of the chosen columns."""
    return [int(name[1:]) for name in answer.columns]
