"""The size of groups, as far as separation tells it: among how many others a row hides on average."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from streamqid.report.pieces import bar, faint, table

if TYPE_CHECKING:
    from streamqid.measures.estimate import Estimate
    from streamqid.problems.answer import ScanAnswer
    from streamqid.report.html import Markup


def crowds(answer: ScanAnswer) -> Markup:
    """Return among how many others a row hides on average: (1 - separation) · (n - 1), on a scale of logarithms."""
    sets = [("the identifying set", answer.key.columns, answer.key.separation)] if answer.key.columns else []
    sets += [("the columns to publish", answer.mask.publish, answer.mask.separation)] if answer.mask.publish else []
    alone = [(risk.column, [risk.column], risk.separation) for risk in answer.columns]
    others = max(answer.rows - 1, 0)
    rows = []
    for name, columns, ratio in (*sets, *alone):
        if ratio is not None:
            crowd = (1.0 - ratio.estimate) * others
            length = math.log1p(crowd) / math.log1p(others) if others else 0.0
            kind = "red" if columns == answer.key.columns else "plain"
            rows.append([name, bar(length, kind), _crowd(ratio, others)])
    return table(["Rows that are equal on", "", "Others like a row, on average"], rows, numbers=(2,))


def _crowd(ratio: Estimate, others: int) -> str:
    if ratio.lower is not None and ratio.lower == ratio.upper:
        return f"{(1.0 - ratio.estimate) * others:,.1f}"
    least = 0 if ratio.upper is None else math.floor((1.0 - ratio.upper) * others)
    most = others if ratio.lower is None else math.ceil((1.0 - ratio.lower) * others)
    if not least:
        return f"about {(1.0 - ratio.estimate) * others:,.0f}" if most == others else f"≤ {most:,}"
    return f"≥ {least:,}" if most == others else f"{least:,} – {most:,}"


def about_crowds(answer: ScanAnswer) -> Markup:
    """Say what the average is, and what it does not tell."""
    whom = "" if answer.exact else ", from a sample, which says nothing reliable about the smallest group"
    return faint(
        f"How many other rows share a row's values, averaged over all rows{whom}: (1 − separation) · (rows − 1). "
        "The bars grow with the logarithm. A large average does not protect each row: `streamqid check --exact` and "
        "`streamqid audit` count the smallest groups."
    )
