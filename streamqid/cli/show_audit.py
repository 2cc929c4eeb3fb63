"""An audit for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from streamqid.audits.sentences import number
from streamqid.cli import parts
from streamqid.cli.text import count, percent, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType
    from rich.table import Table

    from streamqid.audits.answer import AuditAnswer, Limit, SensitiveFigures

MARKS = {True: ("met", "green"), False: ("NOT met", "bold yellow")}


def shown_audit(answer: AuditAnswer) -> Iterable[RenderableType]:
    """Yield the parts by which a person sees an audit."""
    yield Text(plain(answer.guarantee), style="bold yellow" if answer.met is False else "bold")
    if answer.limits:
        yield Text()
        yield parts.indented(_limits(answer.limits))
    groups, risk = answer.groups, answer.risk
    yield Text()
    yield parts.indented(
        Text(
            f"{count(groups.groups, 'group')}: the smallest has {groups.smallest:,}, on average {groups.average:,.4g}, "
            f"the largest {groups.largest:,}; {count(groups.unique_rows, 'row')} alone."
        )
    )
    yield parts.indented(
        Text(
            f"Risk to be found: at most {percent(risk.prosecutor)} if known to be in the table (prosecutor), at most "
            f"{percent(risk.journalist)} if not (journalist), {percent(risk.marketer)} of all rows (marketer)."
        )
    )
    for column in answer.sensitive:
        yield Text()
        yield parts.indented(_figures(column))
    yield Text()
    yield from _cells(answer)
    yield parts.items(answer.advice)
    yield from parts.conditions(answer, 0.0)


def _limits(limits: Iterable[Limit]) -> Table:
    table = parts.grid("Limit", "Asked", "Found", "Rows beyond", "Groups", "", name_width=20)
    for limit in limits:
        name = limit.model if limit.column is None else f"{limit.model}, {limit.column}"
        word, style = MARKS[limit.met]
        found = "none" if limit.found is None else number(limit.found)
        figures = number(limit.asked), found, f"{limit.rows:,}", f"{limit.groups:,}"
        table.add_row(Text(plain(name)), *figures, Text(word, style=style))
    return table


def _figures(column: SensitiveFigures) -> Table:
    table = parts.grid(f"{plain(column.column)} ({count(column.values, 'value')})", "Worst group", name_width=40)
    c = "none" if column.recursive_c is None else f"> {number(column.recursive_c)}"
    enhanced = "none" if column.enhanced_beta is None else number(column.enhanced_beta)
    rows = (
        ("distinct l", number(column.distinct_l)),
        ("frequency l (no value above 1/l)", number(column.frequency_l)),
        ("entropy l", number(column.entropy_l)),
        (f"recursive (c, {column.recursive_l}): c", c),
        (f"t, {column.distance} distance", number(column.t)),
        ("α (largest share of a value)", number(column.alpha)),
        ("δ-disclosure: δ", number(column.delta)),
        ("β-likeness: β, basic / enhanced", f"{number(column.beta)} / {enhanced}"),
    )
    for name, figure in rows:
        table.add_row(name, figure)
    return table


def _cells(answer: AuditAnswer) -> Iterable[Text]:
    """Yield what cells without a value counted as."""
    if answer.suppressed.quasi:
        how = "matching any value" if answer.suppressed_as == "any" else "as a value of their own"
        yield Text(f"{count(answer.suppressed.quasi, 'suppressed cell')} of the quasi-identifiers counted {how}.")
    if answer.suppressed.sensitive:
        cells = count(answer.suppressed.sensitive, "suppressed cell")
        yield Text(f"{cells} of sensitive columns counted as a value of their own.")
    if answer.missing.quasi:
        cells = count(answer.missing.quasi, "missing cell")
        yield Text(f"{cells} of the quasi-identifiers compared by the rule “{answer.missing_as}” (--missing).")
    if answer.missing.sensitive:
        yield Text(f"{count(answer.missing.sensitive, 'missing sensitive cell')} counted as one value.")
