"""Which columns make up the sets that methods found, as a picture: columns on the left, sets on the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.report.html import Markup, tag
from streamqid.report.lattice_svg import HEAD, HEIGHT, MARGIN, STEP_X, STEP_Y, WIDTH, Spot, edge, node

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST = 24
"""Columns that can be drawn."""


def sets_svg(columns: Sequence[str], sets: Sequence[tuple[Spot, Sequence[str]]]) -> Markup:
    """Draw sets, each joined to its columns; nothing when there is no set, or more columns than can be drawn."""
    used = [name for name in columns if any(name in members for _, members in sets)]
    if not sets or len(used) > MOST:
        return Markup()
    tallest = max(len(used), len(sets))
    left, right = (
        {name: (MARGIN + x * STEP_X, HEAD + (i + (tallest - len(names)) / 2) * STEP_Y) for i, name in enumerate(names)}
        for x, names in enumerate((used, range(len(sets))))
    )
    edges = [edge(left[name], right[i]) for i, (_, members) in enumerate(sets) for name in used if name in members]
    times = {name: sum(name in members for _, members in sets) for name in used}
    columns_drawn = [node(Spot(name, f"in {times[name]} of {len(sets)}"), left[name]) for name in used]
    sets_drawn = [node(spot, right[i]) for i, (spot, _) in enumerate(sets)]
    width, height = 2 * MARGIN + STEP_X + WIDTH, HEAD + (tallest - 1) * STEP_Y + HEIGHT + MARGIN
    heads = [
        tag("text", title, x=f"{MARGIN + x * STEP_X + WIDTH / 2:.0f}", y=10)
        for x, title in enumerate(("column", "set, by method"))
    ]
    return tag(
        "svg",
        *heads,
        *edges,
        *columns_drawn,
        *sets_drawn,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        role="img",
        aria_label=f"{len(sets)} sets and the {len(used)} columns that they are made of",
    )
