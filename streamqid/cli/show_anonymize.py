"""What was suppressed, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from streamqid.anonymize.answer import AnonymizeAnswer
from streamqid.cli import parts
from streamqid.cli.show import shown, tell
from streamqid.cli.text import count, percent, plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

__all__ = ["tell"]


@shown.register(AnonymizeAnswer)
def _(answer: AnonymizeAnswer) -> Iterable[RenderableType]:
    yield Text(plain(answer.guarantee), style="bold yellow" if answer.heuristic else "bold")
    yield Text()
    table = parts.grid("Column", "Suppressed", "Share")
    for column in answer.columns:
        table.add_row(Text(plain(column.column)), f"{column.suppressed:,}", percent(column.share))
    table.add_row("all", f"{answer.cost:,}", percent(answer.share))
    yield parts.indented(table)
    yield Text()
    for condition in answer.conditions:
        yield Text(plain(condition))
    facts = [f"{count(answer.rows, 'row')}", f"{count(answer.classes, 'group')} of equal rows"]
    facts.append(f"the smallest has {answer.smallest_class:,}")
    if answer.farthest is not None and answer.t is not None:
        facts.append(f"largest distance {answer.farthest:.4g}")
    yield Text(" · ".join(facts), style="dim")
    yield Text(f"Found by {answer.method}; audited before it was written.", style="dim")
