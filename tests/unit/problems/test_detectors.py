"""What each method says about a table, and when it says nothing."""

from __future__ import annotations

import numpy as np
import pytest

from streamqid.measures.disclosure import average_group_records, disclosure_probability
from streamqid.measures.partition import table_of
from streamqid.problems import minimal_sets
from streamqid.problems.articulation import articulation
from streamqid.problems.baselines import dpi, f2cic, fpcv, qia, smallest_sets, sqia
from streamqid.problems.declared import declared_quasi_identifiers, dependency
from streamqid.problems.dependencies import dependencies
from streamqid.problems.detect_question import MOST_SETS, DetectQuestion, nearly_unique
from streamqid.problems.findings import Certainty, Finding, summary
from streamqid.problems.graph import derived_graph
from streamqid.problems.ratio_methods import by_distinct, by_separation
from streamqid.problems.set_methods import by_k_anonymity, by_minimal_sets
from tests.unit.problems.whole_tables import Rows, whole

ROWS: Rows = [
    (0, 0, 0),
    (1, 0, 0),
    (2, 1, 0),
    (3, 1, 0),
    (4, 2, 1),
    (4, 2, 1),
    (5, 1, 1),
    (5, 1, 1),
    (4, 0, 1),
    (4, 0, 1),
]
"""a takes six values in ten rows; b splits what a leaves; c is 0 for the first four rows."""


def ask(rows: Rows = ROWS, **known: object) -> DetectQuestion:
    table = whole(rows)
    unique = nearly_unique(table, known.get("sensitive", ()))  # type: ignore[arg-type]
    return DetectQuestion(table, [1.0] * len(rows[0]), unique=unique, **known)  # type: ignore[arg-type]


def verdicts(found: Finding) -> str:
    """One letter for each column."""
    return "".join(judged.verdict[0] for judged in found.columns)


def test_separation_finds_a_small_set_and_what_may_be_published() -> None:
    found = by_separation(ask(epsilon=0.2, beta=0.6))
    assert [item.columns for item in found.sets] == [["a"]]
    assert verdicts(found) == "qnh"
    assert found.certainty is Certainty.STATED
    assert found.verdict("c").reason == "by itself within the limit: 60 % of the pairs of rows differ"
    with pytest.raises(StopIteration):
        found.verdict("z")


def test_distinct_tells_when_duplicates_prevent_the_target() -> None:
    found = by_distinct(ask(epsilon=0.01))
    assert found.sets[0].columns == ["a", "b"]
    assert "(70 % with all columns)" in found.guarantee
    assert (found.sets[0].unique_rows, found.sets[0].rows_below_k) == (4, 10)
    assert by_distinct(ask(epsilon=0.01, k=1)).sets[0].rows_below_k == 0


