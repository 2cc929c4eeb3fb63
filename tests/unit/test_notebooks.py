"""Documents know nothing of pages: they show what they are told to, or their plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid import notebooks
from tests.unit.problems.asking import key
from tests.unit.sampling.plain import PEOPLE

if TYPE_CHECKING:
    import pytest


def test_a_document_shows_what_it_is_told_to(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = key(PEOPLE)
    monkeypatch.setattr(notebooks, "view", notebooks.plain)
    assert answer._repr_html_() is None
    monkeypatch.setattr(notebooks, "view", lambda document: f"<b>{len(document.columns)}</b>")
    assert answer._repr_html_() == "<b>2</b>"
