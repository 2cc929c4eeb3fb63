"""A column set in the lattice of its parts: each column alone, all but one of them, all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamqid.report.html import Markup, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 9
"""Columns of a set that can be drawn."""
WIDTH, HEIGHT, STEP_X, STEP_Y, MARGIN, HEAD = 210.0, 44.0, 285.0, 56.0, 4.0, 26.0
LONGEST = 26
"""Letters of a name that are shown."""

Place = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Spot:
    """A column set of the picture: its name, its figure, and whether it stands out."""

    name: str
    figure: str
    risky: bool = False


def drawable(columns: Sequence[str]) -> bool:
    """Return whether a set has parts to be drawn, and not too many."""
    return 2 <= len(columns) <= MOST


def lattice_svg(alone: Sequence[Spot], without: Sequence[Spot], whole: Spot, figure: str) -> Markup:
    """Draw the set, each column of it alone, and the set without each column (the same order); sets grow rightwards.

    ``figure`` names what stands in the boxes.  Of two columns, each alone is the set without the other.
    """
    m = len(alone)
    layers = [("one column", alone), ("all but one", without), ("all columns", [whole])]
    if m == 2:
        del layers[1]
    middle = HEAD + (m - 1) * STEP_Y / 2
    places: list[list[Place]] = [
        [(MARGIN + x * STEP_X, middle + (i - (len(spots) - 1) / 2) * STEP_Y) for i in range(len(spots))]
        for x, (_, spots) in enumerate(layers)
    ]
    edges = [edge(here, there) for here in places[-2] for there in places[-1]]
    if m > 2:
        edges += [edge(places[0][i], places[1][j]) for i in range(m) for j in range(m) if i != j]
    heads = [
        tag("text", title, x=f"{MARGIN + x * STEP_X + WIDTH / 2:.0f}", y=10) for x, (title, _) in enumerate(layers)
    ]
    spots = [spot for _, spots in layers for spot in spots]
    nodes = [node(spot, place) for spot, place in zip(spots, [p for layer in places for p in layer], strict=True)]
    width, height = 2 * MARGIN + (len(layers) - 1) * STEP_X + WIDTH, HEAD + (m - 1) * STEP_Y + HEIGHT + MARGIN
    return tag(
        "svg",
        *heads,
        *edges,
        *nodes,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        role="img",
        aria_label=f"{figure} of each of {m} columns alone, of all but one, and of all of them",
    )


def edge(a: Place, b: Place) -> Markup:
    """Join the right side of one box to the left side of another."""
    (x1, y1), (x2, y2) = (a[0] + WIDTH, a[1] + HEIGHT / 2), (b[0], b[1] + HEIGHT / 2)
    half = (x1 + x2) / 2
    path = f"M {x1:.0f} {y1:.1f} C {half:.0f} {y1:.1f} {half:.0f} {y2:.1f} {x2:.0f} {y2:.1f}"
    return tag("path", class_="edge", d=path)


def node(spot: Spot, place: Place) -> Markup:
    """Draw a column set as a box whose upper left corner is at the place."""
    x, y = place
    name = spot.name if len(spot.name) <= LONGEST else f"{spot.name[: LONGEST - 1]}…"
    middle = f"{x + WIDTH / 2:.0f}"
    return tag(
        "g",
        tag("title", f"{spot.name}: {spot.figure}"),
        tag("rect", x=f"{x:.0f}", y=f"{y:.1f}", width=f"{WIDTH:.0f}", height=f"{HEIGHT:.0f}", rx=7),
        tag("text", name, x=middle, y=f"{y + 14:.1f}"),
        tag("text", spot.figure, x=middle, y=f"{y + 31:.1f}", class_="figure"),
        class_="node red" if spot.risky else "node",
    )
