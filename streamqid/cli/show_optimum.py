"""Optima and quasi-identifiers against k-anonymity for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from streamqid.cli import parts
from streamqid.cli.show import OTHERS, shown
from streamqid.cli.text import percent, plain
from streamqid.problems.optimum_answer import Optimality, OptimalKeyAnswer, OptimalMaskAnswer
from streamqid.problems.qid_answer import QidAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType


@shown.register(OptimalKeyAnswer)
def _(answer: OptimalKeyAnswer) -> Iterable[RenderableType]:
    yield _verdict(answer.guarantee, answer.met)
    yield from compared(answer.optimality, answer.columns)
    yield from parts.contributions(answer.contributions, ("In the set", "Not in the set"), OTHERS)
    if answer.inseparable_rows:
        yield Text()
        about, more = ("", "") if answer.exact else ("About ", " or more")
        yield Text(
            f"{about}{answer.inseparable_rows:,} rows{more} equal another row on all columns: "
            "no column set tells them apart."
        )
    yield from parts.conditions(answer, answer.delta)


@shown.register(OptimalMaskAnswer)
def _(answer: OptimalMaskAnswer) -> Iterable[RenderableType]:
    yield _verdict(answer.guarantee, answer.met)
    if answer.publish and answer.unique_rows.estimate:
        share = percent(answer.unique_rows.estimate)
        yield Text(f"Still, {share} of the rows are unique on them: these persons stand out.", style="yellow")
    yield from compared(answer.optimality, answer.publish)
    yield from parts.contributions(answer.contributions, ("Publish" if answer.met else "Must publish", "Hide"))
    yield from parts.conditions(answer, 0.0)


@shown.register(QidAnswer)
def _(answer: QidAnswer) -> Iterable[RenderableType]:
    yield _verdict(answer.guarantee, answer.exact or answer.columns is not None)
    rows = [("the quasi-identifier", answer.exposed)] if answer.columns is not None else []
    yield Text()
    title = f"Rows in groups of fewer than {answer.k} on"
    yield parts.indented(parts.estimates(title, "Share", [*rows, ("all columns", answer.exposed_by_all)]))
    if answer.columns is not None and answer.optimality is not None:
        yield from compared(answer.optimality, answer.columns, "descent")
    yield from parts.conditions(answer, answer.delta)


def compared(optimality: Optimality, columns: Sequence[str], other: str = "greedy") -> Iterable[RenderableType]:
    """Yield the set beside that of the other algorithm, and how far it may be from the optimum."""
    table = parts.grid("Set", "Columns", "Weight", name_width=10)
    name = "optimal" if optimality.optimal else "best found"
    table.add_row(name, f"{len(columns):,}", f"{optimality.weight:g}")
    table.add_row(other, f"{len(optimality.greedy):,}", f"{optimality.greedy_weight:g}")
    yield Text()
    yield parts.indented(table)
    if not optimality.optimal:
        bound, gap = f"{optimality.bound:.4g}", percent(optimality.gap)
        text = f"not proven within {optimality.time_limit:g} s: the bound is {bound}, a gap of {gap}"
        yield parts.indented(Text(text, style="yellow"))


def _verdict(sentence: str, met: bool) -> Text:
    return Text(plain(sentence), style="bold" if met else "bold yellow")
