"""The report of ``audit``: how private a table would be if it were published as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.audits.sentences import number
from streamqid.report.audit_figures import about_sizes, columns, lattice, risks, sensitive_figures, sizes
from streamqid.report.conditions import footer, read, unreadable
from streamqid.report.html import tag
from streamqid.report.page import page
from streamqid.report.pieces import chip, chips, details, facts, items, section, table
from streamqid.report.text import count

if TYPE_CHECKING:
    from streamqid.audits.answer import AuditAnswer
    from streamqid.report.html import Markup

MODELS = {
    "k-anonymity": "every row equals at least k − 1 others on the quasi-identifiers.",
    "distinct, frequency and entropy l-diversity": "every group has l different sensitive values, none with a share "
    "above 1/l, or values as even as l equally frequent ones.",
    "recursive (c, l)-diversity": "in every group the most frequent value is less than c times as frequent as the l-th "
    "and all rarer ones together.",
    "t-closeness": "the sensitive values of every group are at most t away from those of the table.",
    "(α, k)-anonymity": "no sensitive value has a larger share than α of a group.",
    "δ-disclosure": "shares of sensitive values in a group and in the table differ by less than the factor e^δ.",
    "β-likeness": "no share of a sensitive value in a group is above its share in the table by more than β times that.",
}
BADGES = {True: ("limits met", "green"), False: ("limits NOT met", "red"), None: ("no limit asked for", "grey")}


def audit_page(answer: AuditAnswer, name: str) -> str:
    """Return the report on the table of this name."""
    word, kind = BADGES[answer.met]
    return page(
        f"How private {name} is",
        f"{count(answer.rows, 'row')}, {count(len(answer.quasi), 'quasi-identifier')}, "
        f"{count(len(answer.sensitive), 'sensitive column')}",
        tag("p", answer.guarantee, class_="verdict"),
        tag("p", chip(word, kind)),
        unreadable(answer),
        *([section("Limits", limits(answer))] if answer.limits else []),
        section("What to do", items(answer.advice)),
        section("Size of groups", sizes(answer), about_sizes(answer)),
        section("Risk to be found", risks(answer)),
        *([section("Risk by column", columns(answer), lattice(answer))] if answer.columns else []),
        *([section("Sensitive columns", sensitive_figures(answer))] if answer.sensitive else []),
        section("What is promised, and what is not", items(_promises(answer))),
        section("Method and parameters", facts(_parameters(answer)), _models(answer)),
        footer=footer(answer),
    )


def limits(answer: AuditAnswer) -> Markup:
    """Return the limits that were asked for, and whether each is met."""
    rows = [
        [
            limit.model if limit.column is None else f"{limit.model}, {limit.column}",
            chip("met", "green") if limit.met else chip("NOT met", "red"),
            number(limit.asked),
            "none" if limit.found is None else number(limit.found),
            f"{limit.rows:,}",
            f"{limit.groups:,}",
        ]
        for limit in answer.limits
    ]
    return table(["Limit", "", "Asked", "Found", "Rows beyond", "Groups"], rows, numbers=(2, 3, 4, 5))


def _promises(answer: AuditAnswer) -> list[str]:
    kind = "row" if answer.unreadable is None else "readable row"
    cells = [
        f"Every {kind} was counted: the figures are exact, for this table as it stands.",
        "They speak about the columns audited here only: each further column that is published can break them.",
        "The attacker knows the quasi-identifiers and nothing else: sensitive values of some people would tell more.",
        "The journalist's risk is an upper bound; it is reached when the table is the whole population.",
    ]
    if answer.suppressed.quasi:
        how = "match any value" if answer.suppressed_as == "any" else "are a value of their own"
        cells.append(f"{count(answer.suppressed.quasi, 'suppressed cell')} of the quasi-identifiers: they {how}.")
    if answer.missing.quasi:
        missing = count(answer.missing.quasi, "missing cell")
        cells.append(f"{missing} of the quasi-identifiers, compared by the rule “{answer.missing_as}”.")
    hidden = answer.suppressed.sensitive + answer.missing.sensitive
    if hidden:
        cells.append(f"{count(hidden, 'suppressed or missing cell')} of sensitive columns: a value of their own.")
    return cells


def _parameters(answer: AuditAnswer) -> dict[str, str]:
    sensitive = {column.column: column.distance for column in answer.sensitive}
    return {
        "Quasi-identifiers": chips(answer.quasi, "red"),
        **(
            {"Sensitive": ", ".join(f"{name} ({how} distance)" for name, how in sensitive.items())} if sensitive else {}
        ),
        "Suppressed cells": "match any value" if answer.suppressed_as == "any" else "are a value of their own",
        "Missing cells": f"compared by the rule “{answer.missing_as}”",
        **read(answer),
    }


def _models(answer: AuditAnswer) -> Markup:
    known = MODELS if answer.sensitive else {"k-anonymity": MODELS["k-anonymity"]}
    return details("What the models ask for", items(f"{model}: {text}" for model, text in known.items()))
