"""The set that a ratio method finds reaches its target and not one column earlier; what it calls harmless keeps β."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamqid.problems.detect_question import DetectQuestion
from streamqid.problems.findings import Verdict
from streamqid.problems.ratio_methods import by_distinct, by_separation
from tests.unit.problems.whole_tables import TABLES, Rows, classes, seen, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def separation(rows: Sequence[tuple[object, ...]], columns: Sequence[int]) -> float:
    pairs = [(i, j) for i in range(len(rows)) for j in range(i)]
    apart = [any(rows[i][c] != rows[j][c] for c in columns) for i, j in pairs]
    return sum(apart) / len(pairs) if pairs else 1.0


def distinct(rows: Sequence[tuple[object, ...]], columns: Sequence[int]) -> float:
    return len(classes(rows, columns)) / len(rows)


@settings(max_examples=500)
@given(TABLES, st.sampled_from([0.01, 0.1, 0.4]), st.sampled_from([0.1, 0.5, 0.9]), st.booleans(), st.booleans())
def test_a_ratio_method(rows: Rows, epsilon: float, beta: float, by_pairs: bool, missing_differ: bool) -> None:
    table, plain = whole(rows, missing_differ=missing_differ), seen(rows, missing_differ=missing_differ)
    m = len(rows[0])
    ratio: Callable[[Sequence[tuple[object, ...]], Sequence[int]], float] = separation if by_pairs else distinct
    question = DetectQuestion(table, [1.0] * m, epsilon=epsilon, beta=beta)
    found = (by_separation if by_pairs else by_distinct)(question)
    best = ratio(plain, range(m))
    target = 1 - epsilon if best >= 1 - epsilon else best - epsilon
    chosen = [table.columns.index(name) for item in found.sets for name in item.columns]
    assert ratio(plain, chosen) >= target - 1e-9
    assert not chosen or ratio(plain, chosen[:-1]) < target
    harmless = [j for j, judged in enumerate(found.columns) if judged.verdict is Verdict.HARMLESS]
    assert not harmless or ratio(plain, harmless) <= beta + 1e-9
    for item in found.sets:
        groups = [len(group) for group in classes(plain, chosen).values()]
        assert item.separation == pytest.approx(separation(plain, chosen))
        assert item.distinct == pytest.approx(distinct(plain, chosen))
        assert item.unique_rows == groups.count(1)
        assert item.rows_below_k == sum(size for size in groups if size < question.k)
