"""What is said about quasi-identifiers against k-anonymity, in one plain sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamqid.problems.sentences import names, optimum_sentence, percent, sure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.measures.estimate import Estimate
    from streamqid.problems.optimum_answer import Optimality


def verdict_sentence(columns: Sequence[str], k: int, share: Estimate, delta: float | None, *, qid: bool | None) -> str:
    """Say whether a column set is a quasi-identifier; ``delta`` is None when every row was counted."""
    who = _who(columns)
    if qid is None:
        most = percent(1.0 if share.upper is None else share.upper, up=True)
        return (
            f"Unknown: the sample cannot tell whether {who} exposes a row; "
            f"at most {most} of the rows are in groups of fewer than {k} ({sure(delta)})."
        )
    if not qid:
        return f"{who} is {k}-anonymous: every row equals at least {k - 1} others on it ({sure(delta)})."
    return f"{who} is a quasi-identifier: {_exposes(share, k, delta)}."


def qid_sentence(
    columns: Sequence[str] | None, k: int, share: Estimate, delta: float | None, optimality: Optimality | None
) -> str:
    """Say what was found; ``share`` is that of the rows that the set, or else all columns, expose."""
    if columns is None and delta is None:
        return f"All columns together are {k}-anonymous, so there is no quasi-identifier ({sure(delta)})."
    if columns is None:
        most = percent(1.0 if share.upper is None else share.upper, up=True)
        return (
            f"Unknown: the sample proves no column set to be a quasi-identifier; at most {most} of the "
            f"rows are in groups of fewer than {k} on all columns ({sure(delta)}): "
            "sample more rows, or count every row."
        )
    fact = f"{_who(columns or ())} is a quasi-identifier: {_exposes(share, k, delta)}."
    if optimality is not None:
        end = optimum_sentence(optimality, "lighter")
        return f"{fact} {end}" if delta is None else f"{fact} Among the sets that the sample proves: i{end[1:]}"
    if not columns:
        return f"{fact} Whatever is published, there are too few rows."
    return f"{fact} No column of it can be left out{'' if delta is None else ' without losing the proof'}."


def _who(columns: Sequence[str]) -> str:
    return names(columns) if columns else "The empty column set"


def _exposes(share: Estimate, k: int, delta: float | None) -> str:
    least = f"{'' if delta is None else 'at least '}{percent(share.lower or 0.0, exact=delta is None)}"
    return f"{least} of the rows are in groups of fewer than {k} ({sure(delta)})"
