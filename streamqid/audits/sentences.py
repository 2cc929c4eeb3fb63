"""What an audit found, in plain sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.audits.answer import GroupFigures, Limit, Model

LETTERS: dict[Model, str] = {
    "k-anonymity": "k",
    "distinct l-diversity": "l",
    "frequency l-diversity": "l",
    "entropy l-diversity": "l",
    "recursive (c, l)-diversity": "c",
    "t-closeness": "t",
    "(α, k)-anonymity": "α",
    "δ-disclosure privacy": "δ",
    "basic β-likeness": "β",
    "enhanced β-likeness": "β",
}


def number(value: float) -> str:
    """Print a figure with six digits, and a whole number with all.

    >>> number(3), number(0.1), number(1 / 3), number(32561.0)
    ('3', '0.1', '0.333333', '32,561')
    """
    return f"{int(value):,}" if value == int(value) else f"{value:.6g}"


def limit_sentence(limit: Limit) -> str:
    """Say whether a limit is met, what the worst group has, and how many rows are beyond the limit."""
    letter, where = LETTERS[limit.model], "" if limit.column is None else f" of {limit.column}"
    worst = f"the smallest group has {how_many(limit.worst_group, 'row')}"
    if limit.model != "k-anonymity":
        best = f"no {letter} is large enough" if limit.found is None else f"{letter} is {number(limit.found)}"
        worst = f"{best} in the worst group, of {how_many(limit.worst_group, 'row')}"
    if limit.model == "(α, k)-anonymity" and not limit.met:
        worst += ", or a group is smaller than k"
    wanted = f"{limit.model}{where} with {letter} = {number(limit.asked)}"
    if limit.met:
        return f"{wanted} holds: {worst}."
    beyond = f"{how_many(limit.rows, 'row')} in {how_many(limit.groups, 'group')}"
    return f"{wanted} does not hold: {worst}, and {beyond} violate{'s' * (limit.rows == 1)} it."


def audit_sentence(
    quasi: Sequence[str], n: int, groups: GroupFigures, limits: Sequence[Limit], *, matching: bool, unreadable: bool
) -> str:
    """Say what holds for the table as a whole.

    ``matching`` says that suppressed cells match anything, ``unreadable`` that some rows could not be read.
    """
    counted = f"(exact: every {'readable ' * unreadable}row was counted)."
    crowd, broken = _crowd(quasi, n, groups, matching=matching), sum(not limit.met for limit in limits)
    if not limits:
        return f"{crowd}, so the table is {groups.smallest}-anonymous {counted}"
    if broken:
        return f"{crowd}; {broken} of {how_many(len(limits), 'limit')} not met {counted}"
    every = "the limit is" if len(limits) == 1 else f"all {len(limits)} limits are"
    return f"{crowd}; {every} met {counted}"


def _crowd(quasi: Sequence[str], n: int, groups: GroupFigures, *, matching: bool) -> str:
    """Say among how many rows each one hides."""
    who = f"{{{', '.join(quasi)}}}"
    if n == 1:
        return "The table has one row, which is alone"
    if groups.smallest == n:
        return f"All {n:,} rows {'match' if matching else 'are equal'} on {who}"
    if groups.smallest == 1:
        return f"{how_many(groups.unique_rows, 'row')} of {n:,} {_are(groups.unique_rows)} alone on {who}"
    others = f"at least {groups.smallest - 1:,} other{'s' * (groups.smallest > 2)}"
    return f"Every row {'matches' if matching else 'equals'} {others} on {who}"


def advice(limits: Sequence[Limit]) -> list[str]:
    """Say what to do next."""
    broken = [limit for limit in limits if not limit.met]
    if not limits:
        return ["Name the limits that the table must keep, such as --k 5."]
    if not broken:
        return ["Publish the columns that were audited only: each further column can break these limits."]
    rows = max(limit.rows for limit in broken)
    compared = any(limit.model != "k-anonymity" for limit in broken)
    rest = "and audit again" + (": every change moves the shares that groups are compared with." if compared else ".")
    how = "Suppress cells (streamqid anonymize does), generalise quasi-identifiers, or leave rows out"
    return [f"{how} (up to {how_many(rows, 'row')}), {rest}"]


def how_many(count: int, noun: str) -> str:
    """Count things.

    >>> how_many(1, "row"), how_many(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
