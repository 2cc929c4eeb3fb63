"""The questions about a table: scan, keys, mask and check.

No annotation that typer reads is a string.
"""

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from streamqid.cli import optimum
from streamqid.cli.minimal import All, Limit, MaxSize
from streamqid.cli.options import (
    Beta,
    Delta,
    Epsilon,
    Exposes,
    GroupSize,
    Json,
    KeyMeasure,
    KeyRule,
    KeySample,
    LeastSample,
    Measure,
    Rule,
    Sample,
    Solver,
    Table,
    TimeLimit,
    names,
    some_names,
    table_options,
)
from streamqid.cli.pages import Html, page_file, table_name
from streamqid.cli.progress import reading
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from streamqid.options import Options
    from streamqid.problems.answer import Answer, CheckAnswer, ScanAnswer

SAMPLE = 50_000
NOT_MET = 1
"""Exit code when a limit is not met and ``--fail`` was given."""


def question(ask: Callable[..., "Answer"]) -> Callable[..., None]:
    """Make a command of a function from a table, its options and more to an answer.

    The command takes the options of every table besides those of the function, shows the progress of reading, and
    tells the answer.
    """
    shared = inspect.signature(table_options).parameters
    _, _, *own = inspect.signature(ask).parameters.values()

    def command(*, table: str, json: bool, **given: object) -> None:
        from streamqid.cli.show import tell

        options = table_options(**{name: given.pop(name) for name in shared})  # type: ignore[arg-type]
        with reading(table) as report:
            answer = ask(table, {**options, "progress": report}, **given)
        tell(answer, json=json)
        if given.get("fail") and getattr(answer, "met", None) is False:
            raise typer.Exit(NOT_MET)

    parameters = [
        inspect.Parameter("table", inspect.Parameter.KEYWORD_ONLY, annotation=Table),
        *own,
        inspect.Parameter("json", inspect.Parameter.KEYWORD_ONLY, annotation=Json, default=False),
        *shared.values(),
    ]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
    command.__name__, command.__doc__ = ask.__name__, ask.__doc__
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return command


@question
def scan(
    table: str,
    options: "Options",
    *,
    epsilon: Epsilon = 0.001,
    delta: Delta = 0.01,
    beta: Beta = 0.8,
    rule: Rule = "certified",
    sample: LeastSample = SAMPLE,
    html: Html = None,
) -> "ScanAnswer":
    """Give the overview of a table: the risk of every column, a key, and what may be published."""
    from streamqid import tables

    with page_file(html, table) as write:
        answer = tables.scan(table, epsilon=epsilon, delta=delta, beta=beta, rule=rule, sample=sample, **options)
        if html is not None:
            from streamqid.report.overview import overview_page

            write(overview_page(answer, table_name(table)))
    return answer


@question
def keys(
    table: str,
    options: "Options",
    *,
    measure: KeyMeasure = "separation",
    epsilon: Epsilon = 0.001,
    delta: Delta = 0.01,
    beta: Annotated[
        float | None, typer.Option(help="Ask for a set that separates the share (1-ε)β only, not a key.")
    ] = None,
    rule: KeyRule = "paper",
    solver: Solver = "greedy",
    time_limit: TimeLimit = None,
    k: GroupSize = None,
    exposes: Exposes = "some",
    sample: KeySample = None,
    every: All = False,
    limit: Limit = None,
    max_size: MaxSize = None,
) -> "Answer":
    """Find a small column set that identifies nearly every row: a quasi-identifier."""
    from streamqid import tables
    from streamqid.cli import minimal

    if every or limit is not None or max_size is not None:
        asked = {
            "--measure k-anonymity": measure == "k-anonymity",
            "--rule": rule != "paper",
            "--solver": solver != "greedy",
            "--time-limit": time_limit is not None,
            "--k": k is not None,
            "--exposes": exposes != "some",
            "--sample": sample is not None,
        }
        if wrong := [name for name, given in asked.items() if given]:
            msg = f"All sets are listed exactly, by separation or distinct, without {wrong[0]}: leave it out."
            raise UsageError(msg)
        sets = {"limit": limit, "max_size": max_size}
        return minimal.ask(table, options, every=every, measure=measure, epsilon=epsilon, beta=beta, **sets)

    wish = optimum.Wish(solver, time_limit, rule)
    if measure == "k-anonymity":
        return optimum.qids(table, options, wish, k=k, exposes=exposes, sample=sample, delta=delta, beta=beta)
    optimum.refuse_qid_options(k, exposes, sample)
    if wish.exact:
        return optimum.keys(table, options, wish, measure=measure, epsilon=epsilon, delta=delta, beta=beta)
    return tables.keys(table, measure=measure, epsilon=epsilon, delta=delta, beta=beta, rule=rule, **options)


@question
def mask(
    table: str,
    options: "Options",
    *,
    measure: Measure = "separation",
    beta: Beta = 0.8,
    delta: Delta = 0.01,
    rule: Rule = "paper",
    must_publish: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Publish these columns in any case.")
    ] = None,
    must_hide: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="Never publish these columns.")] = None,
    sample: Sample = SAMPLE,
    solver: Solver = "greedy",
    time_limit: TimeLimit = None,
) -> "Answer":
    """Find a large column set that can be published, and the columns to hide."""
    from streamqid import tables

    publish, hide = some_names("--must-publish", must_publish), some_names("--must-hide", must_hide)
    wish = optimum.Wish(solver, time_limit, rule)
    if wish.exact:
        return optimum.mask(table, options, wish, measure=measure, beta=beta, must_publish=publish, must_hide=hide)
    return tables.mask(
        table,
        measure=measure,
        beta=beta,
        delta=delta,
        rule=rule,
        must_publish=publish,
        must_hide=hide,
        sample=sample,
        **options,
    )


@question
def check(
    table: str,
    options: "Options",
    *,
    columns: Annotated[list[str], typer.Option(metavar="NAMES", help="The column set, as a,b or repeated.")],
    exact: Annotated[bool, typer.Option("--exact", help="Count every row, at 8 bytes of memory a row.")] = False,
    delta: Delta = 0.01,
    sample: Sample = SAMPLE,
) -> "CheckAnswer":
    """Measure how well one column set tells rows apart."""
    from streamqid import tables

    return tables.check(table, names(columns), delta=delta, exact=exact, sample=sample, **options)
