"""All minimal sets of adult with its 15 columns (Motwani-Xu, section 5.3 and Figure 2)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import streamqid
from streamqid.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("epsilon", "sets"),
    [
        ("1e-6", 127),
        ("1e-5", 22),
        ("2e-5", 48),
        ("3e-5", 100),
        ("1e-4", 171),
        ("1e-3", 251),
        ("1e-2", 228),
        ("5e-2", 129),
    ],
)
def test_the_number_of_minimal_separation_sets(
    epsilon: str, sets: int, adult_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["keys", str(adult_path), "--all", "--epsilon", epsilon, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert len(answer["sets"]) == sets
    assert answer["complete"]
    assert answer["exact"]
    assert all(one["ratio"]["estimate"] >= 1 - float(epsilon) for one in answer["sets"])
    sizes = [len(one["columns"]) for one in answer["sets"]]
    assert sizes == sorted(sizes)


@pytest.mark.parametrize(
    ("question", "saving"),
    [
        ({"epsilon": 0.0}, 0.7),
        ({"measure": "distinct", "beta": 0.9}, 0.6),
        ({"epsilon": 0.01}, 0.4),
    ],
    ids=["keys", "0.9-distinct", "0.99-separation"],
)
def test_pruning_finds_the_same_and_saves_work(question: dict[str, float], saving: float, adult_path: Path) -> None:
    """On the paper's adult, which has no fnlwgt."""
    asked: dict[str, Any] = {**question, "ignore": ["fnlwgt"], "seed": 1}
    exact = streamqid.all_keys(adult_path, **asked)
    pruned = streamqid.all_keys(adult_path, method="levelwise", **asked)
    assert pruned.sets == exact.sets
    assert pruned.saved is not None
    share = pruned.saved / (pruned.saved + pruned.tested)
    print(f"{question}: {share:.1%} of the sets were never tested on the whole table")
    assert share > saving
    assert pruned.exact == (question.get("epsilon") == 0.0)
