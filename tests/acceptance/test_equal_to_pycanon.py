"""The audit against pycanon 1.3.6 on Adult, for random choices of columns.

What differs by definition is not compared but told in docs/audits.md: recursive (c, l)-diversity, enhanced β-likeness.
"""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING, Any

import pandas as pd
import pytest
from pycanon import anonymity

import streamqid

if TYPE_CHECKING:
    from pathlib import Path

CHOICES = 20
MOST_CELLS = 150
"""Groups times values: pycanon filters the table once for each."""


@pytest.fixture(scope="module")
def adult(adult_path: Path) -> Any:
    return pd.read_csv(adult_path)


def choices(adult: Any) -> list[tuple[list[str], list[str]]]:
    """Quasi-identifiers and sensitive columns, by a fixed seed; those that take pycanon long are left out."""
    rng = random.Random(7)
    found: list[tuple[list[str], list[str]]] = []
    while len(found) < CHOICES:
        columns = rng.sample(list(adult.columns), rng.randint(2, 5))
        sensitive = columns[: rng.randint(1, min(2, len(columns) - 1))]
        quasi = columns[len(sensitive) :]
        values = sum(adult[column].nunique() for column in sensitive)
        if adult.groupby(quasi).ngroups * values <= MOST_CELLS:
            found.append((quasi, sensitive))
    return found


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # of what pycanon calls
def test_the_figures_are_those_of_pycanon(adult: Any) -> None:
    smallest = set()
    for quasi, sensitive in choices(adult):
        ordered = [column for column in sensitive if pd.api.types.is_numeric_dtype(adult[column])]
        answer = streamqid.audit(adult[[*quasi, *sensitive]], quasi=quasi, sensitive=sensitive, ordered=ordered)
        figures = answer.sensitive
        k = anonymity.k_anonymity(adult, quasi)
        assert answer.groups.smallest == k
        assert min(f.distinct_l for f in figures) == anonymity.l_diversity(adult, quasi, sensitive)
        assert max(f.t for f in figures) == pytest.approx(anonymity.t_closeness(adult, quasi, sensitive), abs=1e-9)
        assert (max(f.alpha for f in figures), k) == pytest.approx(anonymity.alpha_k_anonymity(adult, quasi, sensitive))
        # pycanon rounds l down to a whole number, also where floating-point error put it just below one.
        entropy_l = min(f.entropy_l for f in figures)
        rounded = {math.floor(entropy_l - 1e-9), math.floor(entropy_l + 1e-9)}
        assert anonymity.entropy_l_diversity(adult, quasi, sensitive) in rounded
        assert max(f.delta for f in figures) == pytest.approx(anonymity.delta_disclosure(adult, quasi, sensitive))
        assert max(f.beta for f in figures) == pytest.approx(anonymity.basic_beta_likeness(adult, quasi, sensitive))
        smallest.add(k)
    # The choices are no trivial ones.
    assert len(smallest) > 5
