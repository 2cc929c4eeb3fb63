"""The questions of streamqid about a table: a path, standard input ("-"), or an object in memory.

>>> people = [
...     {"age": 20, "sex": "F", "state": "CA"}, {"age": 30, "sex": "F", "state": "CA"},
...     {"age": 40, "sex": "F", "state": "TX"}, {"age": 20, "sex": "M", "state": "NY"},
...     {"age": 40, "sex": "M", "state": "CA"},
... ]
>>> keys(people, epsilon=0.01).columns
['age', 'sex']
>>> mask(people, measure="distinct", beta=0.8).publish
['sex', 'state']
>>> check(people, ["sex", "state"]).separation.estimate
0.9
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar, Unpack

from streamqid.engine.exact import ExactPartition
from streamqid.errors import UsageError
from streamqid.options import choice, name_list, share, whole_number
from streamqid.problems import check as _check
from streamqid.problems.answer import Answer, CheckAnswer, KeyAnswer, MaskAnswer, Measure, Rule, ScanAnswer
from streamqid.problems.key_question import KeyQuestion
from streamqid.problems.mask_question import MaskQuestion
from streamqid.problems.masking import masking
from streamqid.problems.minimum_key import minimum_key
from streamqid.problems.scan import scan as _scan
from streamqid.problems.sizes import table_capacity
from streamqid.reading import Pass
from streamqid.sampling.capacity import Capacity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamqid.options import Options
    from streamqid.reading import Reading

SAMPLE = 50_000
"""Rows in each of the samples A and B where no formula fixes their number."""

A = TypeVar("A", bound=Answer)


def keys(
    table: object,
    *,
    measure: str = "separation",
    epsilon: float = 0.001,
    delta: float = 0.01,
    beta: float | None = None,
    rule: str = "paper",
    **options: Unpack[Options],
) -> KeyAnswer:
    """Find a small column set that identifies nearly every row (see ``problems.minimum_key``)."""
    question, run = _key_question(measure, epsilon, delta, beta, rule), Pass(table, options)
    question = replace(question, part=run.part_of_delta(question.rule))
    reading = run.read(lambda m: table_capacity(m, question))
    question = question.on(reading.weights, reading.rule(question.rule))
    return _stamped(minimum_key(reading.evidence, question), reading)


def mask(
    table: object,
    *,
    measure: str = "separation",
    beta: float = 0.8,
    delta: float = 0.01,
    rule: str = "paper",
    must_publish: Sequence[str] = (),
    must_hide: Sequence[str] = (),
    sample: int = SAMPLE,
    **options: Unpack[Options],
) -> MaskAnswer:
    """Find a large column set that can be published (see ``problems.masking``).

    ``sample`` is the number of rows in each of A and B: that many pairs, or tuples, by the paper's rule, and half
    as many judged pairs by the certified one.
    """
    share("beta", beta, one=True)
    share("delta", delta)
    whole_number("The number of sampled rows", sample)
    kind, by = choice("measure", measure, Measure), choice("rule", rule, Rule)
    must_publish, must_hide = name_list("must_publish", must_publish), name_list("must_hide", must_hide)
    both = set(must_publish) & set(must_hide)
    if both:
        msg = f"Column {sorted(both)[0]!r} must be published and hidden at once: name it in one place only."
        raise UsageError(msg)
    run = Pass(table, options)
    reading = run.read(lambda _: Capacity(sample), [*must_publish, *must_hide])
    columns = reading.evidence.columns
    publish, hide = ([columns.index(name) for name in names] for names in (must_publish, must_hide))
    part = run.part_of_delta(by)
    question = MaskQuestion(kind, beta, delta, reading.rule(by), reading.weights, publish, hide, part)
    return _stamped(masking(reading.evidence, question), reading)


def check(
    table: object,
    columns: Sequence[str],
    *,
    delta: float = 0.01,
    exact: bool = False,
    sample: int = SAMPLE,
    **options: Unpack[Options],
) -> CheckAnswer:
    """Measure one column set (see ``problems.check``); ``exact`` decodes every row, at 8 bytes of memory a row."""
    share("delta", delta)
    whole_number("The number of sampled rows", sample)
    if not columns:
        msg = "Name at least one column to check."
        raise UsageError(msg)
    columns = name_list("columns", columns)
    run = Pass(table, options)
    # An intake of its own, because it looks at every record and the sampler at some of them again.
    counter = ExactPartition(run.new_intake(), columns, run.missing) if exact else None
    reading = run.read(lambda _: Capacity(sample), columns, None if counter is None else counter.add)
    answer = _check.check(reading.evidence, columns, delta)
    if counter is None or answer.exact:
        return _stamped(answer, reading)
    answer = _check.exact_check(answer.columns, counter.partition(), answer.contributions)
    return _stamped(answer, replace(reading, unreadable=counter.unreadable()))


def scan(
    table: object,
    *,
    epsilon: float = 0.001,
    delta: float = 0.01,
    beta: float = 0.8,
    rule: str = "certified",
    sample: int = SAMPLE,
    **options: Unpack[Options],
) -> ScanAnswer:
    """Give the overview of a table: every column's risk, a minimum key, and what could be published.

    ``sample`` is the number of rows in each of A and B, or what the key needs if that is more.
    """
    question = _key_question("separation", epsilon, delta, None, rule)
    share("beta", beta, one=True)
    whole_number("The number of sampled rows", sample)
    run = Pass(table, options)
    question = replace(question, part=run.part_of_delta(question.rule))
    reading = run.read(lambda m: Capacity(max(sample, table_capacity(m, question).floor)))
    key_question = question.on(reading.weights, reading.rule(question.rule))
    mask_question = MaskQuestion(
        Measure.SEPARATION, beta, delta, key_question.rule, reading.weights, part=key_question.part
    )
    answer = _stamped(_scan(reading.evidence, key_question, mask_question), reading)
    parts = {"key": _stamped(answer.key, reading), "mask": _stamped(answer.mask, reading)}
    return answer.model_copy(update=parts)


def _key_question(measure: str, epsilon: float, delta: float, beta: float | None, rule: str) -> KeyQuestion:
    share("epsilon", epsilon)
    share("delta", delta)
    kind = choice("measure", measure, Measure)
    if beta is not None:
        share("beta", beta, one=True)
        if kind is Measure.DISTINCT:
            msg = "A minimum set for a given beta exists for separation only: leave out beta, or use separation."
            raise UsageError(msg)
    return KeyQuestion(kind, epsilon, delta, choice("rule", rule, Rule), (), beta)


def _stamped(answer: A, reading: Reading) -> A:
    return answer.model_copy(update=reading.stamp())
