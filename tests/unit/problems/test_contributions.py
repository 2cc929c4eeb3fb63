"""What each column adds to a set, from pairs and from tables."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.measures.partition import table_of
from streamqid.problems.answer import Measure
from streamqid.problems.contributions import from_pairs, from_table
from tests.unit.sampling.plain import fingerprints

SEPARATED = np.array([[1, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]], np.bool_)
COLUMNS = ["a", "b", "c"]


def test_a_member_counts_what_only_it_separates_and_another_what_nobody_separates() -> None:
    both = from_pairs(SEPARATED, [0, 1], COLUMNS, 0.1)
    assert [(part.column, part.member, part.change.estimate) for part in both] == [
        ("a", True, 0.25),
        ("b", True, 0.25),
        ("c", False, 0.25),
    ]
    one = from_pairs(SEPARATED, [0], COLUMNS, 0.1)
    assert [part.change.estimate for part in one] == [0.5, 0.25, 0.25]
    none = from_pairs(SEPARATED, [], COLUMNS, 0.1)
    assert [part.change.estimate for part in none] == [0.5, 0.5, 0.25]
    assert all(part.change.lower is not None and part.change.confidence == 0.9 for part in both)


def test_without_pairs_nothing_is_known() -> None:
    for part in from_pairs(np.empty((3, 0), np.bool_), [0], COLUMNS, 0.1):
        assert (part.change.lower, part.change.upper) == (0.0, 1.0)


@pytest.mark.parametrize("exact", [True, False])
def test_over_a_table_the_change_is_exact_or_without_a_bound(exact: bool) -> None:
    table = table_of(("a", "b"), fingerprints([(0, 0), (0, 1), (1, 0), (1, 0)]))
    parts = from_table(table, [0], Measure.DISTINCT, exact=exact)
    assert [(part.member, part.change.estimate) for part in parts] == [(True, 0.25), (False, 0.25)]
    assert parts[0].change.confidence == (1.0 if exact else 0.0)
    assert parts[0].change.lower == (0.25 if exact else None)
