"""Every figure of an audit against brute force on small tables, with fractions where the figure is rational."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import streamqid
from streamqid.audits.classes import MOST_PATTERNS

if TYPE_CHECKING:
    from collections.abc import Callable

QUASI = ["a", "b", "c"]
TREE = {"1": ["low", "all"], "2": ["low", "all"], "3": ["high", "all"], "4": ["high", "all"], "5": ["far", "all"]}
CELL = st.sampled_from(["x", "y", "*"])
ROW = st.fixed_dictionaries({**dict.fromkeys(QUASI, CELL), "s": st.sampled_from(sorted(TREE))})
TABLES = st.lists(ROW, min_size=1, max_size=14)

Rows = list[dict[str, str]]


@dataclass
class Group:
    """A group as a reader sees it: its rows, and the sensitive values among which they hide."""

    rows: int
    values: list[str]

    @property
    def counts(self) -> Counter[str]:
        return Counter(self.values)

    def share(self, value: str) -> Fraction:
        return Fraction(self.values.count(value), len(self.values))


def match(one: tuple[str, ...], other: tuple[str, ...], *, any_matches: bool) -> bool:
    return all(a == b or (any_matches and "*" in (a, b)) for a, b in zip(one, other, strict=True))


def groups_of(rows: Rows, *, any_matches: bool = False) -> list[Group]:
    shown = [tuple(row[q] for q in QUASI) for row in rows]
    return [
        Group(
            shown.count(key),
            [row["s"] for row, other in zip(rows, shown, strict=True) if match(key, other, any_matches=any_matches)],
        )
        for key in sorted(set(shown))
    ]


def transport(group: Group, whole: Group, ground: Callable[[str, str], float]) -> float:
    """The Earth Mover's Distance by its definition, a linear program."""
    values = sorted(set(whole.values))
    m = len(values)
    rows, columns = np.kron(np.eye(m), np.ones(m)), np.kron(np.ones(m), np.eye(m))
    masses = [float(share(v)) for share in (group.share, whole.share) for v in values]
    costs = [ground(v, w) for v in values for w in values]
    cost = linprog(costs, A_eq=np.vstack([rows, columns]), b_eq=masses).fun
    assert cost is not None
    return float(cost)


def recursive(group: Group, l: int) -> Fraction | None:  # noqa: E741 - the paper's letter
    falling = sorted(group.counts.values(), reverse=True)
    rest = sum(falling[l - 1 :])
    return Fraction(falling[0], rest) if rest else None


def audited(rows: Rows, **more: Any) -> streamqid.AuditAnswer:
    return streamqid.audit(rows, quasi=QUASI, sensitive=["s"], seed=1, **more)


@pytest.mark.parametrize("how", ["value", "any"])
@given(rows=TABLES, k=st.integers(1, 5))
def test_groups_and_risks(how: str, rows: Rows, k: int) -> None:
    answer = audited(rows, suppressed_as=how, k=min(k, len(rows)))
    groups = groups_of(rows, any_matches=how == "any")
    sizes = [len(group.values) for group in groups]
    figures, risk, limit = answer.groups, answer.risk, answer.limits[0]
    assert (figures.groups, figures.smallest, figures.largest) == (len(groups), min(sizes), max(sizes))
    assert figures.average == pytest.approx(sum(sizes) / len(sizes))
    assert figures.unique_rows == sum(group.rows for group in groups if len(group.values) == 1)
    assert risk.prosecutor == risk.journalist == 1 / min(sizes)
    linked = sum(Fraction(group.rows, len(group.values)) for group in groups) / len(rows)
    assert risk.marketer == pytest.approx(float(linked))
    below = [group for group in groups if len(group.values) < min(k, len(rows))]
    assert (limit.met, limit.groups, limit.rows) == (not below, len(below), sum(group.rows for group in below))
    assert answer.suppressed.quasi == sum(row[q] == "*" for row in rows for q in QUASI)
    # Without a sensitive column only sizes are counted, another way.
    alone = streamqid.audit(rows, quasi=QUASI, suppressed_as=how, seed=1)
    assert (alone.groups, alone.risk) == (figures, risk)


@pytest.mark.parametrize("how", ["value", "any"])
@given(rows=TABLES, l=st.integers(1, 4), c=st.sampled_from([0.5, 1.0, 1.5, 3.0]))
def test_diversity(how: str, rows: Rows, l: int, c: float) -> None:  # noqa: E741 - the paper's letter
    answer = audited(rows, suppressed_as=how, l=l, c=c)
    figures, limits = answer.sensitive[0], {limit.model: limit for limit in answer.limits}
    groups = groups_of(rows, any_matches=how == "any")
    most = [max(map(group.share, group.values)) for group in groups]
    assert figures.distinct_l == min(len(group.counts) for group in groups)
    assert figures.frequency_l == pytest.approx(float(1 / max(most)))
    assert figures.alpha == pytest.approx(float(max(most)))
    entropies = [-sum(float(p) * math.log(p) for p in map(group.share, set(group.values))) for group in groups]
    assert figures.entropy_l == pytest.approx(math.exp(min(entropies)))
    ratios = [recursive(group, l) for group in groups]
    expected = None if None in ratios else float(max(ratio for ratio in ratios if ratio is not None))
    assert figures.recursive_c == (None if expected is None else pytest.approx(expected))

    def broken(bad: list[bool]) -> tuple[bool, int]:
        return not any(bad), sum(group.rows for group, is_bad in zip(groups, bad, strict=True) if is_bad)

    verdicts = {
        "distinct l-diversity": [len(group.counts) < l for group in groups],
        "frequency l-diversity": [share > Fraction(1, l) for share in most],
        "entropy l-diversity": [math.exp(entropy) < l - 1e-9 for entropy in entropies],
        "recursive (c, l)-diversity": [ratio is None or ratio >= Fraction(c) for ratio in ratios],
    }
    assert {model: (limit.met, limit.rows) for model, limit in limits.items()} == {
        model: broken(bad) for model, bad in verdicts.items()
    }


