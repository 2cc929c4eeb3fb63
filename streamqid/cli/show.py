"""Answers for people, and for programs."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from streamqid.audits.answer import AuditAnswer
from streamqid.cli import parts
from streamqid.cli.show_audit import shown_audit
from streamqid.cli.show_detect import comparison
from streamqid.cli.text import count, interval, nbytes, percent, plain
from streamqid.problems.answer import CheckAnswer, Document, KeyAnswer, MaskAnswer, PlanAnswer, ScanAnswer
from streamqid.problems.findings import DetectAnswer
from streamqid.problems.sentences import percent as outwards

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

OTHERS = 10
"""How many columns outside a set are shown one by one."""
RISKS = 15
"""How many columns of an overview are shown one by one."""
LISTED = 40
"""How many columns of an overview are named as to be published, or hidden."""
BAR = 8
"""Length of the bar of the most risky column."""


def tell(answer: Document, *, json: bool) -> None:
    """Print an answer on standard output: as one JSON document in UTF-8, or for people."""
    if json:
        typer.echo(answer.model_dump_json(indent=2).encode())
        return
    out = parts.console()
    with out.capture() as page:
        for part in shown(answer):
            out.print(part)
    typer.echo("\n".join(line.rstrip() for line in page.get().splitlines()), color=True)


@singledispatch
def shown(answer: Document) -> Iterable[RenderableType]:
    """Yield the parts by which a person sees an answer."""
    raise NotImplementedError(type(answer).__name__)


@shown.register(KeyAnswer)
def _(answer: KeyAnswer) -> Iterable[RenderableType]:
    yield verdict(answer)
    yield from parts.contributions(answer.contributions, ("In the set", "Not in the set"), OTHERS)
    if answer.inseparable_rows:
        about = "" if answer.exact else "About "
        more = "" if answer.exact else " or more"
        yield Text()
        yield Text(
            f"{about}{answer.inseparable_rows:,} rows{more} equal another row on all columns: "
            "no column set tells them apart."
        )
    yield from parts.conditions(answer, answer.delta, answer.rule)


@shown.register(MaskAnswer)
def _(answer: MaskAnswer) -> Iterable[RenderableType]:
    yield verdict(answer)
    yield from alone(answer)
    yield from parts.contributions(answer.contributions, ("Publish" if answer.met else "Must publish", "Hide"))
    yield from parts.conditions(answer, answer.delta, answer.rule)


@shown.register(CheckAnswer)
def _(answer: CheckAnswer) -> Iterable[RenderableType]:
    yield Text(plain(answer.guarantee), style="bold")
    measures = [("separation", answer.separation), ("distinct", answer.distinct), ("unique rows", answer.unique_rows)]
    yield Text()
    yield parts.indented(parts.estimates("Measure", "Share", measures))
    sizes = answer.group_sizes
    if sizes is not None:
        yield Text()
        yield parts.indented(
            Text(
                f"{count(sizes.groups, 'group')} of equal rows: the smallest has {sizes.smallest:,}, the median "
                f"{sizes.median:,.10g}, the largest {sizes.largest:,}; {count(sizes.rows_below_5, 'row')} in groups "
                "smaller than 5."
            )
        )
    yield from parts.contributions(answer.contributions, ("In the set", "Not in the set"), OTHERS)
    yield from parts.conditions(answer, answer.delta)


@shown.register(ScanAnswer)
def _(answer: ScanAnswer) -> Iterable[RenderableType]:
    yield from section("Columns by risk", risks(answer))
    yield Text()
    yield from section("Identifies people", [verdict(answer.key)])
    yield Text()
    lists = [f"publish: {some(answer.mask.publish)}", f"hide: {some(answer.mask.hide)}"]
    yield from section("May be published", [verdict(answer.mask), parts.items(lists), *alone(answer.mask)])
    yield Text()
    yield from section("Next", [parts.items(answer.advice)] if answer.advice else [Text("Nothing.")])
    yield from parts.conditions(answer, answer.key.delta, answer.key.rule)


def some(columns: Sequence[str]) -> str:
    """Return names of columns, the first ones if there are many; ``mask`` and ``--json`` give all of them."""
    more = [f"and {len(columns) - LISTED:,} more"] if len(columns) > LISTED else []
    return ", ".join([*columns[:LISTED], *more]) or "–"


def risks(answer: ScanAnswer) -> Iterable[RenderableType]:
    """Yield the columns by falling risk, the most risky ones one by one."""
    table = parts.grid("Column", "Risk", "", "Separation", "Distinct", name_width=10)
    largest = max(risk.risk.estimate for risk in answer.columns) or 1.0
    for risk in answer.columns[:RISKS]:
        share = risk.risk.estimate
        table.add_row(
            Text(plain(risk.column)),
            percent(share),
            Text("█" * round(share / largest * BAR), style="red"),
            *(percent(e.estimate) if answer.exact else interval(e) for e in (risk.separation, risk.distinct)),
        )
    table.columns[2].justify = "left"
    yield table
    rest = answer.columns[RISKS:]
    if rest:
        share = sum(risk.risk.estimate for risk in rest)
        yield Text(f"and {len(rest)} more, with {percent(share)} of the risk together", style="dim")


def section(title: str, content: Iterable[RenderableType]) -> Iterable[RenderableType]:
    """Yield a title and the parts under it."""
    yield Text(title, style="bold cyan")
    for part in content:
        yield parts.indented(part)


def alone(answer: MaskAnswer) -> Iterable[Text]:
    """Warn of rows that are still unique on the columns to publish, which low ratios do not rule out."""
    upper = answer.unique_rows.upper
    if answer.publish and upper:
        first = "Still" if answer.met else "Besides"
        told = f"{percent(upper)} of the rows are unique on them: these persons stand out."
        if answer.unique_rows.lower != upper:
            told = f"up to {outwards(upper, up=True)} of the rows may be unique on them: such a person stands out."
        yield Text(f"{first}, {told}", style="yellow")


def verdict(answer: KeyAnswer | MaskAnswer) -> Text:
    """Return the promise of an answer; one that was not kept stands out."""
    return Text(plain(answer.guarantee), style="bold" if answer.met else "bold yellow")


@shown.register(AuditAnswer)
def _(answer: AuditAnswer) -> Iterable[RenderableType]:
    return shown_audit(answer)


@shown.register(PlanAnswer)
def _(answer: PlanAnswer) -> Iterable[RenderableType]:
    columns = count(answer.columns, "column")
    rows = "any number of rows" if answer.rows is None else count(answer.rows, "row")
    beta = "" if answer.beta is None else f", β = {answer.beta:g}"
    yield Text(
        f"Samples for {columns} and {rows} (ε = {answer.epsilon:g}, δ = {answer.delta:g}{beta})",
        style="bold",
    )
    yield Text()
    table = parts.grid("Question", "Rule", "Sample", "Rows kept", "Memory", name_width=10)
    for sample in answer.samples:
        name = sample.problem if "separation" in sample.problem else f"{sample.problem}, {sample.measure}"
        size = "needs --rows" if sample.size is None else f"{sample.size:,} {sample.unit}"
        kept = "" if sample.rows_kept is None else f"{sample.rows_kept:,}"
        memory = "" if sample.bytes is None else nbytes(sample.bytes)
        table.add_row(Text.assemble(name, "\n", (sample.formula, "dim")), sample.rule, size, kept, memory)
    yield parts.indented(table)
    yield Text()
    yield Text(
        "Rows kept: both samples together, with slack. Where they hold the whole table, the answer is exact.",
        style="dim",
    )


@shown.register(DetectAnswer)
def _(answer: DetectAnswer) -> Iterable[RenderableType]:
    yield from comparison(answer)
