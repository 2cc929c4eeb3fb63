"""Answers in a notebook: short pages of their own, escaped, with the promise on them; the plain text stays."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import streamqid
from streamqid import notebooks
from streamqid.anonymizing import Request, Roles, anonymize
from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Contribution
from tests.pages import Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CANARY, EVIL = "zq7canary", "<b>age</b>"
ROWS = [{EVIL: f"{CANARY}{i % 40}", "sex": f"{CANARY}{i % 2}", "zip": f"{CANARY}{i % 7}"} for i in range(400)]
ASKED: dict[str, Callable[[], Any]] = {
    "scan": lambda: streamqid.scan(ROWS),
    "scan of a sample": lambda: streamqid.scan(ROWS, sample=50, epsilon=0.2, seed=1),
    "keys": lambda: streamqid.keys(ROWS),
    "mask": lambda: streamqid.mask(ROWS),
    "nothing to publish": lambda: streamqid.mask(ROWS, beta=0.01),
    "check": lambda: streamqid.check(ROWS, [EVIL, "sex"]),
    "check of a sample": lambda: streamqid.check(ROWS, [EVIL, "sex"], sample=50, seed=1),
    "audit": lambda: streamqid.audit(ROWS, quasi=[EVIL], sensitive=["zip"], k=5),
    "audit without limits": lambda: streamqid.audit(ROWS, quasi=[EVIL]),
    "detect": lambda: streamqid.detect(ROWS, methods=["separation", "minimal"]),
    "all keys": lambda: streamqid.all_keys(ROWS, epsilon=0.0),
    "optimal keys": lambda: streamqid.optimal_keys(ROWS, epsilon=0.05),
    "optimal mask": lambda: streamqid.optimal_mask(ROWS, beta=0.9),
    "anonymity test": lambda: streamqid.anonymity_test(ROWS, [EVIL], k=11),
    "minimum qid": lambda: streamqid.minimum_qid(ROWS, k=11),
}


@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_an_answer_shows_itself(ask: Callable[[], Any]) -> None:
    answer = ask()
    text = answer._repr_html_()
    page = Page(text)
    assert page.asks_for == []
    assert len(text) < 12_000
    assert answer.guarantee in page.texts
    assert f"repeat with: seed={answer.seed}" in text, "as a function is called, not a command"
    assert "table" in page.tags
    assert "b" not in page.tags
    assert EVIL in " ".join(page.texts)
    assert CANARY not in text
    assert repr(answer).startswith(f"{type(answer).__name__}(")
    assert "<div" not in repr(answer)


def test_a_plan_shows_itself() -> None:
    page = Page(streamqid.plan(14)._repr_html_() or "")
    assert "14,303 pairs" in page.texts
    assert "depends on the rows" in page.texts


def test_a_table_without_a_quasi_identifier_shows_all_columns_only() -> None:
    answer = streamqid.minimum_qid(ROWS, only=[EVIL], k=2)
    page = Page(answer._repr_html_() or "")
    assert answer.columns is None
    assert answer.guarantee in page.texts
    assert "by all columns" in page.texts
    assert "by the quasi-identifier" not in page.texts


def test_many_sets_are_cut_short() -> None:
    rows = [{f"c{j}": int(j in (a, b)) for j in range(8)} for a in range(8) for b in range(a)]
    answer = streamqid.all_keys(rows, epsilon=0.1)
    assert len(answer.sets) > 10
    assert f"and {len(answer.sets) - 10} more" in Page(answer._repr_html_() or "").texts


def test_an_anonymized_table_shows_its_cost(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text("zip,age\n1,20\n1,20\n2,30\n2,40\n")
    answer = anonymize(table, tmp_path / "safe.csv", Roles(["zip", "age"]), Request(2))
    page = Page(answer._repr_html_() or "")
    assert answer.guarantee in page.texts
    assert "50 %" in page.texts


def test_documents_without_a_view_of_their_own_show_their_text() -> None:
    part = Contribution(column="a", member=True, change=Estimate.exact(0.5))
    assert part._repr_html_() is None


def test_what_is_imported_does_not_matter(tmp_path: Path) -> None:
    """An answer of a module shows itself, whether or not a name of the package was used."""
    code = "from streamqid.planning import plan; print('<table>' in plan(14)._repr_html_())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_without_a_view_the_plain_text_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "view", notebooks.plain)
    assert streamqid.plan(3)._repr_html_() is None
