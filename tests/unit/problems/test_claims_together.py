"""All that an answer claims holds together with probability 1 - δ: the certified rule over every outcome of B, weighted
by its probability (no seeds, so no false alarms), and the parts of δ that the other rules spend."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import multinomial

import streamqid
from streamqid.measures.bounds import log_subsets, repeats_bound, separation_key_pairs
from streamqid.measures.partition import table_of
from streamqid.problems import keys_by_pairs
from streamqid.problems.answer import Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.sizes import key_pairs
from streamqid.sampling.pairs import Evidence
from tests.unit.problems.asking import key
from tests.unit.sampling.plain import evidence_of

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from streamqid.problems.answer import KeyAnswer
    from streamqid.problems.key_question import FoundKey

PAIRS, EPSILON, DELTA = 40, 0.2, 0.1
Outcome = tuple[int, int, int]
"""Pairs that the first column separates, that only the second does, and that neither does."""
REACHING = [(i % 20, i // 20) for i in range(40)]
DUPLICATES = [(i % 2, i // 2 % 2) for i in range(40)]
"""All columns together stay below 1 - ε, so that the loss is judged."""


@dataclass(frozen=True, slots=True)
class Drawn(Evidence):
    """Evidence whose B shows given pairs."""

    outcome: Outcome = (0, 0, 0)

    def pairs_inside_b(self, count: int) -> NDArray[np.bool_]:
        first, second, neither = self.outcome
        return np.array([[1] * first + [0] * (second + neither), [0] * first + [1] * second + [0] * neither], bool)


def found_for_every_outcome(rows: list[tuple[int, int]], delta: float) -> dict[Outcome, FoundKey]:
    real = evidence_of(rows)
    question = KeyQuestion(Measure.SEPARATION, EPSILON, delta, Rule.CERTIFIED, [1.0, 1.0])
    table = table_of(real.columns, real.a.fingerprints, missing_differ=False)
    fields = {name: getattr(real, name) for name in Evidence.__dataclass_fields__}
    outcomes = [(x, y, PAIRS - x - y) for x in range(PAIRS + 1) for y in range(PAIRS + 1 - x)]
    return {it: keys_by_pairs.certified(Drawn(**fields, outcome=it), table, question) for it in outcomes}


def broken(found: FoundKey, truth: tuple[float, float, float]) -> bool:
    """Whether the ratio, or the loss against all columns, is worse than claimed."""
    ratio = (0.0, truth[0], truth[0] + truth[1])[len(found.chosen)]
    loss = truth[0] + truth[1] - ratio
    wrong = found.promised is not None and ratio < found.promised - 1e-9
    return wrong or (found.lost is not None and loss > found.lost + 1e-9)


def worst(answers: dict[Outcome, FoundKey]) -> float:
    """Return the highest probability, over true shares, that some claim is wrong."""
    grid = np.linspace(0.0, 1.0, 41)
    truths = [(x, y, 1.0 - x - y) for x, y in product(grid, grid) if x + y <= 1.0]
    # Just beyond the targets, where a wrong claim passes most often.
    truths += [(x - 1e-6, y, 1.0 - x - y + 1e-6) for x, y, _ in truths if x > 0.0]
    outcomes = np.array(list(answers))
    return max(
        float(multinomial.pmf(outcomes, PAIRS, truth) @ [broken(found, truth) for found in answers.values()])
        for truth in truths
    )


@pytest.mark.parametrize("rows", [REACHING, DUPLICATES])
def test_certified_claims_hold_together(rows: list[tuple[int, int]]) -> None:
    answers = found_for_every_outcome(rows, DELTA)
    relative = any(found.lost is not None for found in answers.values())
    assert relative is (rows is DUPLICATES)
    # The longest prefix never loses anything against all columns.
    assert {found.met for found in answers.values()} == ({True} if relative else {True, False})
    assert DELTA / 4 < worst(answers) <= DELTA
    # A control: the same claims at three times the level are too much.
    assert worst(found_for_every_outcome(rows, 3 * DELTA)) > DELTA


def claimed(answer: KeyAnswer, records: int, log_delta: float) -> float | None:
    """Return the lower bound that the repeats of the sample give at this level."""
    assert answer.distinct is not None
    repeats = round((1.0 - answer.distinct.estimate) * answer.sample)
    bound = repeats_bound(repeats, answer.sample, records, log_delta)
    return None if bound is None else min(1.0 - bound, answer.distinct.estimate)


SOME_TWINS = [(i, 1, 5) if i % 10 else (i + 1, 1, 5) for i in range(4000)]
"""One row in five has a duplicate."""


def test_each_claim_about_tuples_has_a_third_of_delta_by_the_paper() -> None:
    answer = key(SOME_TWINS, Measure.DISTINCT, Rule.PAPER, epsilon=0.15)
    assert "as well as all columns seen" in answer.guarantee
    assert answer.distinct is not None
    assert answer.distinct.lower == pytest.approx(claimed(answer, 4000, -log_subsets(3, 0.05 / 3)))


def test_the_ratio_beside_a_certified_loss_has_its_part_of_delta() -> None:
    answer = key(SOME_TWINS, Measure.DISTINCT, Rule.CERTIFIED, epsilon=0.15)
    assert "as well as all columns seen" in answer.guarantee
    assert answer.distinct is not None
    assert answer.distinct.lower == pytest.approx(claimed(answer, 4000, math.log(0.05 * 0.1 / 2)))


def test_the_longest_prefix_needs_no_correction_where_it_fails() -> None:
    rows = [(i // 2 * 2,) if i % 10 < 4 else (i,) for i in range(4000)]  # four rows in ten have a twin
    answers = [key(rows, Measure.DISTINCT, Rule.CERTIFIED, epsilon=0.27, capacity=700, seed=s) for s in range(20)]
    unmet = [answer for answer in answers if not answer.met]
    told = [answer for answer in unmet if answer.distinct is not None and answer.distinct.lower is not None]
    assert told
    plain = [claimed(answer, 4000, math.log(0.05)) for answer in told]
    assert any(
        answer.distinct is not None and answer.distinct.lower == pytest.approx(bound)
        for answer, bound in zip(told, plain, strict=True)
    )


def test_half_of_delta_is_spent_where_the_sample_chooses_the_rule() -> None:
    whole = KeyQuestion(Measure.SEPARATION, 0.1, 0.05, Rule.PAPER, [1.0] * 3)
    half = replace(whole, part=0.5)
    assert key_pairs(3, half) == separation_key_pairs(3, 0.1, 0.025) > key_pairs(3, whole)
    rows = [(i % 100, i // 100, 5) for i in range(4000)]
    evidence = evidence_of(rows, 0, 60)
    ours, stricter = minimum_key(evidence, half), minimum_key(evidence, replace(whole, delta=0.025))
    assert ours.separation is not None
    assert stricter.separation is not None
    assert ours.separation.lower == stricter.separation.lower
    assert (ours.delta, ours.separation.confidence) == (0.05, 0.95)
    assert [c.change.lower for c in ours.contributions] == [c.change.lower for c in stricter.contributions]


@pytest.mark.parametrize("measure", Measure)
@pytest.mark.parametrize("rule", [Rule.PAPER, Rule.CERTIFIED])
def test_a_masking_by_one_of_two_rules_spends_half_of_delta(measure: Measure, rule: Rule) -> None:
    rows = [(i % 40, i % 6, i // 7 % 3) for i in range(900)]
    evidence, whole = evidence_of(rows, 3, 300), MaskQuestion(measure, 0.9, 0.05, rule, [1.0] * 3, [1])
    ours, stricter = masking(evidence, replace(whole, part=0.5)), masking(evidence, replace(whole, delta=0.025))
    assert (ours.publish, ours.unique_rows.upper) == (stricter.publish, stricter.unique_rows.upper)
    assert (ours.delta, stricter.delta) == (0.05, 0.025)


def test_a_table_without_a_header_pays_for_two_rules(tmp_path: Path) -> None:
    rows = [{"a": i % 1000, "b": i // 1000, "c": 5} for i in range(3000)]
    path = tmp_path / "rows.csv"
    path.write_text("a,b,c\n" + "".join(f"{r['a']},{r['b']},{r['c']}\n" for r in rows))
    sizes = [streamqid.keys(table, epsilon=0.02, seed=1).sample for table in (path, rows)]
    assert sizes == [separation_key_pairs(3, 0.02, 0.01), separation_key_pairs(3, 0.02, 0.005)]
    certified = [streamqid.keys(table, epsilon=0.02, seed=1, rule="certified").sample for table in (path, rows)]
    assert certified[0] == certified[1]


def test_late_columns_come_in_an_order_of_their_own() -> None:
    rows = [{"a": i % 500} | ({f"z{i % 7}": 1} if i >= 2000 else {}) for i in range(4000)]
    answer = streamqid.mask(rows, beta=0.9999, sample=1000, seed=1)
    assert answer.rule == "certified"
    both = [*answer.publish, *answer.hide]
    late = [name for name in both if name != "a"]
    assert sorted(late) == [f"z{i}" for i in range(7)]
    assert answer.publish == sorted(answer.publish)
