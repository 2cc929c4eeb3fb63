"""Articulation points on a sample: declared relations need no rows, derived ones are of the sample only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from streamqid.measures.partition import table_of
from streamqid.problems.answer import Answer
from streamqid.problems.detect_question import DetectQuestion
from streamqid.problems.findings import AttributeGraphFound
from streamqid.problems.sentences import names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.sampling.pairs import Evidence

Holds = Literal["of the declared relations", "of every row", "of the sample only"]


class ArticulationAnswer(Answer):
    """Columns that stand between identifiers and sensitive columns in the graph of relations between columns."""

    problem: Literal["articulation points"] = "articulation points"
    measure: str
    """What makes a relation."""
    rule: None = None
    """No rule earns a promise about a graph that was derived from a sample."""
    holds: Holds
    """What the graph is true of."""
    quasi: list[str]
    """Articulation points, and neighbours of an identifier on a path: the two readings of the paper."""
    graph: AttributeGraphFound | None
    """None while an identifier or a sensitive column was not seen."""


def articulation_on_samples(
    evidence: Evidence,
    identifiers: Sequence[str],
    sensitive: Sequence[str],
    edges: Sequence[tuple[str, str]] = (),
    threshold: float = 0.5,
) -> ArticulationAnswer:
    """Find the quasi attributes of Chandrakar and Hulipalled.

    With declared ``edges`` nothing depends on the rows.  A derived edge is a g3 gain of at least ``threshold`` on
    sample A: a ratio of two errors, for which no bound is given, so that the answer is labelled as one of the sample
    only unless the sample holds every row.
    """
    # It loads a library of graphs, a quarter of the time to start a service that hardly ever asks for it.
    from streamqid.problems.articulation import attribute_graph

    columns = (*evidence.columns, *sorted({name for edge in edges for name in edge} - set(evidence.columns)))
    rows = evidence.select(columns)
    table = table_of(columns, rows.a.fingerprints, missing_differ=evidence.missing_differ)
    question = DetectQuestion(
        table,
        [1.0] * len(columns),
        identifiers=tuple(j for j, name in enumerate(columns) if name in identifiers),
        sensitive=tuple(j for j, name in enumerate(columns) if name in sensitive),
        edges=tuple(edges),
        threshold=threshold,
    )
    found = attribute_graph(question)
    holds: Holds = "of the declared relations" if edges else "of every row" if evidence.whole else "of the sample only"
    between = set() if found is None else {*found.articulation, *found.adjacent} - {*identifiers}
    quasi = [name for name in columns if name in between]
    return ArticulationAnswer(
        measure="none: a column is missing" if found is None else found.measure,
        holds=holds,
        quasi=quasi,
        graph=found,
        rows=evidence.n,
        rows_estimated=evidence.population is None,
        sample=table.n,
        sample_unit="rows" if evidence.whole else "tuples",
        exact=evidence.whole,
        guarantee=_sentence(found, quasi, holds),
    )


def _sentence(found: AttributeGraphFound | None, quasi: list[str], holds: Holds) -> str:
    if found is None:
        return "Unknown: no identifier, or no sensitive column, was seen yet."
    if not found.paths:
        return f"No path leads from an identifier to a sensitive column ({holds})."
    who = f"{names(quasi)} stand{'s' if len(quasi) == 1 else ''}" if quasi else "No column stands"
    return f"{who} between an identifier and a sensitive column ({holds}); nothing is promised about other relations."
