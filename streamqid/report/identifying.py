"""What makes a column set identifying: its parts, and what it loses without each column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.report.html import Markup
from streamqid.report.lattice_svg import Spot, drawable, lattice_svg
from streamqid.report.pieces import bar, figure, table
from streamqid.report.text import percent, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import Contribution, ScanAnswer


def parts_picture(answer: ScanAnswer) -> Markup:
    """Draw the separation of the set, of each of its columns, and of the set without each of them."""
    key = answer.key
    if not drawable(key.columns) or key.separation is None:
        return Markup()
    single = {risk.column: risk.separation for risk in answer.columns}
    lost = {part.column: part.change for part in key.contributions if part.member}
    ratio = key.separation.estimate
    picture = lattice_svg(
        [Spot(name, percent(single[name].estimate)) for name in key.columns],
        [Spot(f"without {name}", percent(ratio - lost[name].estimate)) for name in key.columns],
        Spot(f"these {len(key.columns)} together", percent(ratio), risky=True),
        "Separation",
    )
    return figure(
        picture,
        "Separation, the share of pairs of rows that can be told apart, of each column alone, of the set without one "
        f"column, and of the whole set{'' if answer.exact else ', as the sample shows it'}.",
    )


def members(added: Sequence[Contribution], measure: str) -> Markup:
    """Return what the set loses without each of its columns; nothing where it has none."""
    return _changes([part for part in added if part.member], "Column of the set", f"{measure} lost without it")


def others(added: Sequence[Contribution], measure: str, most: int) -> Markup:
    """Return what the set gains with each other column, those that gain most."""
    parts = sorted((part for part in added if not part.member), key=lambda part: -part.change.estimate)
    return _changes(parts[:most], "Other column", f"{measure} gained with it")


def _changes(parts: Sequence[Contribution], name: str, head: str) -> Markup:
    largest = max((_top(part.change) for part in parts), default=0.0) or 1.0
    return (
        table([name, "", head.capitalize()], [_row(part, largest) for part in parts], numbers=(2,))
        if parts
        else Markup()
    )


def _row(part: Contribution, largest: float) -> list[str]:
    change = part.change
    bounded = change.lower is not None and change.upper is not None and change.lower < change.upper
    reach = ((change.lower or 0.0) / largest, (change.upper or 0.0) / largest) if bounded else None
    return [part.column, bar(change.estimate / largest, "red" if part.member else "plain", reach), shown(change)]


def _top(estimate: Estimate) -> float:
    return estimate.estimate if estimate.upper is None else estimate.upper
