"""Where in a record the named columns can stand, as a tree of keys.

The column ``a.b`` is the field ``b`` of the object ``a``, or a field whose own name is ``a.b``; each way is an edge.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NOWHERE = -1
MOST_EDGES = 4096
"""A name with d dots has about 2^d edges; beyond this the tree is not worth its size."""


@dataclass(slots=True)
class Edge:
    """A key of a node: the column that a plain value under it is, and the node that an object under it is."""

    name: str
    column: int = NOWHERE
    node: int = NOWHERE


@dataclass(slots=True)
class Paths:
    """Nodes, each with its edges by name; ``row`` is the node of the row, and the record's own is node 0."""

    nodes: list[dict[str, Edge]] = field(default_factory=lambda: [{}])
    row: int = 0

    @property
    def edges(self) -> int:
        """How many edges there are."""
        return sum(map(len, self.nodes))

    def descend(self, node: int, name: str) -> int:
        """Return the node of the objects under a key, made if need be."""
        edge = self.nodes[node].setdefault(name, Edge(name))
        if edge.node == NOWHERE:
            self.nodes.append({})
            edge.node = len(self.nodes) - 1
        return edge.node

    def add(self, node: int, name: str, column: int) -> None:
        """Let a column stand under a node, in every way in which its name can be cut at dots."""
        if self.edges > MOST_EDGES:
            return
        self.nodes[node].setdefault(name, Edge(name)).column = column
        for place, letter in enumerate(name):
            if letter == ".":
                self.add(self.descend(node, name[:place]), name[place + 1 :], column)


def paths_of(columns: Sequence[str], row_path: str = "") -> Paths | None:
    """Return the tree of these columns below the row; None if it would be too large."""
    paths = Paths()
    for name in row_path.split(".") if row_path else ():
        paths.row = paths.descend(paths.row, name)
    for number, column in enumerate(columns):
        paths.add(paths.row, column, number)
    return None if paths.edges > MOST_EDGES else paths


def find(record: Mapping[str, object], name: str) -> list[object]:
    """Return all leaves of a record that are spelled like a column; the definition knows which of them counts."""
    found = [] if isinstance(record.get(name), dict) or name not in record else [record[name]]
    for place, letter in enumerate(name):
        inner = record.get(name[:place]) if letter == "." else None
        if isinstance(inner, dict):
            found += find(inner, name[place + 1 :])
    return found
