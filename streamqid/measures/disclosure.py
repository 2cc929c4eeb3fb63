"""AGR and PDP of Hua et al. (section V.B): how large the classes of a column set are, and how alike their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from streamqid.measures.dependence import parents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamqid.measures.partition import Partition, Table


def average_group_records(classes: Partition) -> float:
    """Return AGR (equation 2): rows for each class; 1 when every row is its own class, n when there is one.

    0 for an empty table, which has no class.
    """
    return classes.n / classes.groups if classes.groups else 0.0


def disclosure_probability(table: Table, columns: Iterable[int], compared: Iterable[int]) -> float:
    """Return PDP (equation 3): the mean over the classes of ``columns`` of p_i, 0 for an empty table.

    A row of class G_i is disclosed with probability |T|/|G_i|, where T are its rows that are equal on ``compared``;
    p_i is the mean over its rows, hence Σ (|T|/|G_i|)² over the different T.  The paper does not say which columns
    make tuples "completely equivalent", so they are a parameter: the sensitive ones, or all.
    """
    classes = table.partition(columns)
    if not classes.groups:
        return 0.0
    finer = classes
    for j in compared:
        finer = finer.refine(table.codes[j], table.sizes[j])
    squares, shared = np.zeros(len(classes.sizes)), np.zeros(len(classes.sizes))
    inside = parents(classes, finer)
    np.add.at(squares, inside, finer.sizes.astype(np.float64) ** 2)
    np.add.at(shared, inside, finer.sizes)
    probabilities = (squares + classes.sizes - shared) / classes.sizes.astype(np.float64) ** 2
    return (classes.unique_rows + float(probabilities.sum())) / classes.groups
