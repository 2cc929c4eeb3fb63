"""The five methods that Hua et al. compare with (their Table 3), as far as the paper and its references define them.

None of the five is published as a definition in the paper: it gives each a sentence or two, and the results on three
tables.  ``Certainty`` says of each how sure the reading is; docs/papers.md compares the results with Table 3.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from streamqid.problems.detect_question import Method, finding, nothing_left, too_many, unjudged
from streamqid.problems.findings import Certainty, Finding, Verdict
from streamqid.problems.instance import instance_quasi_identifiers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamqid.measures.partition import Partition, Table
    from streamqid.problems.detect_question import DetectQuestion

MOST_TRIED = 20_000
"""Sets that a search for the smallest ones measures at most."""

SQIA = Method(
    "sqia",
    "SQIA (Omer and Mohamad, reference 14)",
    "The smallest sets of candidates that have as many different values as all candidates together.",
    Certainty.GUESSED,
)
DPI = Method(
    "dpi",
    "DPI (Pastore et al., reference 17)",
    "The smallest sets that single out as many rows as all columns together.",
    Certainty.FITTED,
)
F2CIC = Method(
    "f2cic",
    "F2CIC (Podlesny et al., reference 19)",
    "The minimal sets, up to a size, on which some row is unique: partially unique column combinations.",
    Certainty.GUESSED,
)
QIA = Method(
    "qia",
    "QIA (Song, reference 21)",
    "The columns that the publication shares with a view that an attacker knows.",
    Certainty.DERIVED,
)
FPCV = Method(
    "fpcv",
    "FPCV (Yan, reference 22)",
    "The largest group of columns that cuts a known view off the publication.",
    Certainty.FITTED,
)


def sqia(question: DetectQuestion) -> Finding:
    """Find the smallest sets with the largest number of different values."""
    return _smallest(question, SQIA, lambda here: here.groups, "as many different values")


def dpi(question: DetectQuestion) -> Finding:
    """Find the smallest sets with the largest number of unique rows.  Its columns are those of all of them."""
    return _smallest(question, DPI, lambda here: here.unique_rows, "as many unique rows")


def _smallest(question: DetectQuestion, method: Method, count: Callable[[Partition], int], what: str) -> Finding:
    if need := nothing_left(question) or too_many(question):
        return unjudged(question, method, need)
    candidates = question.candidates()
    sets = smallest_sets(question.table, candidates, count, MOST_TRIED)
    if sets is None:
        return unjudged(
            question, method, f"More than {MOST_TRIED:,} sets would have to be measured: leave out columns."
        )
    return finding(
        question,
        method,
        [(columns, f"{what} as all candidates") for columns in sets],
        f"No smaller set has {what} as all candidates together, and all of this size are listed (exact).",
        dict.fromkeys(candidates, (Verdict.HARMLESS, f"the smallest sets have {what} without it")),
    )


def smallest_sets(
    table: Table, among: Sequence[int], count: Callable[[Partition], int], most: int
) -> list[tuple[int, ...]] | None:
    """Return all smallest sets that reach what all of ``among`` reach together; None if more than ``most`` are to try.

    The count must only grow with the set.  Columns without which all the others fall short belong to every such set,
    so only the rest are combined.
    """
    goal = count(table.partition(among))
    needed = [j for j in among if count(table.partition([i for i in among if i != j])) < goal]
    rest, base = [j for j in among if j not in needed], table.partition(needed)
    size = 0
    while True:  # ends with all of them at the latest
        most -= math.comb(len(rest), size)
        if most < 0:
            return None
        sets = itertools.combinations(rest, size)
        found = [chosen for chosen in sets if count(_refined(table, base, chosen)) == goal]
        if found:
            return [tuple(sorted((*needed, *chosen))) for chosen in found]
        size += 1


def _refined(table: Table, here: Partition, columns: Sequence[int]) -> Partition:
    for j in columns:
        here = here.refine(table.codes[j], table.sizes[j])
    return here


def f2cic(question: DetectQuestion) -> Finding:
    """Find the minimal sets of at most ``question.most`` columns on which some row is unique."""
    if need := too_many(question):
        return unjudged(question, F2CIC, need)
    candidates = question.candidates()
    sets = instance_quasi_identifiers(question.table, among=candidates, most=question.most)
    size = f"{question.most} column{'s' if question.most > 1 else ''}"
    return finding(
        question,
        F2CIC,
        [(found.columns, f"{found.values:,} unique row{'s' if found.values > 1 else ''}") for found in sets],
        f"Every minimal set of at most {size} with a unique row is listed (exact).",
        dict.fromkeys(candidates, (Verdict.HARMLESS, "no row is unique on a set of that size that needs it")),
    )


def qia(question: DetectQuestion) -> Finding:
    """Find what each known view shares with the publication: all columns but identifiers and sensitive ones."""
    return _views(question, QIA, _shared(question))


def fpcv(question: DetectQuestion) -> Finding:
    """Find the largest such share: removing it cuts the view off, in the graph that links all columns of a view."""
    shared = _shared(question)
    largest = max(map(len, shared), default=0)
    return _views(question, FPCV, [columns for columns in shared if len(columns) == largest])


def _shared(question: DetectQuestion) -> list[tuple[int, ...]]:
    columns = question.table.columns
    hidden = {*question.identifiers, *question.sensitive}
    views = [tuple(sorted({columns.index(name) for name in view} - hidden)) for view in question.views]
    return sorted({view for view in views if view}, key=lambda view: (len(view), view))


def _views(question: DetectQuestion, method: Method, sets: Sequence[tuple[int, ...]]) -> Finding:
    if not question.views:
        return unjudged(question, method, "Tell what an attacker may know, as sets of columns: --view A,B.")
    return finding(
        question,
        method,
        [(columns, "shared by the publication and a known view") for columns in sets],
        "Follows from the declared views alone; the rows were not looked at.",
        dict.fromkeys(question.candidates(), (Verdict.HARMLESS, "in no set that a known view shares")),
    )
