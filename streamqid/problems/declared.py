"""Declared functional dependencies: closure, minimal cover, and the quasi-identifiers that follow (Hua, Algorithm 1).

>>> cover = minimal_cover([dependency("BD", "C"), dependency("AC", "K"), dependency("A", "E"), dependency("ABD", "CE")])
>>> [str(d) for d in cover]
['B,D->C', 'A,C->K', 'A->E']
>>> [sorted(found) for found in declared_quasi_identifiers(cover, ["K"])]
[['A', 'C'], ['A', 'B', 'D']]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Attributes = frozenset[str]


@dataclass(frozen=True, slots=True)
class Dependency:
    """The attributes ``left`` determine the attributes ``right``."""

    left: Attributes
    right: Attributes

    def __str__(self) -> str:
        return f"{','.join(sorted(self.left))}->{','.join(sorted(self.right))}"


def dependency(left: Iterable[str], right: Iterable[str]) -> Dependency:
    """Return the dependency left → right."""
    return Dependency(frozenset(left), frozenset(right))


def closure(attributes: Iterable[str], dependencies: Iterable[Dependency]) -> Attributes:
    """Return all attributes that these determine, themselves included (Armstrong's axioms)."""
    found, known = frozenset(attributes), list(dependencies)
    while more := [d.right for d in known if d.left <= found and not d.right <= found]:
        found = found.union(*more)
    return found


def minimal_cover(dependencies: Sequence[Dependency]) -> list[Dependency]:
    """Return dependencies with the same closures of which no part can be left out.

    Every right side is one attribute, no left side can lose an attribute, and no dependency follows from the
    others.  A set may have several minimal covers; the given order, and the order of names inside a left side,
    decide which one.
    """
    single = [Dependency(d.left, frozenset([a])) for d in dependencies for a in sorted(d.right - d.left)]
    reduced = [Dependency(_reduced(d, single), d.right) for d in single]
    cover = list(dict.fromkeys(reduced))
    for d in reversed(cover.copy()):
        others = [other for other in cover if other != d]
        if d.right <= closure(d.left, others):
            cover = others
    return cover


def _reduced(given: Dependency, dependencies: Sequence[Dependency]) -> Attributes:
    left = given.left
    for attribute in sorted(left):
        if given.right <= closure(left - {attribute}, dependencies):
            left -= {attribute}
    return left


def declared_quasi_identifiers(dependencies: Sequence[Dependency], identifiers: Iterable[str]) -> list[Attributes]:
    """Find all minimal sets of other attributes whose closure holds every identifier (Algorithm 1, then its merge).

    The algorithm extends each X → Y of the minimal cover by all combinations Z of the attributes outside Y and the
    identifiers (the reading of its line 4) and keeps the left sides XZ whose closure holds the identifiers; the merge
    keeps the minimal ones.  These are exactly the minimal sets that determine the identifiers: a set that does holds
    some left side X, and a minimal one does not hold Y as well.  They are found from the identifiers backwards,
    replacing a determined attribute by a left side that determines it, which visits no more sets than needed to
    undo every derivation.
    """
    hidden = frozenset(identifiers)
    cover = minimal_cover(dependencies)
    seen, waiting = {hidden}, [hidden]
    while waiting:
        goal = waiting.pop()
        for d in cover:
            before = (goal - d.right) | d.left
            if d.right <= goal and before not in seen:
                seen.add(before)
                waiting.append(before)
    return without_supersets(goal for goal in seen if goal and not goal & hidden)


def without_supersets(sets: Iterable[Attributes]) -> list[Attributes]:
    """Return the sets of which no other one is a subset, by size and then by name."""
    found: list[Attributes] = []
    for candidate in sorted(set(sets), key=lambda s: (len(s), sorted(s))):
        if not any(smaller <= candidate for smaller in found):
            found.append(candidate)
    return found
