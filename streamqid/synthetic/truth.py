"""The exact truth about a population.

It is counted from all rows with code of its own, so that it can judge the measures of the product.
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from streamqid.synthetic.attributes import unknown_column
from streamqid.synthetic.cells import Words
from streamqid.synthetic.population import chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from streamqid.synthetic.population import Population

_STATES = Words(("", "null", "absent"))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the splitmix64 finaliser of each number: a bijection of 64-bit integers."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _keys(population: Population, columns: Sequence[str], rows: int) -> NDArray[np.uint64]:
    """Return a number for each row that two rows share if and only if they agree in these columns.

    Exact while the combinations of codes fit into 64 bits; else mixed, and then any two of n different rows
    are taken for equal with a probability of about n * n / 2**65 (3e-6 for 10 million rows).
    """
    keys = np.zeros(rows, np.uint64)
    for numbers in chunks(rows):
        key, span = np.zeros(len(numbers), np.uint64), 1
        for cells in population.cells(columns, numbers):
            for codes, words in ((cells.state, _STATES), *cells.parts):
                size = len(words.texts)
                span *= size
                key = (key * np.uint64(size) if span <= 1 << 64 else _mix(key)) + codes.astype(np.uint64)
        keys[numbers] = key
    return keys


def _count(columns: Sequence[str], keys: NDArray[np.uint64]) -> dict[str, object]:
    """Return the exact measures of one column set; None where there is no pair or no row to measure."""
    n = len(keys)
    sizes = np.unique(keys, return_counts=True)[1]
    pairs, same = n * (n - 1), int((sizes * (sizes - 1)).sum())
    return {
        "columns": list(columns),
        "separation": (pairs - same) / pairs if pairs else None,
        "distinct": len(sizes) / n if n else None,
        "unique_rows": int((sizes == 1).sum()),
        "groups": len(sizes),
        "smallest_group": int(sizes.min(initial=n)),
    }


def truth(population: Population, rows: int, column_sets: Sequence[Sequence[str]] = ()) -> dict[str, object]:
    """Return the exact measures of these column sets, of every column and of all columns, ready for JSON.

    ``sets`` is about all rows; ``segments`` holds the same for each stretch of rows between the beginnings,
    full strengths and ends of the drifts.  Null is a value like any other, and so is a field that is not
    there: the two differ (in CSV they do not).  Needs 8 bytes a row, twice while sorting.
    """
    population.check_rows(rows)
    columns = population.columns
    unknown = [column for asked in column_sets for column in asked if column not in columns]
    if unknown:
        raise unknown_column(unknown[0], columns)
    wanted = dict.fromkeys([*map(tuple, column_sets), *((column,) for column in columns), columns])
    cuts = {cut for d in population.drifts for cut in (0, d.at_row, d.at_row + d.over, d.until_row or rows, rows)}
    stretches = [(0, rows), *pairwise(sorted(cut for cut in cuts if cut <= rows))]
    counts: list[list[dict[str, object]]] = [[] for _ in stretches]
    for asked in wanted:
        keys = _keys(population, asked, rows)
        for count, (first, end) in zip(counts, stretches, strict=True):
            count.append(_count(asked, keys[first:end]))
    segments = [
        {"first_row": first, "end_row": end, "sets": count}
        for count, (first, end) in zip(counts[1:], stretches[1:], strict=True)
    ]
    about = {"rows": rows, "seed": population.seed, "columns": list(columns), "sets": counts[0]}
    return {**about, "drifts": [asdict(drift) for drift in population.drifts], "segments": segments}
