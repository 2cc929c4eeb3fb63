"""The document of approximate dependencies, and its promise in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamqid.measures.estimate import Estimate
from streamqid.problems.answer import Answer, Document, Rule
from streamqid.problems.sentences import percent, sure

if TYPE_CHECKING:
    from collections.abc import Sequence


class FoundDependency(Document):
    """The columns ``left`` determine the columns ``right`` but for a share of the rows."""

    left: list[str]
    """Empty where the right side is nearly constant."""
    right: list[str]
    error: Estimate | None
    """g3: the smallest share of rows without which it holds; None for columns that were not seen yet.  A side without
    a bound says that the number is one of the sample only."""
    certain: bool
    """Whether the error is within the threshold with the answer's confidence."""


class DependenciesAnswer(Answer):
    """Approximate functional dependencies between columns (Hua et al., instance dependencies)."""

    problem: Literal["approximate dependencies"] = "approximate dependencies"
    measure: Literal["g3"] = "g3"
    rule: Rule = Rule.CERTIFIED
    """Learned on sample A and judged on sample B, at the price of all dependencies that could be named."""
    threshold: float
    delta: float
    most: int
    """Largest number of columns on a left side that was looked at."""
    dependencies: list[FoundDependency]
    """Minimal ones that are not ruled out: certain ones first, then by size and error."""
    left_off: int
    """How many more there are."""
    declared: list[FoundDependency]
    """The declared ones, whatever their error."""
    quasi_identifiers: list[list[str]]
    """Minimal sets that determine the identifiers by the declared dependencies, which are taken at their word."""


def dependencies_sentence(
    threshold: float, most: int, found: Sequence[FoundDependency], delta: float, *, exact: bool
) -> str:
    """Say what was found and how sure it is."""
    some, size = sum(one.certain for one in found), f"at most {most} column{'s' if most > 1 else ''}"
    error = f"an error of at most {percent(threshold, up=True)} of the rows"
    if exact:
        many = f"{len(found):,} minimal dependenc{'y' if len(found) == 1 else 'ies'}"
        return f"{many} with {size} on the left {'has' if len(found) == 1 else 'have'} {error} ({sure(None)})."
    return (
        f"Every dependency with {size} on the left and {error} follows from one of {len(found):,}, of which {some:,} "
        f"hold for certain ({sure(delta)}); the others are of the sample only."
    )
