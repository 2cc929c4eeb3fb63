"""The audit of a table, as a command.

No annotation that typer reads is a string.
"""

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from streamqid.cli.options import names
from streamqid.cli.pages import Html, page_file, table_name
from streamqid.cli.questions import question
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from streamqid.audits.answer import AuditAnswer
    from streamqid.options import Options

LIMITS = "Limits to judge"
CELLS = "Cells without a value"


def _limit(letter: str, text: str) -> Any:
    """Describe the option of a limit; a letter stands for itself, a name for its letter."""
    names = (f"--{letter.lower()}",) if letter in "KLCT" else ()
    return typer.Option(*names, metavar=letter, help=text, rich_help_panel=LIMITS)


Names = list[str] | None
Quasi = Annotated[list[str], typer.Option(metavar="NAMES", help="The quasi-identifiers, as a,b or repeated.")]
Sensitive = Annotated[Names, typer.Option(metavar="NAMES", help="The sensitive columns.")]
Ordered = Annotated[Names, typer.Option(metavar="NAMES", help="Sensitive columns of numbers, which have an order.")]
Hierarchies = Annotated[
    Names, typer.Option(metavar="NAME=FILE", help="CSV lines of a value and what it generalises to, up to one root.")
]
Fail = Annotated[bool, typer.Option("--fail", help="Exit with 1 if a limit is not met.", rich_help_panel=LIMITS)]
Suppressed = Annotated[
    Names, typer.Option(metavar="TEXT", help="Stands for a suppressed cell; * by default.", rich_help_panel=CELLS)
]
SuppressedAs = Annotated[
    Literal["value", "any"],
    typer.Option(help="Suppressed cells are a value of their own, or match any.", rich_help_panel=CELLS),
]
MissingSensitive = Annotated[
    Literal["refuse", "value"],
    typer.Option(help="Refuse missing sensitive values, or let them be one value.", rich_help_panel=CELLS),
]


@question
def audit(
    table: str,
    options: "Options",
    *,
    quasi: Quasi,
    sensitive: Sensitive = None,
    ordered: Ordered = None,
    hierarchy: Hierarchies = None,
    k: Annotated[int | None, _limit("K", "Rows in every group.")] = None,
    l: Annotated[int | None, _limit("L", "l of every l-diversity.")] = None,  # noqa: E741 - the papers' letter
    c: Annotated[float | None, _limit("C", "c of recursive (c, l)-diversity.")] = None,
    t: Annotated[float | None, _limit("T", "t of t-closeness.")] = None,
    alpha: Annotated[float | None, _limit("A", "α of (α, k)-anonymity.")] = None,
    delta: Annotated[float | None, _limit("D", "δ of δ-disclosure privacy.")] = None,
    beta: Annotated[float | None, _limit("B", "β of β-likeness.")] = None,
    fail: Fail = False,
    suppressed: Suppressed = None,
    suppressed_as: SuppressedAs = "value",
    missing_sensitive: MissingSensitive = "refuse",
    html: Html = None,
) -> "AuditAnswer":
    """Measure how private a table is: k-anonymity, l-diversity, t-closeness and risk."""
    from streamqid import auditing

    del fail  # the command looks at it when the answer is told
    with page_file(html, table) as write:
        answer = auditing.audit(
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
        if html is not None:
            from streamqid.report.audit import audit_page

            write(audit_page(answer, table_name(table)))
    return answer


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
        if name in files:
            raise UsageError(f"Column {name!r} is given two hierarchies: name one.")
        files[name] = file
    return files
