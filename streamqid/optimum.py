"""Exact optima over a whole table, and quasi-identifiers against k-anonymity.

>>> people = [
...     {"age": 20, "sex": "F", "state": "CA"}, {"age": 30, "sex": "F", "state": "CA"},
...     {"age": 40, "sex": "F", "state": "TX"}, {"age": 20, "sex": "M", "state": "NY"},
...     {"age": 40, "sex": "M", "state": "CA"},
... ]
>>> optimal_keys(people, epsilon=0.0).columns
['age', 'sex']
>>> optimal_mask(people, measure="distinct", beta=0.8).publish
['sex', 'state']
>>> minimum_qid(people, k=2).columns
['age']
>>> anonymity_test(people, ["sex"], k=2).qid
False
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar, Unpack

from streamqid.errors import UsageError
from streamqid.options import choice, name_list, share, whole_number
from streamqid.problems import optimal_key as _key
from streamqid.problems import optimal_mask as _mask
from streamqid.problems import qid, qid_on_samples
from streamqid.problems.answer import Answer, Measure, Rule
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.qid_answer import Exposes
from streamqid.problems.sizes import key_capacity
from streamqid.reading import Pass
from streamqid.sampling.capacity import Capacity
from streamqid.whole import read_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.options import Options
    from streamqid.problems.optimum_answer import OptimalKeyAnswer, OptimalMaskAnswer
    from streamqid.problems.qid_answer import QidAnswer, QidTestAnswer
    from streamqid.reading import Reading
    from streamqid.whole import Whole

SECONDS = 60.0
"""Time limit of a solver."""

A = TypeVar("A", bound=Answer)


def optimal_keys(
    table: object,
    *,
    measure: str = "separation",
    epsilon: float = 0.001,
    beta: float | None = None,
    rule: str | None = None,
    delta: float = 0.01,
    time_limit: float = SECONDS,
    **options: Unpack[Options],
) -> OptimalKeyAnswer:
    """Find the lightest column set that identifies nearly every row (see ``problems.optimal_key``).

    On every row; with the rule tuples on a sample, for tables that are too large to hold, by separation only and
    with probability 1 - ``delta``.

    ``epsilon`` may be 0, which asks for a key.  With ``beta`` it is not used: every row is read, so nothing has to
    be left open.
    """
    kind = choice("measure", measure, Measure)
    if epsilon != 0.0:
        share("epsilon", epsilon)
    if beta is not None:
        share("beta", beta, one=True)
        if kind is Measure.DISTINCT:
            msg = "A minimum set for a given beta exists for separation only: leave out beta, or use separation."
            raise UsageError(msg)
    _positive_time(time_limit)
    if rule is not None:
        return _on_tuples(table, options, KeyQuestion(kind, epsilon, delta, _tuples(rule), (), beta), time_limit)
    whole = read_whole(table, options)
    answer = _key.optimal_key(whole.table, whole.weights, kind, epsilon, beta, seconds=time_limit)
    return _stamped(answer, whole)


def _tuples(rule: str) -> Rule:
    if rule != Rule.TUPLES:
        msg = f"The exact solver counts every row, or samples by the rule tuples: leave out the rule {rule!r}."
        raise UsageError(msg)
    return Rule.TUPLES


def _on_tuples(table: object, options: Options, question: KeyQuestion, seconds: float) -> OptimalKeyAnswer:
    share("epsilon", question.epsilon)
    share("delta", question.delta)
    reading = Pass(table, options).read(lambda m: key_capacity(m, question))
    if reading.late_columns:
        msg = "The rule tuples must know the columns beforehand: leave it out, or give a table with a header."
        raise UsageError(msg)
    question = question.on(reading.weights, question.rule)
    return _stamped(_key.optimal_key_of_tuples(reading.evidence, question, seconds=seconds), reading)


def optimal_mask(
    table: object,
    *,
    measure: str = "separation",
    beta: float = 0.8,
    must_publish: Sequence[str] = (),
    must_hide: Sequence[str] = (),
    time_limit: float = SECONDS,
    **options: Unpack[Options],
) -> OptimalMaskAnswer:
    """Find the heaviest column set that can be published (see ``problems.optimal_mask``)."""
    kind = choice("measure", measure, Measure)
    share("beta", beta, one=True)
    _positive_time(time_limit)
    must_publish, must_hide = name_list("must_publish", must_publish), name_list("must_hide", must_hide)
    both = set(must_publish) & set(must_hide)
    if both:
        msg = f"Column {sorted(both)[0]!r} must be published and hidden at once: name it in one place only."
        raise UsageError(msg)
    whole = read_whole(table, options, [*must_publish, *must_hide])
    publish, hide = ([whole.table.columns.index(name) for name in names] for names in (must_publish, must_hide))
    question = MaskQuestion(kind, beta, 0.0, Rule.PAPER, whole.weights, publish, hide)
    return _stamped(_mask.optimal_mask(whole.table, question, seconds=time_limit), whole)


def anonymity_test(
    table: object,
    columns: Sequence[str],
    *,
    k: int = 2,
    sample: int | None = None,
    delta: float = 0.01,
    **options: Unpack[Options],
) -> QidTestAnswer:
    """Decide whether a column set is a quasi-identifier against k-anonymity (Yuan and Wang).

    On every row (``problems.qid``), or with ``sample`` on that many, with bounds (``problems.qid_on_samples``).
    """
    _check_sizes(k, sample, delta)
    columns = name_list("columns", columns)
    if sample is None:
        whole = read_whole(table, options, columns)
        return _stamped(qid.anonymity_test(whole.table, _numbers(whole.table.columns, columns), k), whole)
    reading = Pass(table, options).read(lambda _: Capacity(sample), columns)
    evidence = reading.evidence
    return _stamped(qid_on_samples.anonymity_test(evidence, _numbers(evidence.columns, columns), k, delta), reading)


def minimum_qid(
    table: object,
    *,
    k: int = 2,
    exposes: str = "some",
    sample: int | None = None,
    delta: float = 0.01,
    time_limit: float = SECONDS,
    **options: Unpack[Options],
) -> QidAnswer:
    """Find the lightest quasi-identifier against k-anonymity (Yuan and Wang, section 4).

    ``exposes`` says whom a QID exposes (``problems.qid_answer.Exposes``); on a sample it is some row.
    """
    _check_sizes(k, sample, delta)
    _positive_time(time_limit)
    whom = _whom(exposes, sample)
    if sample is None:
        whole = read_whole(table, options)
        return _stamped(qid.minimum_qid(whole.table, k, whole.weights, whom, seconds=time_limit), whole)
    reading = Pass(table, options).read(lambda _: Capacity(sample))
    answer = qid_on_samples.minimum_qid(reading.evidence, k, delta, reading.weights, seconds=time_limit)
    return _stamped(answer, reading)


def minimal_qid(
    table: object,
    *,
    k: int = 2,
    exposes: str = "some",
    drop: Sequence[str] | None = None,
    sample: int | None = None,
    delta: float = 0.01,
    **options: Unpack[Options],
) -> QidAnswer:
    """Find a quasi-identifier of which no column can be left out (Yuan and Wang, section 5).

    ``drop`` names columns in the order in which they are tried for dropping; the others follow, from the right.
    """
    _check_sizes(k, sample, delta)
    whom, first = _whom(exposes, sample), name_list("drop", () if drop is None else drop)
    if sample is None:
        whole = read_whole(table, options, first)
        order = _dropping(whole.table.columns, first)
        return _stamped(qid.minimal_qid(whole.table, k, order, whom), whole)
    reading = Pass(table, options).read(lambda _: Capacity(sample), first)
    order = _dropping(reading.evidence.columns, first)
    return _stamped(qid_on_samples.minimal_qid(reading.evidence, k, delta, order), reading)


def _dropping(columns: Sequence[str], first: Sequence[str]) -> list[int]:
    return [*_numbers(columns, first), *(j for j in reversed(range(len(columns))) if columns[j] not in first)]


def _numbers(columns: Sequence[str], names: Sequence[str]) -> list[int]:
    return [list(columns).index(name) for name in names]


def _whom(exposes: str, sample: int | None) -> Exposes:
    whom = choice("choice of exposes", exposes, Exposes)
    if whom is Exposes.EVERY and sample is not None:
        msg = "Whether every row is exposed shows on the whole table only: leave out the sample, or ask for some row."
        raise UsageError(msg)
    return whom


def _check_sizes(k: int, sample: int | None, delta: float) -> None:
    if whole_number("k", k) < 2:
        msg = f"k-anonymity begins with groups of two rows: k must be at least 2, not {k}."
        raise UsageError(msg)
    if sample is not None:
        whole_number("The number of sampled rows", sample)
    share("delta", delta)


def _positive_time(seconds: Any) -> None:
    if isinstance(seconds, str) or not 0.0 < seconds < math.inf:
        told = repr(seconds) if isinstance(seconds, str) else f"{seconds:g}"
        msg = f"The time limit must be a positive number of seconds, not {told}."
        raise UsageError(msg)


def _stamped(answer: A, read: Reading | Whole) -> A:
    return answer.model_copy(update=read.stamp())
