"""Verdicts and proposals in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.engine.documents import VerdictState
from streamqid.engine.questions import Quantity
from streamqid.problems.sentences import names, percent, sure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.engine.documents import Finding, Proposal
    from streamqid.measures.estimate import Estimate


def told(columns: Sequence[str], findings: Sequence[Finding], state: VerdictState, delta: float) -> str:
    """Say what a verdict rests on: the first of the findings that made it, and how sure that is."""
    finding = next(finding for finding in findings if finding.state is state)
    name = state.replace("_", " ").capitalize()
    if finding.estimate is None:
        return f"{name}: nothing is known about the {finding.quantity.replace('_', ' ')} of {names(columns)}."
    exact = all(one.estimate is not None and one.estimate.confidence >= 1.0 for one in findings)
    return f"{name}: {_fact(columns, finding, finding.estimate)} ({sure(None if exact else delta)})."


def _fact(columns: Sequence[str], finding: Finding, estimate: Estimate) -> str:
    who = names([column for column in columns if column != finding.sensitive])
    if finding.quantity is Quantity.SMALLEST_GROUP:
        size = group_size(estimate.estimate if estimate.upper is None else estimate.upper)
        most = "" if estimate.lower is not None else " at most"
        return f"the smallest group of rows that are equal on {who} has {size}{most}, the limit is {finding.limit:g}"
    lower, upper = percent(estimate.lower or 0.0), percent(1.0 if estimate.upper is None else estimate.upper, up=True)
    share, against = {
        VerdictState.SAFE: (f"at most {upper}", "within the limit"),
        VerdictState.UNSAFE: (f"at least {lower}", "above the limit"),
    }.get(finding.state, (f"{lower} to {upper}", "around the limit"))
    if finding.quantity is Quantity.CLOSENESS:
        far = f"further than {finding.t:g} from {finding.sensitive} in all rows"
        what = f"{share} of the rows are in groups by {who} with {finding.sensitive} {far}"
        return f"{what}, {against} of {percent(finding.limit)}"
    facts = {
        Quantity.SEPARATION: f"two random rows differ on {who} in {share} of cases",
        Quantity.DISTINCT: f"the rows take {share} as many different values on {who} as there are rows",
        Quantity.UNIQUE_ROWS: f"{share} of the rows are unique on {who}",
        Quantity.SMALL_GROUPS: f"{share} of the rows share their values on {who} with fewer than {finding.k} rows",
    }
    return f"{facts[finding.quantity]}, {against} of {percent(finding.limit)}"


def group_size(rows: float) -> str:
    """Say how many rows a group has."""
    return f"{rows:g} {'row' if rows == 1 else 'rows'}"


def short(finding: Finding) -> str:
    """Say in a few words where a measure lies against its limit."""
    name, estimate = finding.measure.replace("_", " "), finding.estimate
    if finding.quantity is Quantity.SMALLEST_GROUP:
        return f"{name} {'unknown' if estimate is None else f'{estimate.estimate:g}'}, limit {finding.limit:g}"
    if estimate is None:
        return f"{name} unknown, limit {percent(finding.limit)}"
    lower = percent(0.0 if estimate.lower is None else estimate.lower)
    upper = percent(1.0 if estimate.upper is None else estimate.upper, up=True)
    return f"{name} {lower} to {upper}, limit {percent(finding.limit)}"


def proposed(proposal: Proposal) -> str:
    """Say what to do about a set that is unsafe."""
    parts = []
    if proposal.drop is not None:
        coarsen = "" if proposal.coarsen_to is None else f", or leave it at most {proposal.coarsen_to} values"
        parts.append(f"drop {proposal.drop}{coarsen}")
    if proposal.keep is not None and (proposal.without is None or proposal.keep.columns != proposal.without.columns):
        parts.append(f"publish {names(proposal.keep.columns)} only")
    beyond = f"no sample can promise the {proposal.uncertified[0].replace('_', ' ')}" if proposal.uncertified else ""
    if not parts:
        why, what = (f", since {beyond}", "coarser values") if beyond else ("", "more rows in the sample")
        return f"No part of the set is certain to stay within its limits{why}: publish none of it, or try {what}."
    missing = f"; {beyond}" if beyond else ""
    advice = "; or ".join(parts)
    return f"{advice[0].upper()}{advice[1:]} (confidence {percent(proposal.confidence)}{missing})."
