"""The figures of an audit as tables with bars, and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.audits.sentences import number
from streamqid.report.html import Markup
from streamqid.report.lattice_svg import Spot, drawable, lattice_svg
from streamqid.report.pieces import bar, faint, figure, table
from streamqid.report.text import count, percent

if TYPE_CHECKING:
    from streamqid.audits.answer import AuditAnswer, GroupFigures, SensitiveFigures, SizeBand

RISKS = {
    "prosecutor": "Highest risk of a person whom the attacker knows to be in the table: 1 / the smallest group",
    "journalist": "The highest risk of a person who may or may not be in the table is at most this",
    "marketer": "Share of all rows that an attacker who links every row is expected to link rightly",
}


def sizes(answer: AuditAnswer) -> Markup:
    """Return how many rows are in groups of each size."""
    smallest = next((limit.asked for limit in answer.limits if limit.model == "k-anonymity"), 2)
    rows = [
        [
            _band(band),
            bar(band.rows / answer.rows, "red" if band.least < smallest else "plain"),
            f"{band.rows:,}",
            percent(band.rows / answer.rows),
            f"{band.groups:,}",
        ]
        for band in answer.sizes
    ]
    return table(["Rows in the group", "", "Rows", "Share", "Groups"], rows, numbers=(2, 3, 4))


def _band(band: SizeBand) -> str:
    if band.most is None:
        return f"{band.least:,} or more"
    if band.most == 1:
        return "1 (alone)"
    return f"{band.least:,}" if band.least == band.most else f"{band.least:,} – {band.most:,}"


def about_sizes(answer: AuditAnswer) -> Markup:
    """Say what a group is, and how large the groups are."""
    groups = answer.groups
    alike = "match" if answer.suppressed_as == "any" and answer.suppressed.quasi else "are equal"
    return faint(
        f"Rows that {alike} on the quasi-identifiers are one group. {count(groups.groups, 'group')}: the smallest has "
        f"{groups.smallest:,}, on average {groups.average:,.4g}, the largest {groups.largest:,}; "
        f"{count(groups.unique_rows, 'row')} alone."
    )


def risks(answer: AuditAnswer) -> Markup:
    """Return the risk that each kind of attacker is."""
    risk = answer.risk
    rows = [
        [name, bar(share, "red"), percent(share), RISKS[name]]
        for name, share in (
            ("prosecutor", risk.prosecutor),
            ("journalist", risk.journalist),
            ("marketer", risk.marketer),
        )
    ]
    return table(["Attacker", "", "Risk", "What it says"], rows, numbers=(2,))


def columns(answer: AuditAnswer) -> Markup:
    """Return what becomes of the groups without each column, the most helpful one to leave out first."""
    columns = sorted(answer.columns, key=lambda found: (found.without.groups, found.without.unique_rows))
    most = answer.groups.unique_rows
    rows = [["(all of them)", *_alone(answer.groups, most), f"{answer.groups.smallest:,}", ""]]
    rows += [
        [
            f"without {found.column}",
            *_alone(found.without, most),
            f"{found.without.smallest:,}",
            f"{found.alone.groups:,}",
        ]
        for found in columns
    ]
    headers = ["Quasi-identifiers", "", "Rows alone", "Groups", "Smallest group", "Its values"]
    return table(headers, rows, numbers=(2, 3, 4, 5))


def _alone(groups: GroupFigures, most: int) -> list[str]:
    return [bar(groups.unique_rows / (most or 1), "red"), f"{groups.unique_rows:,}", f"{groups.groups:,}"]


def lattice(answer: AuditAnswer) -> Markup:
    """Draw the rows that are alone on the quasi-identifiers and on parts of them."""
    if not drawable(answer.quasi):
        return Markup()

    def spot(name: str, groups: GroupFigures) -> Spot:
        return Spot(name, f"{groups.unique_rows:,} alone, smallest {groups.smallest:,}", groups.unique_rows > 0)

    picture = lattice_svg(
        [spot(found.column, found.alone) for found in answer.columns],
        [spot(f"without {found.column}", found.without) for found in answer.columns],
        spot(f"these {len(answer.quasi)} together", answer.groups),
        "Rows that are alone",
    )
    return figure(picture, "Rows that are alone, and the smallest group, on parts of the quasi-identifiers.")


def sensitive_figures(answer: AuditAnswer) -> Markup:
    """Return what each model finds in the worst group, for each sensitive column."""
    by_column = [_figures(column) for column in answer.sensitive]
    rows = [[name, *(figures[name] for figures in by_column)] for name in by_column[0]]
    headers = ["Figure of the worst group", *(column.column for column in answer.sensitive)]
    return table(headers, rows, numbers=range(1, len(headers)))


def _figures(column: SensitiveFigures) -> dict[str, str]:
    c = "none" if column.recursive_c is None else f"> {number(column.recursive_c)}"
    enhanced = "none" if column.enhanced_beta is None else number(column.enhanced_beta)
    return {
        "distinct l": number(column.distinct_l),
        "frequency l (no value above 1/l)": number(column.frequency_l),
        "entropy l": number(column.entropy_l),
        f"recursive (c, {column.recursive_l}): c": c,
        "t": number(column.t),
        "α (largest share of a value)": number(column.alpha),
        "δ of δ-disclosure": number(column.delta),
        "β of β-likeness, basic": number(column.beta),
        "β of β-likeness, enhanced": enhanced,
        "different values in the table": f"{column.values:,}",
    }
