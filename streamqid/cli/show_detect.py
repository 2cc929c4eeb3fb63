"""How a person sees the methods side by side."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from streamqid.cli import parts
from streamqid.cli.text import plain
from streamqid.problems.findings import Certainty, Verdict
from streamqid.problems.sentences import percent

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rich.console import RenderableType

    from streamqid.problems.findings import DetectAnswer, Finding, FoundSet

WORDS = {
    Verdict.IDENTIFIER: ("identifier", "magenta"),
    Verdict.QUASI_IDENTIFIER: ("quasi", "bold red"),
    Verdict.SENSITIVE: ("sensitive", "yellow"),
    Verdict.HARMLESS: ("harmless", "green"),
    Verdict.NOT_JUDGED: ("·", "dim"),
}
SHORT = {"identifier": "ident.", "sensitive": "sens.", "harmless": "harml."}
WIDE, HEADING = 4, 8
"""Beyond so many methods words are cut, so that the names of the columns stay whole on 80 columns."""
BESIDE = 6
"""Methods that stand beside each other; others follow in a table of their own."""
SETS = 6
"""How many sets of a method are shown one by one."""


def comparison(answer: DetectAnswer) -> Iterable[RenderableType]:
    """Yield the table of columns and methods, then each method with its sets and reasons."""
    yield Text(plain(answer.guarantee), style="bold")
    for start in range(0, len(answer.findings), BESIDE):
        yield Text()
        yield _matrix(answer.columns, answer.findings[start : start + BESIDE])
    yield Text(_legend(answer), style="dim")
    for found in answer.findings:
        yield Text()
        yield from _method(found, answer.k)
    yield from parts.conditions(answer, 0.0)


def _matrix(columns: Sequence[str], findings: Sequence[Finding]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, header_style="bold", pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("Column", overflow="fold")
    cut = len(findings) > WIDE
    for found in findings:
        short = cut and len(found.method) > HEADING
        table.add_column(f"{found.method[: HEADING - 1]}." if short else found.method, no_wrap=True)
    for name in columns:
        words = (WORDS[found.verdict(name).verdict] for found in findings)
        cells = (Text(SHORT.get(word, word) if cut else word, style) for word, style in words)
        table.add_row(Text(plain(name)), *cells)
    return table


def _legend(answer: DetectAnswer) -> str:
    """Explain the words of the tables, those that are cut among them."""
    words = ["quasi: part of a quasi-identifier", "·: not judged"]
    if len(answer.findings) > WIDE:
        seen = {WORDS[judged.verdict][0] for found in answer.findings for judged in found.columns}
        words += [f"{short}: {word}" for word, short in SHORT.items() if word in seen]
    return "   ".join(words)


def _method(found: Finding, k: int) -> Iterable[RenderableType]:
    doubt = "" if found.certainty is Certainty.STATED else f"  (reading: {found.certainty})"
    yield Text.assemble((found.title, "bold cyan"), (doubt, "dim"))
    if not found.judged:
        yield parts.indented(Text(plain(found.guarantee), style="yellow"))
        return
    yield parts.indented(Text(found.rule, style="dim"))
    yield parts.indented(Text(plain(found.guarantee)))
    if found.sets:
        yield parts.indented(_sets(found, k))
        if more := found.beyond(SETS):
            yield parts.indented(Text(more, style="dim"))
    yield parts.indented(parts.items([*_others(found), *found.notes, *_settings(found)]))


def _sets(found: Finding, k: int) -> Table:
    table = parts.grid("Set", "Separation", "Unique rows", f"Rows below k={k}", name_width=34)
    said = None
    for item in found.sets[:SETS]:
        share = percent(item.separation, exact=True)
        table.add_row(_set(item, said), share, f"{item.unique_rows:,}", f"{item.rows_below_k:,}")
        said = item.reason
    return table


def _set(item: FoundSet, said: str | None) -> Text:
    """Return the columns, and the reason below them unless it was just said of the set above."""
    columns = plain(", ".join(item.columns) or "no column")
    return Text(columns) if item.reason == said else Text.assemble(columns, "\n", (plain(item.reason), "dim"))


def _others(found: Finding) -> Iterable[str]:
    """Yield the columns outside the sets, together where verdict and reason are the same."""
    outside = [judged for judged in found.columns if judged.verdict is not Verdict.QUASI_IDENTIFIER]

    def alike(item: object) -> tuple[str, str]:
        return item.verdict, item.reason  # type: ignore[attr-defined]

    for (verdict, reason), group in groupby(sorted(outside, key=alike), alike):
        yield f"{verdict}: {', '.join(judged.column for judged in group)} ({reason})"


def _settings(found: Finding) -> Iterable[str]:
    if found.figures:
        yield ", ".join(f"{name} {value:.4g}" for name, value in found.figures.items())
    if found.parameters:
        yield "; ".join(f"{name}: {value}" for name, value in found.parameters.items())
