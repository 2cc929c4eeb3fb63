"""The audit of a table, as a command.

No annotation that typer reads is a string.
"""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from streamqid.cli.options import names
from streamqid.cli.questions import question
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from streamqid.audits.answer import AuditAnswer
    from streamqid.options import Options

LIMITS = "Limits to judge"
CELLS = "Cells without a value"


@question
def audit(
    table: str,
    options: "Options",
    *,
    quasi: Annotated[list[str], typer.Option(metavar="NAMES", help="The quasi-identifiers, as a,b or repeated.")],
    sensitive: Annotated[list[str] | None, typer.Option(metavar="NAMES", help="The sensitive columns.")] = None,
    ordered: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Sensitive columns of numbers, which have an order.")
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=FILE", help="CSV lines of a value and what it generalises to, up to one root."),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", metavar="K", help="Rows in every group.", rich_help_panel=LIMITS)
    ] = None,
    l: Annotated[  # noqa: E741 - the papers' letter
        int | None, typer.Option("--l", metavar="L", help="l of every l-diversity.", rich_help_panel=LIMITS)
    ] = None,
    c: Annotated[
        float | None, typer.Option("--c", metavar="C", help="c of recursive (c, l)-diversity.", rich_help_panel=LIMITS)
    ] = None,
    t: Annotated[
        float | None, typer.Option("--t", metavar="T", help="t of t-closeness.", rich_help_panel=LIMITS)
    ] = None,
    alpha: Annotated[
        float | None, typer.Option(metavar="A", help="α of (α, k)-anonymity.", rich_help_panel=LIMITS)
    ] = None,
    delta: Annotated[
        float | None, typer.Option(metavar="D", help="δ of δ-disclosure privacy.", rich_help_panel=LIMITS)
    ] = None,
    beta: Annotated[float | None, typer.Option(metavar="B", help="β of β-likeness.", rich_help_panel=LIMITS)] = None,
    fail: Annotated[
        bool, typer.Option("--fail", help="Exit with 1 if a limit is not met.", rich_help_panel=LIMITS)
    ] = False,
    suppressed: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="Stands for a suppressed cell; * by default.", rich_help_panel=CELLS),
    ] = None,
    suppressed_as: Annotated[
        Literal["value", "any"],
        typer.Option(help="Suppressed cells are a value of their own, or match any.", rich_help_panel=CELLS),
    ] = "value",
    missing_sensitive: Annotated[
        Literal["refuse", "value"],
        typer.Option(help="Refuse missing sensitive values, or let them be one value.", rich_help_panel=CELLS),
    ] = "refuse",
) -> "AuditAnswer":
    """Measure how private a table is: k-anonymity, l-diversity, t-closeness and risk."""
    from streamqid import auditing

    del fail  # the command looks at it when the answer is told
    return auditing.audit(
        table,
        quasi=names(quasi),
        sensitive=names(sensitive),
        ordered=names(ordered),
        hierarchy=files_of(hierarchy),
        suppressed=suppressed or ["*"],
        suppressed_as=suppressed_as,
        missing_sensitive=missing_sensitive,
        k=k,
        l=l,
        c=c,
        t=t,
        alpha=alpha,
        delta=delta,
        beta=beta,
        **options,
    )


def files_of(texts: list[str] | None) -> dict[str, str]:
    """Read which file belongs to which column.

    >>> files_of(["job=jobs.csv"])
    {'job': 'jobs.csv'}
    """
    files: dict[str, str] = {}
    for text in texts or ():
        name, _, file = text.partition("=")
        if not name or not file:
            msg = f"The hierarchy {text!r} cannot be read: write it as NAME=FILE, such as job=jobs.csv."
            raise UsageError(msg)
        files[name] = file
    return files