def test_a_limit_that_several_columns_keep_names_how_many() -> None:
    rows: Rows = [(i % 2, 0, 0, i // 2) for i in range(8)]
    found = by_distinct(ask(rows, epsilon=0.01, beta=0.25))
    assert found.verdict("b").reason.startswith("with 2 others within")
    assert by_distinct(ask([row[:2] for row in rows], epsilon=0.3)).verdict("b").reason.startswith("with one other")


def test_nothing_to_tell_apart() -> None:
    found = by_separation(ask([(0,), (0,)]))
    assert found.sets == []
    assert verdicts(found) == "h"
    unique = by_separation(ask([(0,), (1,)]))
    assert (unique.judged, unique.sets) == (False, [])


def test_identifiers_are_declared_or_nearly_unique() -> None:
    rows: Rows = [(i, i // 2 % 3) for i in range(4)]
    question = ask(rows, identifiers=(1,))
    assert question.unique == {0: 1.0}
    found = dependencies(question)
    assert verdicts(found) == "ii"
    assert found.verdict("a").reason == "nearly unique by itself: distinct ratio 100 %"
    assert found.verdict("b").reason == "declared as an identifier"
    assert (found.sets, found.figures) == ([], {})
    assert nearly_unique(whole([(1,)])) == {}


def test_dependencies_merge_declared_and_instance_sets() -> None:
    rows: Rows = [(i, i % 4, i // 4, 0) for i in range(8)]
    declared = (dependency("bc", "a"), dependency("b", "a"))
    question = ask(rows, identifiers=(0,), sensitive=(3,), dependencies=declared)
    found = dependencies(question)
    assert [item.columns for item in found.sets] == [["b"]]
    assert found.sets[0].reason == "determines the identifier by declared dependencies"
    assert found.notes == [
        "Declared: b,c->a holds on all rows.",
        "Declared: b->a is broken by 50 % of the rows (g3).",
        "The same value in all rows but at most 1 %: d.",
    ]
    assert verdicts(found) == "iqhs"
    without = dependencies(ask(rows, identifiers=(0,), most=2))
    assert [item.columns for item in without.sets] == [["b", "c"]]
    assert without.sets[0].reason == "8 values belong to one identifier (8 rows)"
    both = dependencies(ask(rows, identifiers=(0,), dependencies=declared[:1]))
    assert both.sets[0].reason.startswith("determines the identifier by declared dependencies; 8 values")
    assert both.figures == {"AGR": 1.0, "PDP": 1.0}


def test_dependencies_of_the_rows_are_told() -> None:
    """b is half of a but for one row in a hundred, c is a; of the twelve pairs of four equal columns ten are told."""
    rows: Rows = [(i % 50, i % 50 // 2 if i else 9, i % 50) for i in range(100)]
    (note,) = dependencies(ask(rows)).notes
    told = "a->c (0 %), c->a (0 %), a->b (1 %), c->b (1 %)"
    assert note == f"Dependencies of the rows, broken by at most 1 % of them (g3): {told}."
    (many,) = dependencies(ask([(i % 50,) * 4 for i in range(100)])).notes
    assert many.endswith("d->a (0 %), and 2 more.")
    assert dependencies(ask([(i, i) for i in range(9)])).notes == []


def test_declared_dependencies_need_an_identifier() -> None:
    found = dependencies(ask([(0, 0), (0, 1), (1, 0), (1, 0)], dependencies=(dependency("a", "b"),), most=1))
    assert found.notes[0].startswith("The declared dependencies were not used")
    assert [item.reason for item in found.sets] == ["1 value belongs to one row"]
    assert verdicts(found) == "hq"
    assert declared_quasi_identifiers([dependency("a", "b")], []) == []


def test_many_sets_are_counted_and_not_all_listed() -> None:
    columns = 16
    rows: Rows = [(0,) * columns] * 2
    for i in range(columns):
        for j in range(i):
            rows += [tuple(int(c in (i, j)) for c in range(columns))]
    rows += [tuple(int(c == i) for c in range(columns)) for i in range(columns)] * 2
    table = whole(rows, columns="abcdefghijklmnop")
    found = f2cic(DetectQuestion(table, [1.0] * columns))
    assert len(found.sets) == MOST_SETS
    assert found.sets_left_off == columns * (columns - 1) // 2 - MOST_SETS
    assert set(verdicts(found)) == {"q"}
    assert found.beyond(6) == "and 114 more (the first 100 in --json)"
    single = by_separation(ask(epsilon=0.2))
    assert [single.beyond(shown) for shown in (0, 1, 6)] == ["and 1 more (all in --json)", "", ""]


def test_many_minimal_sets_are_listed_by_another_command() -> None:
    """Any two of 15 columns differ in the same pairs of rows as any other two, and one is not enough: 105 sets."""
    columns = 15
    rows: Rows = [tuple(int(i == j) for j in range(columns)) for i in range(columns)]
    found = by_minimal_sets(DetectQuestion(whole(rows, columns="abcdefghijklmno"), [1.0] * columns, epsilon=0.75))
    assert (len(found.sets), found.sets_left_off) == (MOST_SETS, 5)
    assert found.notes[-1] == "All of them: streamqid keys --all (streamqid.all_keys)."


def test_articulation_needs_both_ends() -> None:
    for question in (ask(), ask(identifiers=(0,)), ask(sensitive=(0,))):
        found = articulation(question)
        assert (found.judged, verdicts(found)) == (False, "nnn")
        assert "--identifier" in found.guarantee


def test_articulation_over_declared_edges() -> None:
    rows: Rows = [(0, 0, 0, 0, 0), (0, 1, 0, 1, 0)]
    edges = (("a", "b"), ("b", "c"), ("c", "d"))
    found = articulation(ask(rows, identifiers=(0,), sensitive=(3,), edges=edges))
    assert found.graph is not None
    assert (found.graph.articulation, found.graph.adjacent) == (["b", "c"], ["b"])
    assert verdicts(found) == "iqqsh"
    assert [item.reason for item in found.sets] == [
        "articulation point: without it no path is left; next to the identifier on a path",
        "articulation point: without it no path is left",
    ]
    assert "b, c stand on every path" in found.guarantee
    detour = articulation(
        ask(rows, identifiers=(0,), sensitive=(3,), edges=(*edges, ("a", "d"), ("a", "e"), ("e", "d")))
    )
    assert detour.notes == ["Directly related to an identifier, so that nothing stands between: d."]
    assert verdicts(detour) == "iqhsq"
    assert detour.verdict("c").reason == "farther along a path"
    assert detour.sets[0].reason == "next to the identifier on a path"
    assert "no column stands on every path" in detour.guarantee
    apart = articulation(ask(rows, identifiers=(0,), sensitive=(3,), edges=(("b", "c"),)))
    assert "no path leads" in apart.guarantee
    assert verdicts(apart) == "iinsn"


def test_a_derived_graph_has_an_edge_where_one_column_determines_another() -> None:
    rows: Rows = [(i % 4, i % 4 // 2, i // 4) for i in range(8)]
    graph = derived_graph(whole(rows), 0.9)
    assert graph.source == "derived"
    assert graph.edges == [("a", "b", 1.0)]
    found = articulation(ask(rows, identifiers=(0,), sensitive=(1,)))
    assert found.parameters["graph"].startswith("derived from the rows: largest g3 gain")


def test_a_gain_that_equals_the_threshold_makes_an_edge() -> None:
    """Knowing a spares one of five errors in guessing b: a fifth, and not a bit less by rounding."""
    table = whole([(1, 1), (1, 2), (2, 0), (2, 0), (2, 0), (2, 1), (2, 2), (2, 2)])
    assert derived_graph(table, 0.2).edges == [("a", "b", 0.2)]


def test_baselines_on_views() -> None:
    rows: Rows = [(0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 1, 1)]
    known = {"identifiers": (0,), "sensitive": (3,), "views": (("a", "b"), ("b", "c"), ("d",))}
    assert [item.columns for item in qia(ask(rows, **known)).sets] == [["b"], ["b", "c"]]
    assert [item.columns for item in fpcv(ask(rows, **known)).sets] == [["b", "c"]]
    assert not qia(ask(rows)).judged
    assert not fpcv(ask(rows)).judged
    assert [f.certainty for f in (sqia(ask()), dpi(ask()), f2cic(ask()), qia(ask()), fpcv(ask()))] == [
        Certainty.GUESSED,
        Certainty.FITTED,
        Certainty.GUESSED,
        Certainty.DERIVED,
        Certainty.FITTED,
    ]


def test_a_search_that_would_take_too_long_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    rows: Rows = [(0, 0), (1, 1), (1, 1)]
    assert smallest_sets(whole(rows), [0, 1], lambda here: here.groups, most=2) is None
    monkeypatch.setattr("streamqid.problems.baselines.MOST_TRIED", 2)
    found = dpi(ask(rows))
    assert not found.judged
    assert "leave out columns" in found.guarantee


def test_metrics_of_an_empty_table() -> None:
    table = table_of(("a",), np.empty((0, 1), np.uint64))
    assert average_group_records(table.partition([0])) == 0.0
    assert disclosure_probability(table, [0], [0]) == 0.0


def test_the_summary_tells_what_the_methods_agree_on() -> None:
    found = by_separation(ask(epsilon=0.2, beta=0.6))
    other = by_distinct(ask(epsilon=0.01))
    none = by_separation(ask([(0, 0, 0), (0, 0, 0)]))
    assert summary("abc", []).startswith("No method could judge")
    assert summary("abc", [none]) == "No method found a quasi-identifier."
    assert summary("abc", [found]) == "Part of a quasi-identifier: {a}."
    assert summary("abc", [found, other]).endswith("at least one of 2 methods; all of them agree on {a}.")
    assert summary("abc", [found, none]).endswith("no column is named by all of them.")


def test_minimal_sets_are_all_of_them_and_other_columns_are_in_none() -> None:
    found = by_minimal_sets(ask(epsilon=0.2))
    assert [item.columns for item in found.sets] == [["a"], ["b", "c"]]
    assert verdicts(found) == "qqq"
    constant = by_minimal_sets(ask([(*row, 7) for row in ROWS], epsilon=0.2))
    assert verdicts(constant) == "qqqh"
    assert constant.figures == {"minimal sets": 2.0}
    assert constant.notes


def test_beyond_22_columns_sets_stay_small_and_other_columns_are_not_judged() -> None:
    wide: Rows = [(*row, *[7] * 20) for row in ROWS]
    table = whole(wide, columns="abcdefghijklmnopqrstuvw")
    found = by_minimal_sets(DetectQuestion(table, [1.0] * 23, epsilon=0.2))
    assert [len(item.columns) for item in found.sets] == [1, 2]
    assert verdicts(found) == "qqq" + "n" * 20
    assert not found.notes
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimal_sets, "WORK", minimal_sets.FEWEST_ROWS * 24)
        found = by_minimal_sets(DetectQuestion(table, [1.0] * 23, epsilon=0.2))
    assert [item.columns for item in found.sets] == [["a"]]
    assert "of at most 1 column " in found.guarantee


def test_k_anonymity_finds_a_smallest_set_that_exposes_somebody() -> None:
    found = by_k_anonymity(ask(k=2))
    assert [item.columns for item in found.sets] == [["a"]]
    assert verdicts(found) == "qnn"
    anonymous: Rows = [*[(0, 0, 0)] * 4, *[(1, 1, 1)] * 4]
    safe = by_k_anonymity(ask(anonymous, k=3))
    assert (safe.sets, verdicts(safe)) == ([], "hhh")


def test_k_anonymity_calls_no_column_harmless_where_rows_are_too_few() -> None:
    found = by_k_anonymity(ask([(0, 0), (0, 0), (0, 0)], k=5))
    assert [item.columns for item in found.sets] == [[]]
    assert verdicts(found) == "nn"
    assert found.guarantee.startswith("The empty column set is a quasi-identifier")


def test_k_anonymity_calls_no_set_smallest_when_time_ran_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamqid.problems.set_methods.SECONDS", 1e-9)
    found = by_k_anonymity(ask(k=2))
    assert [item.reason for item in found.sets] == ["the best set that exposes some row"]
    assert "It need not be an optimum" in found.guarantee


def test_a_set_that_just_reaches_the_ratio_is_not_made_larger() -> None:
    """Column a takes 7 values in ten rows, both columns 8: a may lose a tenth, though 0.8 - 0.1 > 0.7 when rounded."""
    rows: Rows = [*((i, 0) for i in range(6)), (6, 0), (6, 1), (6, 1), (6, 1)]
    found = by_distinct(ask(rows))
    assert [item.columns for item in found.sets] == [["a"]]
    assert "exactly 70 % as many different values as rows (80 % with all columns)" in found.guarantee
    assert [item.columns for item in by_distinct(ask(rows, epsilon=0.3)).sets] == [["a"]]


def test_a_ratio_that_no_column_raises_is_that_of_no_column() -> None:
    found = by_separation(ask([(0, 0), (0, 0)]))
    assert found.guarantee.startswith("Without any column exactly 0 % of the pairs of rows differ")


def test_none_judges_identifiers_only() -> None:
    for method in (by_minimal_sets, by_k_anonymity, sqia, dpi):
        assert not method(ask(identifiers=(0, 1, 2))).judged


def test_columns_that_stand_for_each_other_give_a_set_each() -> None:
    """No column is needed by itself, so that sets of one are tried."""
    rows: Rows = [(0, 0), (1, 1), (2, 2)]
    assert smallest_sets(whole(rows), [0, 1], lambda here: here.groups, most=10) == [(0,), (1,)]


def test_methods_that_try_sets_of_columns_say_that_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamqid.problems.detect_question.MOST_CANDIDATES", 2)
    for method in (by_k_anonymity, dependencies, sqia, dpi, f2cic):
        found = method(ask())
        assert not found.judged
        assert found.guarantee.endswith("takes up to 2 of them, not 3: leave out columns.")
        assert method(ask(identifiers=(0,))).judged
