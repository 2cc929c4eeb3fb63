"""Sample sizes by each formula and the bytes they cost, before anything runs.

>>> plan(14).samples[0].size
14303
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.measures.bounds import certified_units, log_subsets
from streamqid.options import share, whole_number
from streamqid.problems.answer import GENERAL_RULES, Measure, PlanAnswer, PlannedSample, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.sizes import key_pairs, key_root, table_capacity
from streamqid.reading import row_bytes
from streamqid.sampling.capacity import Capacity

if TYPE_CHECKING:
    from collections.abc import Iterator

MARGIN = 0.05
"""A masking is planned so that sets whose ratio in the sample is at most (1 - MARGIN)·β can be published."""
ENDLESS = 1 << 50
"""Rows of a stream whose length is not given."""


def plan(
    columns: int,
    rows: int | None = None,
    epsilon: float = 0.001,
    delta: float = 0.01,
    beta: float | None = None,
) -> PlanAnswer:
    """Return the sample that each question about ``columns`` columns needs, by each rule that it can be asked by.

    Without ``rows`` the sizes that depend on them are None.  With ``beta`` the minimum β-separation set and
    masking are planned too.
    """
    share("epsilon", epsilon)
    share("delta", delta)
    if beta is not None:
        share("beta", beta, one=True)
    for name, value in (("columns", columns), ("rows", rows)):
        if value is not None:
            whole_number(f"The number of {name}", value)
    samples = list(_Planner(columns, rows, epsilon, delta, beta).samples())
    return PlanAnswer(columns=columns, rows=rows, epsilon=epsilon, delta=delta, beta=beta, samples=samples)


@dataclass(frozen=True, slots=True)
class _Planner:
    columns: int
    rows: int | None
    epsilon: float
    delta: float
    beta: float | None

    def samples(self) -> Iterator[PlannedSample]:
        for rule in Rule:
            yield self._key(self._question(Measure.SEPARATION, rule), self._key_formula(rule))
        for rule in GENERAL_RULES:
            yield self._distinct_key(self._question(Measure.DISTINCT, rule))
        if self.beta is None:
            return
        for rule in GENERAL_RULES:
            formula = f"16/(β·ε²) · {_price(rule)}"
            yield self._key(self._question(Measure.SEPARATION, rule, self.beta), formula)
        for measure, rule in itertools.product(Measure, GENERAL_RULES):
            yield self._masking(measure, rule, self.beta)

    def _question(self, measure: Measure, rule: Rule, beta: float | None = None) -> KeyQuestion:
        return KeyQuestion(measure, self.epsilon, self.delta, rule, (), beta)

    def _key_formula(self, rule: Rule) -> str:
        if rule is Rule.PAPER:
            return "ln(2^m/δ) / −ln(1−ε)"
        if rule is Rule.TUPLES:
            return "Θ(ln(2^m/δ) / √ε)"
        return f"u/ε with u = {certified_units(self.delta):.3g}"

    def _key(self, question: KeyQuestion, formula: str) -> PlannedSample:
        problem = "minimum key" if question.beta is None else "minimum beta-separation set"
        size, capacity = key_pairs(self.columns, question), table_capacity(self.columns, question)
        return self._sample(problem, question.measure, question.rule, size, formula, capacity)

    def _distinct_key(self, question: KeyQuestion) -> PlannedSample:
        formula = "√(2(1−ε)/ε · n · ln(2^m/δ))"
        if question.rule is Rule.CERTIFIED:
            formula = f"√(u/ε · n) with u = {certified_units(self.delta, tuples=True):.3g}"
        root = key_root(self.columns, question)
        size = None if self.rows is None else math.ceil(root * math.sqrt(self.rows))
        capacity = table_capacity(self.columns, question)
        return self._sample("minimum key", question.measure, question.rule, size, formula, capacity)

    def _masking(self, measure: Measure, rule: Rule, beta: float) -> PlannedSample:
        """Solve β' = (1 - MARGIN)·β for the number of pairs or tuples; the certified rule pays for one set only."""
        paid = log_subsets(self.columns if rule is Rule.PAPER else 0, self.delta)
        size = math.ceil(2.0 * paid / (MARGIN**2 * beta))
        formula = f"2·{_price(rule)} / ({MARGIN}²·β)"
        rows_per_pair = 2 if (measure, rule) == (Measure.SEPARATION, Rule.CERTIFIED) else 1
        return self._sample("masking", measure, rule, size, formula, Capacity(rows_per_pair * size))

    def _sample(
        self, problem: str, measure: Measure, rule: Rule, size: int | None, formula: str, capacity: Capacity
    ) -> PlannedSample:
        kept = None if size is None else 2 * _retained(capacity, self.rows)
        return PlannedSample(
            problem=problem,
            measure=measure,
            rule=rule,
            unit="pairs" if measure is Measure.SEPARATION and rule is not Rule.TUPLES else "tuples",
            size=size,
            formula=formula,
            rows_kept=kept,
            bytes=None if kept is None else kept * row_bytes(self.columns),
        )


def _price(rule: Rule) -> str:
    return "ln(2^m/δ)" if rule is Rule.PAPER else "ln(1/δ)"


def _retained(capacity: Capacity, rows: int | None) -> int:
    """Return how many rows one sample holds on average, with its slack."""
    n = ENDLESS if rows is None else rows
    return min(n, -(-capacity.threshold(n) * n >> 64))
