"""All minimal sets on the command line: ``keys --all``, and how a person sees them.

No annotation that typer reads is a string.
"""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from streamqid.errors import UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from streamqid.options import Options
    from streamqid.problems.minimal_answer import MinimalAnswer

SETS, COLUMNS = 20, 10
"""How many sets, and how many columns, are shown one by one."""

All = Annotated[
    bool, typer.Option("--all", help="Find every minimal set instead, exactly: every row is read and counted.")
]
Limit = Annotated[int | None, typer.Option(metavar="N", help="With --all: stop at so many sets.")]
MaxSize = Annotated[int | None, typer.Option(metavar="S", help="With --all: sets of at most so many columns.")]


def ask(
    table: str,
    options: "Options",
    *,
    every: bool,
    measure: str,
    epsilon: float,
    beta: float | None,
    limit: int | None,
    max_size: int | None,
) -> "MinimalAnswer":
    """Find all minimal sets; the options that belong to them are refused without ``--all``."""
    from streamqid import minimal
    from streamqid.cli.show import shown
    from streamqid.problems.minimal_answer import MinimalAnswer

    if not every:
        msg = "--limit and --max-size choose among all minimal sets: add --all."
        raise UsageError(msg)
    shown.register(MinimalAnswer, _shown)
    return minimal.all_keys(
        table, measure=measure, epsilon=epsilon, beta=beta, max_size=max_size, max_sets=limit, **options
    )


def _shown(answer: "MinimalAnswer") -> Iterable["RenderableType"]:
    from rich.text import Text

    from streamqid.cli import parts
    from streamqid.cli.text import count, percent, plain

    yield Text(plain(answer.guarantee), style="bold" if answer.complete else "bold yellow")
    if answer.sets:
        yield Text()
        table = parts.grid("Minimal sets, the smallest and riskiest first", answer.measure.capitalize())
        for found in answer.sets[:SETS]:
            table.add_row(Text(plain(", ".join(found.columns) or "no column")), percent(found.ratio.estimate))
        yield parts.indented(table)
        if len(answer.sets) > SETS:
            yield parts.indented(Text(f"and {len(answer.sets) - SETS:,} more, which --json lists", style="dim"))
        yield Text()
        held = Counter(column for found in answer.sets for column in found.columns)
        table = parts.grid("Column", "Sets that hold it")
        for column, times in held.most_common(COLUMNS):
            table.add_row(Text(plain(column)), f"{times:,}")
        yield parts.indented(table)
        if len(held) > COLUMNS:
            yield parts.indented(Text(f"and {len(held) - COLUMNS} more in fewer sets", style="dim"))
    if answer.inseparable_rows:
        yield Text()
        yield Text(f"{count(answer.inseparable_rows, 'row')} equal another row on all columns.")
    yield from parts.conditions(answer, 0.0)
