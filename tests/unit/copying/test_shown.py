"""What a copy has published: whatever is recommended, it stays a part of one recommendation."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from streamqid.broker.owner import _NOTE, note
from streamqid.copying.shown import Marks, allowed, marks_of, read, written
from streamqid.records import Origin

SETS = st.sets(st.sampled_from("abcde"))


@given(st.lists(SETS, max_size=8))
def test_all_that_was_ever_published_was_recommended_together(recommended: list[set[str]]) -> None:
    shown: Marks = frozenset()
    union: set[str] = set()
    for newest in recommended:
        columns = allowed(newest, shown)
        assert set(columns) <= newest
        assert columns == tuple(sorted(columns))
        shown |= marks_of(columns)
        union |= set(columns)
        # To follow each newest one would fail here, as would to keep what was published.
        assert not union or any(union <= one for one in recommended)


@given(st.sets(st.text(st.characters(exclude_categories=["Cs"]), min_size=1)))
def test_marks_survive_the_note_beside_an_offset(columns: set[str]) -> None:
    shown = marks_of(columns)
    assert read(written(shown)) == shown
    found = _NOTE.fullmatch(note(7, "0" * 32, Origin("t", 0, "id"), shown).metadata)
    assert found is not None
    assert found[2] == "id"
    assert read(found[3] or "") == shown


def test_a_note_without_marks_is_that_of_other_copies() -> None:
    assert note(7, "0" * 32, Origin("t", 0, "id")).metadata == "0" * 32 + " id"
    assert allowed(["b", "a"], frozenset()) == ("a", "b")
