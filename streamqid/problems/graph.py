"""The attribute graph of Chandrakar and Hulipalled: declared, or derived from the rows of a table."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import networkx as nx

from streamqid.measures.dependence import gains

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from streamqid.measures.partition import Table

DECLARED = "declared relations"
GAIN = "largest g3 gain of the two directions (Goodman and Kruskal's λ)"


@dataclass(frozen=True, slots=True)
class AttributeGraph:
    """Attributes as vertices, relations between them as edges, each with its strength (None if declared)."""

    source: Literal["declared", "derived"]
    measure: str
    graph: nx.Graph

    @property
    def edges(self) -> list[tuple[str, str, float | None]]:
        """The relations, in the order in which they were given or of the columns."""
        return list(self.graph.edges(data="strength"))


def declared_graph(attributes: Iterable[str], edges: Iterable[tuple[str, str]]) -> AttributeGraph:
    """Return the graph of declared relations."""
    graph = nx.Graph()
    graph.add_nodes_from(attributes)
    graph.add_edges_from(edges, strength=None)
    return AttributeGraph("declared", DECLARED, graph)


def derived_graph(table: Table, threshold: float) -> AttributeGraph:
    """Return the graph in which two columns are related when one of them determines the other well enough.

    The paper asks for a "dependency" and does not define it.  Here it is the g3 gain: the share of the errors in
    guessing one column that knowing the other removes, in the better direction; an edge needs ``threshold``.  Exact
    over the rows of the table.
    """
    graph = nx.Graph()
    graph.add_nodes_from(table.columns)
    by_column = [gains(table, j) for j in range(len(table.columns))]
    for i, j in itertools.combinations(range(len(table.columns)), 2):
        strength = max(by_column[i][j], by_column[j][i])
        if strength >= threshold:
            graph.add_edge(table.columns[i], table.columns[j], strength=strength)
    return AttributeGraph("derived", f"{GAIN}, at least {threshold:g}", graph)


def shortest_paths(graph: nx.Graph, identifier: str, sensitive: str) -> list[list[str]]:
    """Return, for each neighbour of the identifier, the shortest path through it to the sensitive attribute.

    That is what the paper's Algorithm 2 keeps: it stops a search at a neighbour that a path was found for.  So there
    are at most m - 1 paths, however many simple paths the graph has.  Sorted by length, then by name.
    """
    without = graph.subgraph(set(graph) - {identifier})
    paths = [
        [identifier, *nx.shortest_path(without, neighbour, sensitive)]
        for neighbour in graph[identifier]
        if nx.has_path(without, neighbour, sensitive)
    ]
    return sorted(paths, key=lambda path: (len(path), path))


def separating_attributes(graph: nx.Graph, identifier: str, sensitive: str) -> list[str]:
    """Return the articulation points without which no path is left from the identifier to the sensitive attribute."""
    if not nx.has_path(graph, identifier, sensitive):
        return []
    points = set(nx.articulation_points(graph)) - {identifier, sensitive}
    return sorted(
        point for point in points if not nx.has_path(graph.subgraph(set(graph) - {point}), identifier, sensitive)
    )


def adjacent_attributes(paths: Sequence[Sequence[str]]) -> list[str]:
    """Return the attributes next to the identifier on a path; a path of two attributes has none in between."""
    return sorted({path[1] for path in paths if len(path) > 2})
