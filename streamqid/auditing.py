"""The audit of a table: how private it would be if it were published as it is.

>>> people = [{"zip": "98*", "ill": "flu"}, {"zip": "98*", "ill": "cold"}, {"zip": "97*", "ill": "flu"}]
>>> answer = audit(people, quasi=["zip"], sensitive=["ill"], k=2)
>>> answer.groups.smallest, answer.met, answer.limits[0].rows
(1, False, 1)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack, cast, get_args

from streamqid.audit_columns import Columns, Counted
from streamqid.audits.answer import AuditAnswer, Suppressed
from streamqid.audits.asked import LIMITS, Limits
from streamqid.audits.audit import audit as _audit
from streamqid.audits.audit import quasi_figures
from streamqid.audits.sentences import how_many
from streamqid.errors import UsageError
from streamqid.options import Options, name_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamqid.hierarchies import Given


class Asked(Options, total=False):
    """The limits that may be asked for, besides the options of every question about a table."""

    k: int | None
    l: int | None  # noqa: E741 - the papers' letter
    c: float | None
    t: float | None
    alpha: float | None
    delta: float | None
    beta: float | None


def audit(
    table: object,
    *,
    quasi: Sequence[str],
    sensitive: Sequence[str] = (),
    ordered: Sequence[str] = (),
    hierarchy: Mapping[str, Given] | None = None,
    suppressed: Sequence[str] = ("*",),
    suppressed_as: str = "value",
    missing_sensitive: str = "refuse",
    **asked: Unpack[Asked],
) -> AuditAnswer:
    """Measure how well the rows of a table hide in groups, and what the groups tell about sensitive columns.

    Parameters
    ----------
    table
        A path, "-" for standard input, or an object in memory.  Every row is counted, so the figures are exact up to
        a collision of fingerprints (see ``whole.Whole``).
    quasi
        The quasi-identifiers: rows that are equal on them are one group, as a reader of the table sees it.
    sensitive
        The sensitive columns, each judged by itself.
    ordered
        Sensitive columns of numbers: their values are as far apart as their ranks.
    hierarchy
        Sensitive columns with a hierarchy (see ``hierarchies``): values are as far apart as what they have in
        common is high.  All others have the equal distance.
    suppressed
        Texts that stand for a suppressed cell.
    suppressed_as
        "value": a suppressed cell is a value of its own.  "any": it matches anything, and a row hides among all
        rows that it matches.
    missing_sensitive
        "refuse" a table whose sensitive columns have missing values, or let them be one "value" of their own.
    asked
        The limits k, l, c, t, alpha, delta and beta (see ``audits.asked``), and the options of every question.
    """
    limits = Limits(**{name: asked.get(name) for name in LIMITS})  # type: ignore[arg-type]
    columns = Columns(quasi, sensitive, ordered, hierarchy or {}, limits)
    _one_of("suppressed_as", suppressed_as, get_args(Suppressed))
    _one_of("missing_sensitive", missing_sensitive, ("refuse", "value"))
    options = cast("Options", {name: value for name, value in asked.items() if name not in LIMITS})
    counted = Counted(table, columns, name_list("suppressed", suppressed), options)
    whole = counted.whole
    if limits.k is not None and limits.k > whole.table.n:
        rows = how_many(whole.table.n, "readable row")
        msg = f"k = {limits.k} is larger than the table, which has {rows}: ask for at most as many."
        raise UsageError(msg)
    if missing_sensitive == "refuse":
        counted.refuse_missing()
    unknown = counted.unknown(match_anything=suppressed_as == "any")
    unreadable = whole.unreadable.found > 0
    answer = _audit(whole.table, counted.quasi(), counted.sensitive(), limits, unknown, unreadable=unreadable)
    matching = unknown.match_anything and answer.suppressed.quasi
    added = [] if matching else quasi_figures(whole.table, counted.quasi())
    return answer.model_copy(update={**whole.stamp(), "columns": added})


def _one_of(option: str, word: str, words: Sequence[str]) -> None:
    if word not in words:
        raise UsageError(f"The option {option} is one of {', '.join(words)}, not {word!r}.")