def ordered_ground(rows: Rows) -> Callable[[str, str], float]:
    values = sorted({row["s"] for row in rows})
    return lambda v, w: abs(values.index(v) - values.index(w)) / max(len(values) - 1, 1)


def hierarchical_ground(v: str, w: str) -> float:
    return 0.0 if v == w else 0.5 if TREE[v][0] == TREE[w][0] else 1.0


@settings(max_examples=30)
@pytest.mark.parametrize("how", ["value", "any"])
@given(rows=TABLES, t=st.sampled_from([0.0, 0.1, 0.3, 0.5, 1.0]))
def test_closeness_is_the_optimal_transport(how: str, rows: Rows, t: float) -> None:
    whole = Group(len(rows), [row["s"] for row in rows])
    groups = groups_of(rows, any_matches=how == "any")
    options: list[tuple[dict[str, Any], Callable[[str, str], float]]] = [
        ({}, lambda v, w: float(v != w)),
        ({"ordered": ["s"]}, ordered_ground(rows)),
        ({"hierarchy": {"s": TREE}}, hierarchical_ground),
    ]
    for more, ground in options:
        answer = audited(rows, suppressed_as=how, t=t, **more)
        expected = [transport(group, whole, ground) for group in groups]
        assert answer.sensitive[0].t == pytest.approx(max(expected), abs=1e-7)
        assert answer.limits[0].met is (max(expected) <= t + 1e-7)
        assert answer.limits[0].rows == sum(
            g.rows for g, distance in zip(groups, expected, strict=True) if distance > t + 1e-7
        )


@given(rows=TABLES)
def test_equal_distance_in_fractions(rows: Rows) -> None:
    whole = Group(len(rows), [row["s"] for row in rows])
    t = max(sum(abs(group.share(v) - whole.share(v)) for v in whole.counts) / 2 for group in groups_of(rows))
    assert Fraction(audited(rows).sensitive[0].t).limit_denominator(1000) == t
    assert audited(rows, t=float(t)).met


@pytest.mark.parametrize("how", ["value", "any"])
@given(rows=TABLES, limit=st.sampled_from([0.1, 0.5, 1.0, 2.0]))
def test_disclosure_and_likeness(how: str, rows: Rows, limit: float) -> None:
    answer = audited(rows, suppressed_as=how, delta=limit, beta=limit, alpha=min(limit, 1.0), k=min(2, len(rows)))
    figures = answer.sensitive[0]
    groups = groups_of(rows, any_matches=how == "any")
    whole = Group(len(rows), [row["s"] for row in rows])
    gains = [{v: group.share(v) / whole.share(v) for v in group.counts} for group in groups]
    delta = max(abs(math.log(gain)) for group in gains for gain in group.values())
    beta = max(Fraction(0), *(gain - 1 for group in gains for gain in group.values()))
    too_much = [any(gain - 1 > -math.log(whole.share(v)) + 1e-9 for v, gain in group.items()) for group in gains]
    assert figures.delta == pytest.approx(delta, abs=1e-12)
    assert figures.beta == pytest.approx(float(beta), abs=1e-12)
    assert (figures.enhanced_beta is None) is any(too_much)
    limits = {found.model: found for found in answer.limits}
    assert limits["δ-disclosure privacy"].met is (delta < limit)
    assert limits["basic β-likeness"].met is (beta <= Fraction(limit))
    assert limits["enhanced β-likeness"].met is (beta <= Fraction(limit) and not any(too_much))
    most = min(Fraction(limit), Fraction(1))
    alpha = [max(map(group.share, group.values)) > most for group in groups]
    small = [len(group.values) < min(2, len(rows)) for group in groups]
    assert limits["(α, k)-anonymity"].met is not any(map(max, alpha, small))


def test_too_many_sets_of_suppressed_columns_are_refused() -> None:
    columns = [f"q{j}" for j in range(8)]
    rows = [{q: "*" if i >> j & 1 else "x" for j, q in enumerate(columns)} for i in range(MOST_PATTERNS + 1)]
    with pytest.raises(streamqid.UsageError, match="different sets of columns"):
        streamqid.audit(rows, quasi=columns, suppressed_as="any")
    # All rows are equal but for what is suppressed, so each hides among all.
    assert streamqid.audit(rows[:60], quasi=columns, suppressed_as="any").groups.smallest == 60
