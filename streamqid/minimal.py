"""All minimal keys, β-separation sets and β-distinct sets of a table: a path, standard input ("-"), or an object.

>>> people = [
...     {"age": 20, "sex": "F", "state": "CA"}, {"age": 30, "sex": "F", "state": "CA"},
...     {"age": 40, "sex": "F", "state": "TX"}, {"age": 20, "sex": "M", "state": "NY"},
...     {"age": 40, "sex": "M", "state": "CA"},
... ]
>>> [found.columns for found in all_keys(people, epsilon=0).sets]
[['age', 'sex'], ['age', 'state']]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from streamqid.errors import UsageError
from streamqid.options import share, whole_number
from streamqid.problems.all_minimal import all_minimal
from streamqid.problems.answer import Measure
from streamqid.problems.minimal_question import MinimalQuestion
from streamqid.problems.minimal_sets import LATTICE_COLUMNS
from streamqid.whole import read_whole

if TYPE_CHECKING:
    from streamqid.options import Options
    from streamqid.problems.minimal_answer import MinimalAnswer


def all_keys(
    table: object,
    *,
    measure: str = "separation",
    epsilon: float = 0.001,
    beta: float | None = None,
    delta: float = 0.01,
    method: Literal["search", "levelwise"] = "search",
    max_size: int | None = None,
    max_sets: int | None = None,
    **options: Unpack[Options],
) -> MinimalAnswer:
    """Find every minimal column set that identifies rows (see ``problems.all_minimal``); every row is read.

    Parameters
    ----------
    table
        A path, "-" for standard input, or an object in memory.
    measure
        "separation" or "distinct".
    epsilon, beta
        The sets reach the ratio 1 - ε, or β when it is given.  With ε = 0 they are the minimal keys: they separate
        all that all columns together separate.
    delta
        Probability that the levelwise method prunes a set wrongly.
    method
        "search" is exact; "levelwise" is the paper's search with pruning on sub-tables, for up to 22 columns.
    max_size, max_sets
        Look for sets of at most so many columns; stop at so many sets.
    **options
        What every question about a table may set.
    """
    kind = _measure(measure)
    if epsilon != 0:
        share("epsilon", epsilon)
    if beta is not None:
        share("beta", beta, one=True)
    share("delta", delta)
    for what, most in (("--max-size (max_size)", max_size), ("--limit (max_sets)", max_sets)):
        if most is not None:
            whole_number(what, most)
    if method not in ("search", "levelwise"):
        msg = f"The method is search or levelwise, not {method!r}."
        raise UsageError(msg)
    if method == "levelwise" and max_size is not None:
        msg = "The levelwise method looks for sets of every size: leave out max_size, or use the method search."
        raise UsageError(msg)
    whole = read_whole(table, options)
    m = len(whole.table.columns)
    if method == "levelwise" and m > LATTICE_COLUMNS:
        msg = f"The levelwise method takes up to {LATTICE_COLUMNS} columns, not {m}: use the method search, or only."
        raise UsageError(msg)
    question = MinimalQuestion(kind, epsilon, delta, whole.weights, beta, max_size, max_sets)
    return all_minimal(whole.table, question, method=method, seed=whole.seed).model_copy(update=whole.stamp())


def _measure(text: str) -> Measure:
    if text not in list(Measure):
        msg = f"The measure is one of {', '.join(Measure)}, not {text!r}."
        raise UsageError(msg)
    return Measure(text)
