"""What several methods found about the same table, as pictures: columns, sets, and the groups that sets leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.findings import Verdict
from streamqid.problems.sentences import names
from streamqid.report.html import join
from streamqid.report.lattice_svg import Spot
from streamqid.report.pieces import bar, faint, figure, table
from streamqid.report.sets_svg import sets_svg
from streamqid.report.text import count, percent

if TYPE_CHECKING:
    from streamqid.problems.findings import DetectAnswer, Finding, FoundSet
    from streamqid.report.html import Markup

NAMED = (Verdict.QUASI_IDENTIFIER, Verdict.IDENTIFIER)


def advice(answer: DetectAnswer) -> list[str]:
    """Say what to do about the sets that were found."""
    sets: dict[frozenset[str], list[str]] = {}
    for _, item in _firsts(answer):
        sets.setdefault(frozenset(item.columns), item.columns)
    # Where a set is not to be published, no set that holds it is.
    first = [names(columns) for one, columns in sets.items() if not any(other < one for other in sets)]
    named = (
        [f"Do not publish what names a person by itself: {names(answer.identifiers)}."] if answer.identifiers else []
    )
    if not first:
        return named or [
            "Nothing by these methods; `streamqid audit` counts the groups of the columns that you publish."
        ]
    return [
        *named,
        f"Do not publish these columns together as they are: {', or '.join(first)}.",
        "Hide a column of each set, or make its values coarser: `streamqid mask` says which columns can stay.",
        "`streamqid audit` counts who is still alone, and `streamqid anonymize` suppresses cells.",
    ]


def column_risks(answer: DetectAnswer) -> Markup:
    """Return how many methods name each column, and in how many of the listed sets it is; the riskiest first."""
    judged = [found for found in answer.findings if found.judged]
    sets = [item for found in judged for item in found.sets]
    times = {name: sum(found.verdict(name).verdict in NAMED for found in judged) for name in answer.columns}
    holding = {name: sum(name in item.columns for item in sets) for name in answer.columns}
    rows = [
        [name, bar(times[name] / max(len(judged), 1), "red"), f"{times[name]} of {len(judged)}", f"{holding[name]:,}"]
        for name in sorted(answer.columns, key=lambda name: (-times[name], -holding[name]))
    ]
    return table(["Column", "", "Methods that name it", f"Of {count(len(sets), 'listed set')}"], rows, numbers=(2, 3))


def sets_picture(answer: DetectAnswer) -> Markup:
    """Draw the first set of each method, with its columns; nothing when there is none, or too much to draw."""
    drawn = [
        (Spot(found.method, f"{item.unique_rows:,} rows alone", risky=True), item.columns)
        for found, item in _firsts(answer)
    ]
    picture = sets_svg(answer.columns, drawn)
    if not picture:
        return picture
    return figure(
        picture,
        "The first set that each method lists, and the columns that it is made of. A row is alone when no other row "
        "has its values on the set.",
    )


def group_sizes(answer: DetectAnswer) -> Markup:
    """Return how many rows the first set of each method leaves alone, or in small groups."""
    rows = []
    for found, item in _firsts(answer):
        small = item.rows_below_k / max(answer.rows, 1)
        alone = f"{item.unique_rows:,}"
        rows.append([found.method, names(item.columns), bar(small, "red"), percent(small), alone])
    headers = ["Method", "Set", "", f"Rows in groups below {answer.k}", "Rows alone"]
    return join(table(headers, rows, numbers=(3, 4)), faint("Rows that are equal on a set are one group."))


def _firsts(answer: DetectAnswer) -> list[tuple[Finding, FoundSet]]:
    return [(found, found.sets[0]) for found in answer.findings if found.sets and found.sets[0].columns]
