"""The certified rule: A only orders the columns, and B alone judges them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from tests.unit.sampling.plain import evidence_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamqid.problems.answer import KeyAnswer, MaskAnswer
    from streamqid.sampling.pairs import Evidence

ROWS = [(i % 40, i % 6, i // 7 % 3, i % 5) for i in range(900)]
QUESTION = KeyQuestion(Measure.SEPARATION, 0.1, 0.05, Rule.CERTIFIED, [1.0] * 4)


def key(evidence: Evidence, measure: Measure) -> KeyAnswer:
    return minimum_key(evidence, replace(QUESTION, measure=measure))


def mask(evidence: Evidence, measure: Measure) -> MaskAnswer:
    return masking(evidence, MaskQuestion(measure, 0.9, 0.05, Rule.CERTIFIED, [1.0] * 4))


@pytest.mark.parametrize("measure", Measure)
@pytest.mark.parametrize("ask", [key, mask])
def test_the_order_of_the_rows_of_a_changes_nothing(
    ask: Callable[[Evidence, Measure], KeyAnswer | MaskAnswer], measure: Measure
) -> None:
    """The same rows in another order give the same chain, and other pairs if A were in them."""
    for seed in range(10):
        evidence = evidence_of(ROWS, seed, 300)
        a = replace(evidence.a, identity=evidence.a.identity[::-1], fingerprints=evidence.a.fingerprints[::-1])
        assert ask(replace(evidence, a=a), measure) == ask(evidence, measure)
