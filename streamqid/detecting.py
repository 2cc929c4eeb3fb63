"""Quasi-identifiers by every method of the papers, side by side.

>>> people = [
...     {"name": "Ann", "age": 20, "sex": "F"}, {"name": "Bea", "age": 30, "sex": "F"},
...     {"name": "Cid", "age": 40, "sex": "M"}, {"name": "Dan", "age": 20, "sex": "M"},
... ]
>>> answer = detect(people, methods=["dependencies"], identifiers=["name"])
>>> {judged.column: str(judged.verdict) for judged in answer.findings[0].columns}
{'name': 'identifier', 'age': 'quasi-identifier', 'sex': 'harmless'}
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Unpack, cast

from streamqid.errors import UsageError
from streamqid.options import Options, name_list, share, whole_number
from streamqid.problems.declared import dependency
from streamqid.problems.detect_question import DetectQuestion, nearly_unique
from streamqid.problems.detectors import BASELINES, DETECTORS
from streamqid.problems.findings import DetectAnswer, summary
from streamqid.problems.instance import MOST_COLUMNS
from streamqid.problems.sentences import names
from streamqid.whole import read_whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamqid.problems.findings import Finding
    from streamqid.whole import Whole

ALL, COMPARED = "all", "baselines"


class Settings(Options, total=False):
    """The options of every table, and what single methods may set.

    ``views`` are column sets that an attacker may know; ``epsilon`` is the share of pairs or rows that a set may leave
    together (default 0.001 by separation, 0.1 by distinct ratio); ``beta`` the ratio up to which columns count as
    harmless (0.8 and 0.5); ``most`` the number of columns in a set that singles out a person (2); ``threshold`` the
    gain from which a derived graph has an edge (0.5).
    """

    views: Sequence[Sequence[str]]
    epsilon: float | None
    beta: float | None
    most: int
    threshold: float


def detect(
    table: object,
    *,
    methods: Sequence[str] = (ALL,),
    identifiers: Sequence[str] = (),
    sensitive: Sequence[str] = (),
    dependencies: Sequence[tuple[Sequence[str], Sequence[str]]] = (),
    edges: Sequence[tuple[str, str]] = (),
    k: int = 5,
    **settings: Unpack[Settings],
) -> DetectAnswer:
    """Ask several methods which columns of a table belong to quasi-identifiers.

    Every row is read and counted (memory: 8 bytes for each cell, capped by the option ``memory``).

    Parameters
    ----------
    table
        A path, standard input ("-"), or an object in memory.
    methods
        Names of methods (``problems.detectors``); "all" are those of the papers, "baselines" those that one of them
        compares with.
    identifiers
        Columns that name a person.
    sensitive
        Columns that must not be learned about a person.
    dependencies
        Pairs of column sets of which the first determines the second.
    edges
        Related columns; without any, the graph is derived from the rows.
    k
        Rows in smaller groups are counted for each set found.
    settings
        See ``Settings``.
    """
    solvers = _solvers(name_list("methods", methods))
    identifiers, sensitive = name_list("identifiers", identifiers), name_list("sensitive", sensitive)
    own, options = _split(settings)
    _check(identifiers, sensitive, k, own)
    views = [name_list("views", view) for view in own.get("views", ())]
    if any(len(name_list("edges", edge)) != 2 for edge in edges):
        msg = "An edge relates two different columns: write each as a pair of two names."
        raise UsageError(msg)
    sides = [side for pair in dependencies for side in pair]
    whole = read_whole(table, options, [*identifiers, *sensitive, *chain(*sides, *edges, *views)])
    columns = whole.table.columns
    private = tuple(map(columns.index, sensitive))
    question = DetectQuestion(
        whole.table,
        whole.weights,
        identifiers=tuple(map(columns.index, identifiers)),
        unique=nearly_unique(whole.table, private),
        sensitive=private,
        dependencies=tuple(dependency(left, right) for left, right in dependencies),
        edges=tuple(edges),
        views=tuple(map(tuple, views)),
        k=k,
        epsilon=own.get("epsilon"),
        beta=own.get("beta"),
        most=own.get("most", MOST_COLUMNS),
        threshold=own.get("threshold", 0.5),
    )
    return _answer(question, [solve(question) for solve in solvers], whole)


def _solvers(methods: Sequence[str]) -> list[Callable[[DetectQuestion], Finding]]:
    known = {**DETECTORS, **BASELINES}
    groups = {ALL: list(DETECTORS), COMPARED: list(BASELINES)}
    if not methods:
        msg = f"Name a method: {', '.join([*DETECTORS, ALL])}, or {COMPARED}."
        raise UsageError(msg)
    for name in methods:
        if name not in known and name not in groups:
            msg = f"The method is one of {', '.join([*known, ALL, COMPARED])}, not {name!r}."
            raise UsageError(msg)
    chosen = dict.fromkeys(chain(*(groups.get(name, [name]) for name in methods)))
    return [known[name] for name in chosen]


def _split(settings: Settings) -> tuple[Settings, Options]:
    """Return the settings of single methods, and the options of every table."""
    own = {name: value for name, value in settings.items() if name in Settings.__annotations__}
    own = {name: value for name, value in own.items() if name not in Options.__annotations__}
    options = {name: value for name, value in settings.items() if name not in own}
    return cast("Settings", own), cast("Options", options)


def _check(identifiers: Sequence[str], sensitive: Sequence[str], k: int, own: Settings) -> None:
    both = set(identifiers) & set(sensitive)
    if both:
        msg = f"Column {sorted(both)[0]!r} is named as identifier and as sensitive: name it in one place only."
        raise UsageError(msg)
    whole_number("k", k)
    whole_number("most", own.get("most", MOST_COLUMNS))
    epsilon, beta = own.get("epsilon"), own.get("beta")
    if epsilon is not None:
        share("epsilon", epsilon)
    if beta is not None:
        share("beta", beta, one=True)
    share("threshold", own.get("threshold", 0.5), one=True)


def _answer(question: DetectQuestion, findings: list[Finding], whole: Whole) -> DetectAnswer:
    named = {*question.identifiers, *question.unique}
    judged = [found for found in findings if found.judged]
    alone = question.name(j for j in question.unique if j not in question.identifiers)
    apart = f" Nearly unique by themselves, and so taken for identifiers: {names(alone)}." if alone else ""
    return DetectAnswer(
        columns=list(question.table.columns),
        identifiers=[name for j, name in enumerate(question.table.columns) if j in named],
        sensitive=question.name(question.sensitive),
        k=question.k,
        findings=findings,
        rows=question.table.n,
        sample=question.table.n,
        sample_unit="rows",
        exact=True,
        guarantee=f"{summary(question.table.columns, judged)}{apart}",
    ).model_copy(update=whole.stamp())
