"""Minimal covers hold no dependency that follows from others."""

from __future__ import annotations

from streamqid.problems.declared import declared_quasi_identifiers, dependency, minimal_cover


def test_what_follows_from_others_is_left_out() -> None:
    cover = minimal_cover([dependency("A", "B"), dependency("B", "C"), dependency("A", "C")])
    assert [str(d) for d in cover] == ["A->B", "B->C"]


def test_a_left_side_loses_what_the_rest_determines() -> None:
    cover = minimal_cover([dependency("A", "B"), dependency("AB", "C")])
    assert [str(d) for d in cover] == ["A->B", "A->C"]
    assert [sorted(found) for found in declared_quasi_identifiers(cover, ["C"])] == [["A"]]
