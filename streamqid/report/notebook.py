"""Answers as a notebook shows them: short, made of the pieces of the reports."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING

from streamqid.anonymize.answer import AnonymizeAnswer
from streamqid.audits.answer import AuditAnswer
from streamqid.problems.answer import Answer, CheckAnswer, KeyAnswer, MaskAnswer, PlanAnswer, ScanAnswer
from streamqid.problems.findings import DetectAnswer
from streamqid.problems.minimal_answer import MinimalAnswer
from streamqid.problems.optimum_answer import OptimalKeyAnswer, OptimalMaskAnswer
from streamqid.problems.qid_answer import QidAnswer, QidTestAnswer
from streamqid.report.audit import limits
from streamqid.report.audit_figures import sizes
from streamqid.report.conditions import read, unreadable
from streamqid.report.detection import matrix
from streamqid.report.html import Markup, tag
from streamqid.report.identifying import members, others
from streamqid.report.overview import risks
from streamqid.report.page import PIECES
from streamqid.report.pieces import bar, chip, chips, faint, items, table
from streamqid.report.text import percent, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import Document

MOST = 10
"""Columns or sets that are shown one by one."""

# A notebook has its own ground, light or dark, and does not say which: colours that can be read on both.
COLOURS = Markup("""
--ink: currentColor; --faint: #7c8491; --line: #8885; --panel: transparent; --grey-soft: #8882;
--red: #cf4a40; --red-soft: #cf4a4026; --violet: #8d63c6; --violet-soft: #8d63c626;
--amber: #ab7200; --amber-soft: #ab720026; --green: #2b8a5a; --green-soft: #2b8a5a26;
""")
STYLE = Markup(f".streamqid {{{COLOURS}{PIECES}.verdict {{ margin-top: 0; font-size: 1rem; }}\n}}")


def notebook_html(document: Document) -> str | None:
    """Return a document as markup that stands alone; None for one that its plain text shows as well."""
    parts = evidence(document)
    if not parts:
        return None
    if isinstance(document, Answer):
        parts = [_verdict(document.guarantee), unreadable(document), *parts, faint(" · ".join(_facts(document)))]
    return tag("div", tag("style", STYLE), *parts, class_="streamqid")


@singledispatch
def evidence(document: Document) -> list[Markup]:
    """Return the parts between the sentence of an answer and what it rests on."""
    del document
    return []


@evidence.register
def _(answer: KeyAnswer) -> list[Markup]:
    return _key(answer)


@evidence.register
def _(answer: OptimalKeyAnswer) -> list[Markup]:
    return _key(answer)


def _key(answer: KeyAnswer | OptimalKeyAnswer) -> list[Markup]:
    added, measure = answer.contributions, answer.measure
    return [_named("Identifies people", answer.columns, "red"), members(added, measure), others(added, measure, MOST)]


@evidence.register
def _(answer: MaskAnswer) -> list[Markup]:
    return _mask(answer)


@evidence.register
def _(answer: OptimalMaskAnswer) -> list[Markup]:
    return _mask(answer)


def _mask(answer: MaskAnswer | OptimalMaskAnswer) -> list[Markup]:
    return [
        _named("Publish", answer.publish, "green" if answer.met else "amber"),
        _named("Hide", answer.hide, "grey"),
        _estimates({"rows unique on the columns to publish": answer.unique_rows}),
        others(answer.contributions, answer.measure, MOST),
    ]


@evidence.register
def _(answer: CheckAnswer) -> list[Markup]:
    measures = {"separation": answer.separation, "distinct": answer.distinct, "unique rows": answer.unique_rows}
    found = answer.group_sizes
    text = (
        ""
        if found is None
        else f"{found.groups:,} groups, the smallest of {found.smallest:,}, median {found.median:g}."
    )
    return [_estimates(measures), faint(text) if text else Markup(), members(answer.contributions, "separation")]


@evidence.register
def _(answer: ScanAnswer) -> list[Markup]:
    return [risks(answer), items(answer.advice)]


@evidence.register
def _(answer: AuditAnswer) -> list[Markup]:
    return [limits(answer) if answer.limits else Markup(), sizes(answer), items(answer.advice)]


@evidence.register
def _(answer: DetectAnswer) -> list[Markup]:
    return [matrix(answer)]


@evidence.register
def _(answer: MinimalAnswer) -> list[Markup]:
    rows = [[", ".join(found.columns), shown(found.ratio)] for found in answer.sets[:MOST]]
    more = len(answer.sets) - MOST
    return [
        table(["Set", answer.measure.capitalize()], rows, numbers=(1,)),
        faint(f"and {more} more" if more > 0 else ""),
    ]


@evidence.register
def _(answer: QidTestAnswer) -> list[Markup]:
    return [_estimates({f"rows in groups of fewer than {answer.k}": answer.exposed})]


@evidence.register
def _(answer: QidAnswer) -> list[Markup]:
    exposed = {"by the quasi-identifier": answer.exposed} if answer.columns else {}
    named = [_named("Quasi-identifier", answer.columns, "red")] if answer.columns else []
    return [*named, _estimates({**exposed, "by all columns": answer.exposed_by_all}, f"In groups below {answer.k}")]


@evidence.register
def _(answer: PlanAnswer) -> list[Markup]:
    rows = [
        [
            f"{sample.problem}, {sample.measure}",
            sample.rule,
            "depends on the rows" if sample.size is None else f"{sample.size:,} {sample.unit}",
            "" if sample.bytes is None else f"{sample.bytes:,}",
        ]
        for sample in answer.samples
    ]
    return [table(["Question", "Rule", "Sample", "Bytes"], rows, numbers=(2, 3))]


@evidence.register
def _(answer: AnonymizeAnswer) -> list[Markup]:
    rows = [[c.column, bar(c.share), f"{c.suppressed:,}", percent(c.share)] for c in answer.columns]
    headers = ["Quasi-identifier", "", "Suppressed cells", "Share"]
    return [_verdict(answer.guarantee), table(headers, rows, numbers=(2, 3)), items(answer.conditions)]


def _verdict(sentence: str) -> Markup:
    return tag("p", sentence, class_="verdict")


def _named(what: str, columns: Sequence[str], kind: str) -> Markup:
    return tag("p", f"{what}: ", chips(columns, kind) or chip("no column", "grey"))


def _estimates(measures: dict[str, Estimate], title: str = "Measure") -> Markup:
    rows = [[name, bar(found.estimate), shown(found)] for name, found in measures.items()]
    return table([title, "", "Share"], rows, numbers=(2,))


def _facts(answer: Answer) -> list[str]:
    again = {} if answer.seed is None else {"Repeat with": f"seed={answer.seed}"}
    return [f"{name.lower()}: {value}" for name, value in (read(answer) | again).items()]
