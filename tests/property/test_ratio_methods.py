"""The set that a ratio method finds reaches its target and not one column earlier; what it calls harmless keeps β."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from streamqid.problems.answer import Measure
from streamqid.problems.detect_question import DetectQuestion
from streamqid.problems.findings import Verdict
from streamqid.problems.ratio_methods import by_distinct, by_separation
from tests.property.every_set import BATCHES, tables

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.problems.findings import Finding


@pytest.mark.parametrize(("method", "measure"), [(by_separation, Measure.SEPARATION), (by_distinct, Measure.DISTINCT)])
@settings(max_examples=50)
@given(BATCHES)
def test_a_ratio_method(method: Callable[[DetectQuestion], Finding], measure: Measure, seed: int) -> None:
    for small, rng in tables(seed):
        epsilon, beta = float(rng.choice([0.01, 0.1, 0.4])), float(rng.choice([0.1, 0.5, 0.9]))
        question, ratio = DetectQuestion(small.table, [1.0] * small.m, epsilon=epsilon, beta=beta), small.ratio(measure)
        found = method(question)
        target = 1 - epsilon if ratio[-1] >= 1 - epsilon else ratio[-1] - epsilon
        chosen = [name for item in found.sets for name in item.columns]
        assert ratio[small.number(chosen)] >= target - 1e-9
        assert not chosen or ratio[small.number(chosen[:-1])] < target + 1e-9
        harmless = [judged.column for judged in found.columns if judged.verdict is Verdict.HARMLESS]
        assert not harmless or ratio[small.number(harmless)] <= beta + 1e-9
        for item in found.sets:
            number = small.number(chosen)
            assert item.separation == pytest.approx(small.separation[number])
            assert item.distinct == pytest.approx(small.distinct[number])
            assert item.unique_rows == small.below(2)[number]
            assert item.rows_below_k == small.below(question.k)[number]
