"""The attribute graph as a picture: identifiers on the left, and each column as far right as it is steps away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import networkx as nx

from streamqid.report.html import Markup, join, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamqid.problems.findings import AttributeGraphFound

STEP_X, STEP_Y, HEIGHT, MARGIN = 250.0, 52.0, 32.0, 12.0
LETTER, LONGEST = 8.0, 22
"""Width of a letter, and the letters of a name that are shown."""
BULGE = 34.0
"""How far an edge between two columns at the same distance bends aside, for each column in between."""

COLOURS = {
    "identifier": "violet",
    "sensitive": "amber",
    "articulation point": "red",
    "next to an identifier": "red",
    "column": "plain",
}

Place = tuple[float, float]


def graph_svg(found: AttributeGraphFound) -> Markup:
    """Draw the graph; columns without a path to an identifier stand at the right end."""
    graph = nx.Graph()
    graph.add_nodes_from(found.attributes)
    graph.add_edges_from((edge.a, edge.b) for edge in found.edges)
    places = _places(graph, found.identifiers)
    width = max(x for x, _ in places.values()) + _width(LONGEST) / 2 + MARGIN + BULGE
    height = max(y for _, y in places.values()) + HEIGHT / 2 + MARGIN
    edges = [_edge(places[e.a], places[e.b], f"{e.a} – {e.b}{_strength(e.strength)}", e.strength) for e in found.edges]
    nodes = [_node(name, places[name], _kind(name, found)) for name in found.attributes]
    return tag(
        "svg",
        *edges,
        *nodes,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        role="img",
        aria_label=f"Graph of {len(found.attributes)} columns and {len(found.edges)} relations",
    )


def _places(graph: nx.Graph, identifiers: Iterable[str]) -> dict[str, Place]:
    """Return where the middle of each column stands: one layer for each number of steps from an identifier."""
    layers = list(nx.bfs_layers(graph, list(identifiers)))
    reached = {name for layer in layers for name in layer}
    apart = [name for name in graph if name not in reached]
    if apart:
        layers.append(apart)
    spread = nx.multipartite_layout(graph, subset_key=dict(enumerate(layers)), align="vertical")
    tallest = max(map(len, layers))
    low = min(float(y) for _, y in spread.values())
    span = max(float(y) for _, y in spread.values()) - low
    places = {}
    for number, layer in enumerate(layers):
        for name in layer:
            share = (float(spread[name][1]) - low) / span if span else 0.0
            left = MARGIN + _width(LONGEST) / 2
            places[name] = (left + number * STEP_X, MARGIN + HEIGHT / 2 + share * (tallest - 1) * STEP_Y)
    return places


def _edge(a: Place, b: Place, title: str, strength: float | None) -> Markup:
    (x1, y1), (x2, y2) = a, b
    bend = BULGE * (abs(y2 - y1) / STEP_Y - 1.0) if x1 == x2 else 0.0
    # An edge inside a layer leaves and enters its boxes at their right ends, and so passes beside those in between.
    aside = _width(LONGEST) / 2 if bend > 0 else 0.0
    middle = f"{(x1 + x2) / 2 + aside + bend:.1f} {(y1 + y2) / 2:.1f}"
    return tag(
        "path",
        tag("title", title),
        class_="edge",
        d=f"M {x1 + aside / 2:.1f} {y1:.1f} Q {middle} {x2 + aside / 2:.1f} {y2:.1f}",
        stroke_width=f"{1.5 if strength is None else 0.5 + 2.5 * strength:.2f}",
    )


def _node(name: str, place: Place, kind: str) -> Markup:
    x, y = place
    shown = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    wide = _width(len(shown))
    box = tag("rect", x=f"{x - wide / 2:.1f}", y=f"{y - HEIGHT / 2:.1f}", width=f"{wide:.1f}", height=HEIGHT, rx=7)
    label = tag("text", shown, x=f"{x:.1f}", y=f"{y:.1f}")
    return tag("g", join(tag("title", f"{name}: {kind}"), box, label), class_=f"node {COLOURS[kind]}")


def _kind(name: str, found: AttributeGraphFound) -> str:
    if name in found.identifiers:
        return "identifier"
    if name in found.articulation:
        return "articulation point"
    if name in found.adjacent:
        return "next to an identifier"
    return "sensitive" if name in found.sensitive else "column"


def _strength(strength: float | None) -> str:
    return "" if strength is None else f", strength {strength:.2f}"


def _width(letters: int) -> float:
    return letters * LETTER + 20.0
