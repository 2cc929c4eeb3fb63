"""The document that tells what was suppressed, and what is promised about it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from streamqid.anonymize.choosing import Method
from streamqid.problems.answer import Document

if TYPE_CHECKING:
    from streamqid.anonymize.choosing import Solution
    from streamqid.anonymize.request import Request
    from streamqid.anonymize.verify import Audit


class ColumnCost(Document):
    """What one quasi-identifier lost."""

    column: str
    suppressed: int
    """Number of its cells that are suppressed."""
    share: float


class AnonymizeAnswer(Document):
    """A table made safe by suppressing cells."""

    problem: Literal["anonymize"] = "anonymize"
    k: int | None
    l: int | None  # noqa: E741 - the paper's letter
    t: float | None
    distance: Literal["equal", "ordered"] | None
    """How far apart sensitive values are, for t-closeness."""
    rows: int
    quasi: list[str]
    sensitive: list[str]
    keep: list[str]
    """Columns that are published as they are."""
    drop: list[str]
    """Columns that are not published."""
    cost: int
    """Number of suppressed cells, as in the paper."""
    cells: int
    """Number of cells of the quasi-identifiers."""
    share: float
    """Share of them that is suppressed."""
    columns: list[ColumnCost]
    classes: int
    """Classes of rows that are published equal on the quasi-identifiers, by the audit of what was written."""
    smallest_class: int
    """Rows of the smallest of them."""
    most_frequent: float | None
    """Largest share of one sensitive value in a class."""
    farthest: float | None
    """Largest Earth Mover's Distance of a class from the table."""
    method: Method
    """Where the partition came from."""
    optimal: bool
    """Whether it is proven that no grouping of the rows costs less."""
    heuristic: bool
    """Whether no theorem bounds the cost by a multiple of the optimum."""
    factor: int | None
    """The cost is at most so many times the optimum, by Theorem 10."""
    lower_bound: int | None
    """A cost that no grouping undercuts, where one is cheap to know."""
    gap: float | None
    """Share of the cost that a better grouping might save at most: (cost - lower_bound) / cost."""
    guarantee: str
    """The promise in one sentence."""
    conditions: list[str]
    """What the promise does not cover."""


def answer(request: Request, solution: Solution, found: Audit, names: dict[str, list[str]]) -> AnonymizeAnswer:
    """Return the document for a table that was written; ``names`` are its columns by their role."""
    quasi, rows, cost = names["quasi"], found.rows, solution.grouping.cost
    cells = rows * len(quasi)
    bound = None if solution.bound is None else min(solution.bound, cost)
    by_value = request.k is None
    return AnonymizeAnswer(
        k=request.k,
        l=request.l,
        t=request.t,
        distance=None if request.t is None else request.distance,
        rows=rows,
        **names,
        cost=cost,
        cells=cells,
        share=cost / cells,
        columns=[
            ColumnCost(column=column, suppressed=suppressed, share=suppressed / rows)
            for column, suppressed in zip(quasi, solution.grouping.cells_by_column().tolist(), strict=True)
        ],
        classes=found.classes,
        smallest_class=found.smallest,
        most_frequent=float(found.most_frequent) if by_value else None,
        farthest=float(found.farthest) if by_value else None,
        method=solution.method,
        optimal=solution.optimal,
        heuristic=not solution.optimal and solution.factor is None,
        factor=solution.factor,
        lower_bound=bound,
        gap=None if bound is None else (0.0 if not cost else (cost - bound) / cost),
        guarantee=f"{_promise(request, names)} {_price(solution, cost, cells)}",
        conditions=_conditions(request, names, solution.method),
    )


def _promise(request: Request, names: dict[str, list[str]]) -> str:
    on = ", ".join(names["quasi"])
    if request.k is not None:
        return f"Every row is one of at least {request.k} that are equal on {on} ({request.model})."
    about = f"Among the rows that are equal on {on},"
    sensitive = names["sensitive"][0]
    if request.t is None:
        return f"{about} no value of {sensitive} stands in more than half ({request.model})."
    kind = "any two values equally far apart" if request.distance == "equal" else "values in their order"
    return (
        f"{about} {sensitive} is distributed at most {request.t:g} away from the whole table, {kind} ({request.model})."
    )


def _price(solution: Solution, cost: int, cells: int) -> str:
    """Say what it cost, and how that compares with the optimum."""
    paid = f"{cost:,} of {cells:,} cells are suppressed"
    if solution.optimal:
        return f"{paid}, and no grouping of the rows needs fewer."
    said = f"{paid}: at most {solution.factor} times the fewest (Theorem 10)"
    if solution.factor is None:
        said = f"{paid}, by a heuristic"
    if solution.bound:
        times = math.ceil(1000 * cost / solution.bound) / 1000
        return f"{said}; at least {solution.bound:,} must be, so these are at most {times:g} times the fewest."
    return f"{said}; how many fewer would do is not known."


def _conditions(request: Request, names: dict[str, list[str]], method: Method) -> list[str]:
    found = []
    if method is Method.MATCHING:
        found.append(
            "The matching was found by an integer program, which is exact as well, but whose time no polynomial bounds "
            "as it bounds that of the algorithm behind Theorem 11."
        )
    if request.k is not None:
        found.append("k-anonymity hides who a row is about, not a sensitive value that a whole class shares.")
    if names["keep"]:
        found.append(f"Columns that are kept must not tell persons apart: {', '.join(names['keep'])}.")
    return found
