"""Yuan and Wang, Finding Quasi-identifiers Against k-anonymity: the examples of the paper."""

from __future__ import annotations

import streamqid

UP = "⊥"
SECTION_4_2 = [
    dict(zip(("c1", "c2", "c3", "c4"), row, strict=True))
    for row in [
        ("1", UP, UP, UP),
        ("2", "2", UP, UP),
        ("3", UP, "3", UP),
        (UP, "4", "4", "4"),
        (UP, UP, UP, "5"),
        (UP, UP, UP, UP),
    ]
]
PRINTED_5_2 = [dict(zip("abcde", row, strict=True)) for row in ("x1x6x", "xx27x", "x3x8x", "xx4x9", "5xxx0")]
"""As printed.  Its rows differ on {b, c}, which the paper's steps call no QID."""
SECTION_5_2 = [*PRINTED_5_2, dict.fromkeys("abcde", "x")]
"""With the row of fresh symbols that the construction of section 4.1 ends with: so all of the example holds."""


def test_section_4_2_the_minimum_qid_is_the_minimum_cover() -> None:
    answer = streamqid.minimum_qid(SECTION_4_2, k=2, exposes="every")
    assert answer.columns == ["c1", "c4"]
    assert answer.exposed.estimate == 1.0


def test_section_4_2_a_set_that_is_no_cover_leaves_two_rows_identical() -> None:
    """The rows e and ⊥ are equal on {c1, c2, c3}: not every row is identified, though by Definition 3 it is a QID."""
    answer = streamqid.anonymity_test(SECTION_4_2, ["c1", "c2", "c3"], k=2)
    assert answer.exposed.estimate == 4 / 6
    assert answer.qid
    assert answer.smallest_group == 1


def test_section_5_2_the_minimum_qid_is_d_e() -> None:
    answer = streamqid.minimum_qid(SECTION_5_2, k=2, exposes="every")
    assert answer.columns == ["d", "e"]
    assert answer.optimality is not None
    assert answer.optimality.optimal


def test_section_5_2_the_descent_finds_a_b_c() -> None:
    assert streamqid.minimal_qid(SECTION_5_2, k=2, exposes="every").columns == ["a", "b", "c"]


def test_section_5_2_another_order_of_dropping_finds_the_minimum() -> None:
    answer = streamqid.minimal_qid(SECTION_5_2, k=2, exposes="every", drop=["a", "b", "c"])
    assert answer.columns == ["d", "e"]


def test_section_5_2_the_steps_of_the_table() -> None:
    """Which sets form a QID, in the order of the paper's table: every row is identified, or not."""
    steps = {"abcde": True, "abcd": True, "abc": True, "ab": False, "bc": False, "ac": False}
    found = {c: streamqid.anonymity_test(SECTION_5_2, list(c), k=2).exposed.estimate == 1.0 for c in steps}
    assert found == steps


def test_section_5_2_as_printed_has_another_minimum_and_the_descent_finds_it() -> None:
    """Not reproduced: without the row of fresh symbols {b, c} identifies every row, and the algorithm goes on to it."""
    assert streamqid.anonymity_test(PRINTED_5_2, ["b", "c"], k=2).exposed.estimate == 1.0
    assert streamqid.minimal_qid(PRINTED_5_2, k=2, exposes="every").columns == ["b", "c"]
    minimum = streamqid.minimum_qid(PRINTED_5_2, k=2, exposes="every")
    assert minimum.columns in (["d", "e"], ["b", "c"])


def test_section_5_2_by_definition_3_one_column_is_enough() -> None:
    """A value that one row alone has violates 2-anonymity, so by its Definition 3 the paper's minimum is none."""
    answer = streamqid.minimum_qid(SECTION_5_2, k=2)
    assert answer.columns is not None
    assert len(answer.columns) == 1


def test_proposition_1_all_columns_decide_for_all_their_subsets() -> None:
    twice = [*SECTION_5_2, *SECTION_5_2]
    answer = streamqid.minimum_qid(twice, k=2)
    assert (answer.anonymous, answer.columns) == (True, None)
    assert all(streamqid.anonymity_test(twice, list(c), k=2).qid is False for c in ("a", "de", "abc", "abcde"))
