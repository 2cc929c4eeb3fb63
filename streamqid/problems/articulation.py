"""Quasi attributes as articulation points between identifier and sensitive attribute (Chandrakar and Hulipalled)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from streamqid.problems.detect_question import Method, finding, unjudged
from streamqid.problems.findings import AttributeGraphFound, Certainty, Edge, PathFound, Verdict
from streamqid.problems.graph import (
    adjacent_attributes,
    declared_graph,
    derived_graph,
    separating_attributes,
    shortest_paths,
)

if TYPE_CHECKING:
    from streamqid.problems.detect_question import DetectQuestion
    from streamqid.problems.findings import Finding

METHOD = Method(
    "articulation",
    "Articulation points (Chandrakar and Hulipalled)",
    "A column that stands between an identifier and a sensitive column in the graph of relations between columns.",
    Certainty.DERIVED,
)
NEEDS = "Needs an identifier and a sensitive column: name them with --identifier and --sensitive."


def attribute_graph(question: DetectQuestion) -> AttributeGraphFound | None:
    """Return the graph with what stands between identifiers and sensitive attributes; None if one kind is absent.

    Two readings, since the paper's definition and its used-car example differ: ``articulation`` are vertices whose
    removal disconnects an identifier from a sensitive attribute; ``adjacent`` are the neighbours of an identifier on
    a path to one.
    """
    table = question.table
    identifiers, sensitive = question.name(question.identifiers), question.name(question.sensitive)
    if not identifiers or not sensitive:
        return None
    built = (
        declared_graph(table.columns, question.edges) if question.edges else derived_graph(table, question.threshold)
    )
    articulation: set[str] = set()
    paths: list[list[str]] = []
    for start, end in itertools.product(identifiers, sensitive):
        paths += shortest_paths(built.graph, start, end)
        articulation.update(separating_attributes(built.graph, start, end))
    return AttributeGraphFound(
        source=built.source,
        measure=built.measure,
        attributes=list(table.columns),
        edges=[Edge(a=a, b=b, strength=strength) for a, b, strength in built.edges],
        identifiers=identifiers,
        sensitive=sensitive,
        articulation=[name for name in table.columns if name in articulation],
        adjacent=[name for name in table.columns if name in adjacent_attributes(paths)],
        paths=[PathFound(attributes=path) for path in paths],
    )


def articulation(question: DetectQuestion) -> Finding:
    """Return what the graph says about each column; the quasi attributes are those of both readings."""
    found = attribute_graph(question)
    if found is None:
        return unjudged(question, METHOD, NEEDS)
    columns = question.table.columns
    names = [name for name in columns if name in {*found.articulation, *found.adjacent}]
    names = [name for name in names if name not in found.identifiers]
    on_a_path = {name for path in found.paths for name in path.attributes}
    others = {
        j: (Verdict.HARMLESS, "farther along a path" if name in on_a_path else "on no path that was kept")
        for j, name in enumerate(columns)
    }
    if not found.paths:
        # Relations that the graph lacks may exist: without any path the method has not looked between the two.
        others = dict.fromkeys(others, (Verdict.NOT_JUDGED, "no path leads from an identifier to a sensitive column"))
    spoke = "declared" if found.source == "declared" else "derived from the rows"
    kept = f"{len(found.paths):,} path{'' if len(found.paths) == 1 else 's'} kept"
    return finding(
        question,
        METHOD,
        [((columns.index(name),), _reading(name, found)) for name in names],
        f"In the graph ({spoke}), {_between(found)} ({kept}: the shortest through each neighbour of an identifier); "
        "nothing is promised about relations that the graph does not have.",
        others,
        parameters={"graph": f"{spoke}: {found.measure}"},
        notes=_direct(found),
    ).model_copy(update={"graph": found})


def _reading(name: str, found: AttributeGraphFound) -> str:
    readings = []
    if name in found.articulation:
        readings.append("articulation point: without it no path is left")
    if name in found.adjacent:
        readings.append("next to the identifier on a path")
    return "; ".join(readings)


def _between(found: AttributeGraphFound) -> str:
    if not found.paths:
        return "no path leads from an identifier to a sensitive column"
    points = ", ".join(found.articulation) or "no column"
    verb = "stand" if len(found.articulation) > 1 else "stands"
    return f"{points} {verb} on every path from an identifier to some sensitive column"


def _direct(found: AttributeGraphFound) -> list[str]:
    """Warn of sensitive columns that are related to an identifier without anything in between."""
    direct = sorted({path.attributes[1] for path in found.paths if len(path.attributes) == 2})
    if not direct:
        return []
    return [f"Directly related to an identifier, so that nothing stands between: {', '.join(direct)}."]
