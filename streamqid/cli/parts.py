"""The pieces that the answers are shown with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from streamqid.cli.text import count, interval, percent, plain
from streamqid.problems.sentences import percent as outwards

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import Answer, Contribution, Unreadable

NARROWEST, WIDEST = 80, 100
"""Longer lines are hard to read."""
NAME_WIDTH = 28
LOCATED = 10


def console() -> Console:
    """Return what writes to standard output: no colours unless it is a terminal, no wider than can be read.

    A narrower terminal wraps the lines, which is ugly; cut to its width, a number would become a wrong one.
    """
    out = Console(highlight=False, markup=False, emoji=False)
    out.width = max(NARROWEST, min(out.width, WIDEST))
    return out


def grid(*headers: str, name_width: int = NAME_WIDTH) -> Table:
    """Return a table whose first column is a name and the others are numbers."""
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for j, header in enumerate(headers):
        name = j == 0
        table.add_column(
            header,
            justify="left" if name else "right",
            min_width=name_width if name else None,
            overflow="fold",
            no_wrap=not name,
        )
    return table


def indented(part: RenderableType) -> Padding:
    """Set a part off from the margin."""
    return Padding(part, (0, 0, 0, 2))


def items(lines: Iterable[str], mark: str = "·") -> Table:
    """Return lines with a mark before each, wrapped beside it."""
    table = Table.grid("", Column(overflow="fold"), padding=(0, 1, 0, 0))
    for line in lines:
        table.add_row(Text(mark), Text(plain(line)))
    return table


def estimates(title: str, head: str, rows: Sequence[tuple[str, Estimate]]) -> Table:
    """Return a table of estimates, with their intervals if one of them has any."""
    confidence = max((estimate.confidence for _, estimate in rows), default=1.0)
    bounded = 0.0 < confidence < 1.0
    table = grid(title, head, f"Interval ({percent(confidence)})") if bounded else grid(title, head)
    for name, estimate in rows:
        # An estimate that a sample can bound on one side only leans to that side: the bound alone is shown.
        leans = bounded and (estimate.lower is None) != (estimate.upper is None)
        cells = [plain(name), "" if leans else percent(estimate.estimate), interval(estimate)]
        table.add_row(*(Text(cell) for cell in cells[: 3 if bounded else 2]))
    return table


def contributions(
    added: Sequence[Contribution], titles: tuple[str, str], most: int | None = None
) -> Iterable[RenderableType]:
    """Yield what the ratio loses without each member of the set and gains with each other column.

    ``most`` limits the columns that are not members; those that change the ratio most come first.
    """
    for member, title, head in ((True, titles[0], "Lost without it"), (False, titles[1], "Gained with it")):
        rows = [(c.column, c.change) for c in added if c.member is member]
        rows.sort(key=lambda row: -row[1].estimate)
        shown = rows if member else rows[:most]
        if shown:
            yield Text()
            yield indented(estimates(title, head, shown))
        if len(shown) < len(rows):
            rest = f"and {len(rows) - len(shown)} more, {_each([change for _, change in rows[len(shown) :]])}"
            yield indented(Text(rest, style="dim"))


def _each(rest: Sequence[Estimate]) -> str:
    """Say how much each of the others changes the ratio at most: what is promised, or what the sample shows."""
    uppers = [estimate.upper for estimate in rest if estimate.upper is not None]
    if len(uppers) < len(rest):
        return f"each at most {percent(max(estimate.estimate for estimate in rest))} in the sample"
    exact = all(estimate.lower == estimate.upper for estimate in rest)
    return f"each at most {outwards(max(uppers), up=True, exact=exact)}"


def unreadable(found: Unreadable) -> Text:
    """Say how many rows could not be read, why, and where the first ones stand."""
    reasons = ", ".join(
        reason if len(found.reasons) == 1 else f"{reason} ({times:,})" for reason, times in found.reasons.items()
    )
    more = ", …" if found.found > min(len(found.lines), LOCATED) else ""
    where = f"line{'s' if found.found > 1 else ''} {', '.join(map(str, found.lines[:LOCATED]))}{more}"
    sentence = f"{found.found:,} of {found.looked_at:,} rows looked at could not be read: {reasons} ({where})."
    return Text(sentence, style="yellow")


def conditions(answer: Answer, delta: float, rule: str | None = None) -> Iterable[Text]:
    """Yield what the answer rests on, and how to get it again."""
    yield Text()
    if answer.unreadable is not None:
        yield unreadable(answer.unreadable)
    facts = [] if rule is None else [f"rule {rule}"]
    facts.append(f"{'about ' if answer.rows_estimated else ''}{count(answer.rows, 'row')}")
    if answer.exact:
        facts.append("exact: every row counted")
    else:
        facts += [f"sample of {answer.sample:,} {answer.sample_unit}", f"confidence {percent(1.0 - delta)}"]
    yield Text(" · ".join(facts), style="dim")
    if answer.seed is not None:
        yield Text(f"Repeat with --seed {answer.seed}", style="dim")
