"""The check before a file gets its name: read it as anybody would, and audit what it says."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from streamqid.anonymize.verify import Audit, audit
from streamqid.errors import StreamqidError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from pathlib import Path

    from streamqid.anonymize.grouping import Grouping
    from streamqid.anonymize.request import Request
    from streamqid.anonymizing.roles import Roles

ABSENT = "absent"
"""No JSON text: what stands for a field that is not there."""

OTHER_COLUMNS = "What would be written has other columns than were asked for: nothing is written; report this."


def checked_audit(
    path: Path, delimiter: str | None, roles: Roles, request: Request, grouping: Grouping, suppressed: str
) -> Audit:
    """Return the audit of a written file, or refuse it.

    Two audits must keep what was asked for: of the classes of equal rows, which is what a reader sees, and of the
    groups behind them.  Rows and suppressed cells must be as many as were decided, and no row may hold a column that is
    not to be published.
    """
    names = [*roles.quasi, *roles.sensitive[:1]]
    mark = suppressed if delimiter is not None else json.dumps(suppressed)
    published, sensitive, cost = [], [], 0
    for row in _rows(path, delimiter, names, {*roles.quasi, *roles.sensitive, *roles.keep}):
        cells = row[: len(roles.quasi)]
        published.append(cells)
        sensitive.append(row[-1] if roles.sensitive else "")
        cost += cells.count(mark)
    order = _order(sensitive, in_json=delimiter is None) if request.distance == "ordered" else None
    seen = audit(published, sensitive, order)
    behind = audit(grouping.labels.tolist(), sensitive, order)
    kept = all(found.keeps(request.k, request.l, request.t) for found in (seen, behind))
    if not kept or cost != grouping.cost:
        msg = f"What would be written does not keep {request.model} in its own audit: nothing is written; report this."
        raise StreamqidError(msg)
    return seen


def _rows(path: Path, delimiter: str | None, names: list[str], allowed: set[str]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of these columns as they stand in the file; refuse one with other columns than are allowed."""
    with path.open(encoding="utf-8", newline="") as file:
        if delimiter is not None:
            lines = csv.reader(file, delimiter=delimiter)
            header = next(lines)
            if sorted(header) != sorted(allowed):
                raise StreamqidError(OTHER_COLUMNS)
            places = [header.index(name) for name in names]
            for line in lines:
                if len(line) != len(header):
                    raise StreamqidError(OTHER_COLUMNS)
                yield tuple(line[place] for place in places)
            return
        for text in file:
            fields = json.loads(text)
            if not fields.keys() <= allowed:
                raise StreamqidError(OTHER_COLUMNS)
            yield tuple(json.dumps(fields[name], sort_keys=True) if name in fields else ABSENT for name in names)


def _order(sensitive: list[str], *, in_json: bool) -> dict[Hashable, int]:
    """Return the rank of each text among the different numbers that the texts stand for."""
    numbers = {text: float(json.loads(text) if in_json else text) for text in set(sensitive)}
    ranks = {number: rank for rank, number in enumerate(sorted(set(numbers.values())))}
    return {text: ranks[number] for text, number in numbers.items()}
