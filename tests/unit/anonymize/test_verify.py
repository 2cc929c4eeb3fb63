"""The audit before a file gets its name: its figures by their definitions, and each limit just met and just missed."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from streamqid.anonymize.verify import audit

if TYPE_CHECKING:
    from collections.abc import Hashable

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 4)), min_size=1, max_size=14)


@given(ROWS)
def test_distances_are_those_of_the_definition(rows: list[tuple[str, int]]) -> None:
    whole = Counter(value for _, value in rows)
    ranks: dict[Hashable, int] = {value: rank for rank, value in enumerate(sorted(whole))}
    equal, ordered = [], []
    for name in {name for name, _ in rows}:
        held = Counter(value for one, value in rows if one == name)
        surplus = [Fraction(held[v], held.total()) - Fraction(whole[v], whole.total()) for v in sorted(whole)]
        equal.append(sum((gain for gain in surplus if gain > 0), Fraction(0)))
        passing = [abs(sum(surplus[: end + 1], Fraction(0))) for end in range(len(surplus))]
        ordered.append(sum(passing, Fraction(0)) / max(len(whole) - 1, 1))
    names, values = zip(*rows, strict=True)
    assert audit(names, values).farthest == max(equal)
    assert audit(names, values, ranks).farthest == max(ordered)


def test_each_limit_is_kept_up_to_its_border() -> None:
    assert audit("aaabb", "xyzxy").keeps(k=2)
    assert not audit("aaabb", "xyzxy").keeps(k=3)
    assert audit("a" * 100, "x" * 50 + "y" * 50).keeps(l=2)
    assert not audit("a" * 101, "x" * 50 + "y" * 51).keeps(l=2)
    # Half of one class has a value that a quarter of the table has.
    assert audit("aabb", "xyxx").keeps(t=0.25)
    assert not audit("aabb", "xyxx").keeps(t=0.25 - 1e-6)
