"""Tables 2, 3 and 5 of Liang and Yuan, "On the Complexity of t-Closeness Anonymization", as the audit sees them.

Each digit of zip code and age is a column of its own, as in the paper.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import streamqid
from streamqid.audits.cells import Sensitive, cells_of
from streamqid.audits.classes import equal_classes
from streamqid.audits.disclosure import closeness
from streamqid.whole import read_whole

DISEASES = ["viral", "heart", "heart", "cancer", "viral", "viral", "heart", "cancer", "cancer", "cancer"]
TABLE_1 = [
    "9876538B",
    "9865439D",
    "9854332M",
    "9765465B",
    "9668945B",
    "9742733B",
    "9655254B",
    "9701769D",
    "9702355M",
    "9700962B",
]
TABLE_2 = [((1, 2, 3), "98***3**"), ((4, 5, 6, 7), "9******B"), ((8, 9, 10), "970*****")]
TABLE_3 = [((1, 2), "98***3**"), ((3, 5, 8, 9), "9*******"), ((4, 6), "97*****B"), ((7, 10), "9******B")]
TABLE_5 = [((1, 2, 4), "9*******"), ((3, 5, 8, 9), "9*******"), ((6, 7, 10), "9******B")]
QUASI = [f"q{j}" for j in range(8)]


def rows_of(partition: list[tuple[tuple[int, ...], str]]) -> list[dict[str, str]]:
    return [
        {**dict(zip(QUASI, shown, strict=True)), "group": str(g), "disease": DISEASES[person - 1]}
        for g, (people, shown) in enumerate(partition)
        for person in people
    ]


def distances(rows: list[dict[str, str]], quasi: list[str]) -> list[Fraction]:
    """The Earth Mover's Distance of every group."""
    table = read_whole(rows, {"seed": 1}).table
    classes = equal_classes(table, [table.columns.index(name) for name in quasi])
    cells = cells_of(classes, Sensitive("disease", table.codes[table.columns.index("disease")]))
    return sorted(Fraction(float(d)).limit_denominator(1000) for d in closeness(cells, "equal"))


@pytest.mark.parametrize("partition", [TABLE_2, TABLE_3, TABLE_5])
def test_the_tables_are_what_suppression_makes_of_table_1(partition: list[tuple[tuple[int, ...], str]]) -> None:
    for people, shown in partition:
        for person in people:
            told = zip(shown, TABLE_1[person - 1], strict=True)
            assert all(mark in ("*", value) for mark, value in told)


def test_table_2_is_3_anonymous_costs_54_and_is_not_2_diverse() -> None:
    answer = streamqid.audit(rows_of(TABLE_2), quasi=QUASI, sensitive=["disease"], k=3, l=2)
    assert (answer.groups.smallest, answer.groups.groups, answer.suppressed.quasi) == (3, 3, 54)
    assert [limit.met for limit in answer.limits] == [True, False, False, False]
    # The third group is all cancer.
    assert (answer.sensitive[0].distinct_l, answer.sensitive[0].frequency_l) == (1, 1.0)
    assert (answer.limits[1].rows, answer.limits[1].worst_group) == (3, 3)
    assert not streamqid.audit(rows_of(TABLE_2), quasi=QUASI, k=4).met


def test_table_2_has_the_distances_2_5_1_5_3_5() -> None:
    assert distances(rows_of(TABLE_2), QUASI) == [Fraction(1, 5), Fraction(2, 5), Fraction(3, 5)]


def test_table_3_is_2_diverse_by_both_definitions_and_costs_60() -> None:
    answer = streamqid.audit(rows_of(TABLE_3), quasi=QUASI, sensitive=["disease"], l=2, t=0.4)
    met = {limit.model: limit.met for limit in answer.limits}
    assert met["distinct l-diversity"]
    assert met["frequency l-diversity"]
    assert met["t-closeness"]
    assert answer.suppressed.quasi == 60
    assert not streamqid.audit(rows_of(TABLE_3), quasi=QUASI, sensitive=["disease"], t=0.3999).met


def test_table_3_has_the_distances_2_5_1_10_3_10_3_10() -> None:
    expected = [Fraction(1, 10), Fraction(3, 10), Fraction(3, 10), Fraction(2, 5)]
    assert distances(rows_of(TABLE_3), QUASI) == expected


def test_table_5_is_exactly_one_tenth_close_by_its_partition() -> None:
    rows = rows_of(TABLE_5)
    assert distances(rows, ["group"]) == [Fraction(1, 15), Fraction(1, 15), Fraction(1, 10)]
    for t, met in ((0.3, True), (0.1, True), (0.0999, False)):
        assert streamqid.audit(rows, quasi=["group"], sensitive=["disease"], t=t).met is met


def test_table_5_is_one_fifteenth_close_by_what_a_reader_sees_and_costs_67() -> None:
    # Its first two groups print the same row, so to a reader they are one group of seven.
    rows = rows_of(TABLE_5)
    answer = streamqid.audit(rows, quasi=QUASI, sensitive=["disease"], t=0.1)
    assert (answer.groups.groups, answer.suppressed.quasi, answer.met) == (2, 67, True)
    assert distances(rows, QUASI) == [Fraction(1, 35), Fraction(1, 15)]
    assert np.isclose(answer.sensitive[0].t, 1 / 15)
