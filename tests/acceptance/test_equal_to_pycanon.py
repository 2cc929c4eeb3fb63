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
MOST_CELLS = 600
"""Groups times values: pycanon filters the table once for each."""


@pytest.fixture(scope="module")
def adult(adult_path: Path) -> Any:
    return pd.read_csv(adult_path)


def choices(adult: Any) -> list[tuple[list[str], list[str]]]:
    """Quasi-identifiers, two or more in every second choice, and sensitive columns, by a fixed seed.

    Those that take pycanon long are left out.
    """
    rng = random.Random(7)
    found: list[tuple[list[str], list[str]]] = []
    while len(found) < CHOICES:
        columns = rng.sample(list(adult.columns), rng.randint(2, 6))
        sensitive = columns[: rng.randint(1, min(2, len(columns) - 1))]
        quasi = columns[len(sensitive) :]
        if len(found) % 2 and len(quasi) == 1:
            continue
        values = sum(adult[column].nunique() for column in sensitive)
        if adult.groupby(quasi).ngroups * values <= MOST_CELLS:
            found.append((quasi, sensitive))
    return found


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # of what pycanon calls
def test_the_figures_are_those_of_pycanon(adult: Any) -> None:
    smallest = set()
    for quasi, sensitive in choices(adult):
        ordered = [column for column in sensitive if pd.api.types.is_numeric_dtype(adult[column])]
        # pycanon filters whole frames, so it gets the columns that it is asked about only.
        frame = adult[[*quasi, *sensitive]]
        answer = streamqid.audit(frame, quasi=quasi, sensitive=sensitive, ordered=ordered)
        figures = answer.sensitive
        k = anonymity.k_anonymity(frame, quasi)
        assert answer.groups.smallest == k
        assert min(f.distinct_l for f in figures) == anonymity.l_diversity(frame, quasi, sensitive)
        assert max(f.t for f in figures) == pytest.approx(anonymity.t_closeness(frame, quasi, sensitive), abs=1e-9)
        assert (max(f.alpha for f in figures), k) == pytest.approx(anonymity.alpha_k_anonymity(frame, quasi, sensitive))
        # pycanon rounds l down to a whole number, also where floating-point error put it just below one.
        entropy_l = min(f.entropy_l for f in figures)
        rounded = {math.floor(entropy_l - 1e-9), math.floor(entropy_l + 1e-9)}
        assert anonymity.entropy_l_diversity(frame, quasi, sensitive) in rounded
        assert max(f.delta for f in figures) == pytest.approx(anonymity.delta_disclosure(frame, quasi, sensitive))
        assert max(f.beta for f in figures) == pytest.approx(anonymity.basic_beta_likeness(frame, quasi, sensitive))
        smallest.add(k)
    # The choices are no trivial ones.
    assert len(smallest) > 5


def test_pycanon_leaves_out_rows_with_a_missing_quasi_identifier() -> None:
    frame = pd.DataFrame({"z": ["a", "a", None], "y": ["x", "x", "x"]})
    assert anonymity.k_anonymity(frame, ["z", "y"]) == 2
    assert streamqid.audit(frame, quasi=["z", "y"]).groups.smallest == 1


def test_pycanon_fails_on_missing_sensitive_values() -> None:
    frame = pd.DataFrame({"z": ["a"] * 3, "y": ["x"] * 3, "s": ["u", None, "v"]})
    with pytest.raises(TypeError):
        anonymity.l_diversity(frame, ["z", "y"], ["s"])
    with pytest.raises(streamqid.TableError, match="missing"):
        streamqid.audit(frame, quasi=["z", "y"], sensitive=["s"])


def test_pycanon_takes_the_rarest_value_for_the_most_frequent_in_recursive_diversity() -> None:
    # Counts 3, 2, 1: the definition asks for 3 < c · 1 at l = 3, so c = 1 is no such c.
    frame = pd.DataFrame({"z": ["a"] * 6, "y": ["x"] * 6, "s": list("uuuvvw")})
    assert anonymity.recursive_c_l_diversity(frame, ["z", "y"], ["s"]) == (1, 3)
    answer = streamqid.audit(frame, quasi=["z", "y"], sensitive=["s"], l=3, c=3.1)
    assert (answer.sensitive[0].recursive_c, answer.limits[-1].met) == (3.0, True)


def test_pycanon_tells_an_enhanced_beta_that_the_table_does_not_keep() -> None:
    # Each group has one value only: its share grows from 1/2 to 1, a gain of 1 > -ln(1/2).
    frame = pd.DataFrame({"z": list("aabb"), "y": ["x"] * 4, "s": list("uuvv")})
    assert anonymity.enhanced_beta_likeness(frame, ["z", "y"], ["s"]) == pytest.approx(math.log(2))
    assert streamqid.audit(frame, quasi=["z", "y"], sensitive=["s"]).sensitive[0].enhanced_beta is None


def test_pycanon_divides_by_zero_for_one_number() -> None:
    frame = pd.DataFrame({"z": list("aabb"), "y": ["x"] * 4, "s": [1] * 4})
    with pytest.raises(ZeroDivisionError):
        anonymity.t_closeness(frame, ["z", "y"], ["s"])
    answer = streamqid.audit(frame, quasi=["z", "y"], sensitive=["s"], ordered=["s"])
    assert answer.sensitive[0].t == 0.0
