"""The contributions of an answer: over 1,000 seeds each interval holds but for a share δ (false alarm: 1e-6).

The set is chosen by the data: of twenty columns that all leave 0.054 of the pairs together, the one that happens to
leave none in the sample.  What the other columns would add to it must still be within the reported interval.

Control: intervals that do not pay for that choice fail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streamqid.measures.ratios import separation_estimate
from streamqid.problems import contributions
from streamqid.problems.answer import GENERAL_RULES, Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.sizes import key_capacity
from streamqid.sampling.capacity import Capacity
from tests.statistical.promises import DELTA, SEEDS, allowed, evidence, outside
from tests.statistical.tables import many_alike

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import KeyAnswer, MaskAnswer

TABLE = many_alike(20, 47, 200)


def missed(answer: KeyAnswer | MaskAnswer, chosen: list[str]) -> bool:
    """Whether the interval of the first column that was not chosen does not hold the truth."""
    numbers = [int(name[1:]) for name in chosen]
    other = next(part for part in answer.contributions if not part.member)
    true = TABLE.separation([*numbers, int(other.column[1:])]) - TABLE.separation(numbers)
    return outside(other.change, true)


def misses_of_keys(rule: Rule, seeds: int) -> int:
    """Count the keys whose interval does not hold the truth."""
    question = KeyQuestion(Measure.SEPARATION, 0.2, DELTA, rule, [1.0] * 20)
    answers = (
        minimum_key(found, question) for found in evidence(TABLE, key_capacity(20, question), seeds, biased=False)
    )
    return sum(missed(answer, answer.columns) for answer in answers)


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_of_a_key(rule: Rule) -> None:
    assert misses_of_keys(rule, SEEDS) <= allowed(SEEDS)


def test_intervals_that_do_not_pay_for_the_choice_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(separated: NDArray[np.bool_], delta: float, _: float = 0.0) -> Estimate:
        return separation_estimate(separated, delta)

    monkeypatch.setattr(contributions, "separation_estimate", careless)
    assert misses_of_keys(Rule.PAPER, 300) > allowed(300)


@pytest.mark.parametrize("rule", GENERAL_RULES)
def test_of_a_mask(rule: Rule) -> None:
    question = MaskQuestion(Measure.SEPARATION, 0.96, DELTA, rule, [1.0] * 20)
    broken = 0
    for found in evidence(TABLE, Capacity(150), SEEDS, biased=False):
        answer = masking(found, question)
        broken += missed(answer, answer.publish)
    assert broken <= allowed(SEEDS)
