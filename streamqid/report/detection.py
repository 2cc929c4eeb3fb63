"""The report of ``detect``: what each method says about each column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.findings import Certainty, Verdict
from streamqid.problems.sentences import percent
from streamqid.report.conditions import footer, read, unreadable
from streamqid.report.found_sets import advice, column_risks, group_sizes, sets_picture
from streamqid.report.graph_svg import graph_svg
from streamqid.report.html import Markup, tag
from streamqid.report.page import page
from streamqid.report.pieces import card, chip, details, facts, figure, items, note, section, table

if TYPE_CHECKING:
    from streamqid.problems.findings import AttributeGraphFound, DetectAnswer, Finding

KINDS = {
    Verdict.IDENTIFIER: "violet",
    Verdict.QUASI_IDENTIFIER: "red",
    Verdict.SENSITIVE: "amber",
    Verdict.HARMLESS: "green",
    Verdict.NOT_JUDGED: "grey",
}
CERTAINTY = {
    Certainty.STATED: "as its paper states it",
    Certainty.DERIVED: "reading: derived from the paper's words",
    Certainty.FITTED: "reading: chosen because it reproduces the paper's figures",
    Certainty.GUESSED: "reading: a guess",
}
SETS = 40
"""Sets of a method that are shown."""


def detection_page(answer: DetectAnswer, name: str) -> str:
    """Return the report on the table of this name."""
    graphs = [found.graph for found in answer.findings if found.graph is not None]
    return page(
        f"Quasi-identifiers in {name}",
        f"{answer.rows:,} rows, {len(answer.columns)} columns, {len(answer.findings)} methods side by side",
        tag("p", answer.guarantee, class_="verdict"),
        unreadable(answer),
        section("What to do", items(advice(answer))),
        section("Risk by column", column_risks(answer)),
        section("Columns and methods", matrix(answer), _legend()),
        *_found(answer),
        *(section("The graph of the columns", _figure(graph)) for graph in graphs),
        section("Method by method", *(_method(found, answer.k) for found in answer.findings)),
        section("What is promised, and what is not", items(_promises(answer))),
        section("Method and parameters", facts({**read(answer), "k": f"{answer.k}: smaller groups count as small"})),
        footer=footer(answer),
    )


def _found(answer: DetectAnswer) -> list[Markup]:
    if not any(item.columns for found in answer.findings for item in found.sets):
        return []
    picture = sets_picture(answer)
    made_of = [section("What the sets are made of", picture)] if picture else []
    return [*made_of, section("Size of groups", group_sizes(answer))]


def _promises(answer: DetectAnswer) -> list[str]:
    return [
        "Every row was counted: the figures of a set are exact, for this table as it stands.",
        "Each method has its own rule: what one calls harmless, another one may not. Its sentence says what holds.",
        "A set that was not found can identify people, too: only the method of all minimal sets names every one.",
        "The table is not the population: a set that separates these rows may separate more or fewer people outside.",
    ]


def matrix(answer: DetectAnswer) -> Markup:
    """Return what each method says about each column."""
    rows = [[column, *(_chip(found, column) for found in answer.findings)] for column in answer.columns]
    return table(["Column", *(found.method for found in answer.findings)], rows)


def _chip(found: Finding, column: str) -> Markup:
    judged = found.verdict(column)
    short = "quasi" if judged.verdict is Verdict.QUASI_IDENTIFIER else str(judged.verdict)
    return chip(short, KINDS[judged.verdict], judged.reason)


def _legend() -> Markup:
    words = "quasi: part of a quasi-identifier. Rest the pointer on a verdict for its reason; each stands below, too."
    return tag("p", words, class_="faint")


def _figure(graph: AttributeGraphFound) -> Markup:
    spoke = "Declared relations" if graph.source == "declared" else f"Derived from the rows: {graph.measure}"
    between = ", ".join(graph.articulation) or "none"
    beside = ", ".join(graph.adjacent) or "none"
    return figure(
        graph_svg(graph),
        f"{spoke}. Identifiers stand on the left, then each column by its steps from them. "
        f"Articulation points: {between}. Next to an identifier on a path: {beside}.",
    )


def _method(found: Finding, k: int) -> Markup:
    badge = chip(CERTAINTY[found.certainty], "grey")
    if not found.judged:
        return card(found.title, tag("p", found.rule, class_="faint"), note(found.guarantee), badge=badge)
    figures = {name: f"{value:.4g}" for name, value in found.figures.items()}
    return card(
        found.title,
        tag("p", found.rule, class_="faint"),
        note(found.guarantee, "warning" if found.sets else "good"),
        *([_sets(found, k)] if found.sets else []),
        *([items(found.notes)] if found.notes else []),
        *([facts({**found.parameters, **figures})] if found.parameters or figures else []),
        details("The verdict on each column, with its reason", _reasons(found)),
        badge=badge,
    )


def _sets(found: Finding, k: int) -> Markup:
    rows = [
        [
            ", ".join(item.columns) or "no column",
            item.reason,
            percent(item.separation, exact=True),
            percent(item.distinct, exact=True),
            f"{item.unique_rows:,}",
            f"{item.rows_below_k:,}",
        ]
        for item in found.sets[:SETS]
    ]
    headers = ["Set", "Why", "Separation", "Distinct", "Unique rows", f"Rows in groups below {k}"]
    more = found.beyond(SETS)
    left = tag("p", more, class_="faint") if more else Markup()
    return tag("div", table(headers, rows, numbers=(2, 3, 4, 5)), left)


def _reasons(found: Finding) -> Markup:
    rows = [[judged.column, chip(judged.verdict, KINDS[judged.verdict]), judged.reason] for judged in found.columns]
    return table(["Column", "Verdict", "Reason"], rows)
