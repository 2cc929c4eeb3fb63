"""The command that writes a safe table: ``streamqid anonymize``.

No annotation that typer reads is a string.
"""

import contextlib
import signal
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import typer

from streamqid.cli.options import PANEL, Header, Json, names
from streamqid.cli.progress import reading

PROMISE = "What is promised (one of them)"
COLUMNS = "What each column is (every column is named once)"


def _columns(text: str) -> Any:
    """Describe the option for the columns of one role."""
    return typer.Option(metavar="NAMES", help=text, rich_help_panel=COLUMNS)


def _promise(*names: str, text: str) -> Any:
    """Describe an option of what is promised."""
    return typer.Option(*names, help=text, rich_help_panel=PROMISE)


Names = list[str] | None
Source = Annotated[str, typer.Argument(metavar="TABLE", help="A CSV or JSON lines file.")]
Out = Annotated[str, typer.Option(metavar="FILE", help="Where to write: CSV for CSV, JSON lines for JSON.")]
Quasi = Annotated[list[str], _columns("Quasi-identifiers: only their cells are suppressed.")]
Sensitive = Annotated[Names, _columns("Published as it is; what --l and --t protect.")]
Keep = Annotated[Names, _columns("Published as they are.")]
Drop = Annotated[Names, _columns("Not published, such as identifiers.")]
K = Annotated[int | None, _promise("--k", text="Every row equals k - 1 others.")]
L = Annotated[int | None, _promise("--l", text="2: no sensitive value in more than half of a group.")]
T = Annotated[float | None, _promise("--t", text="Sensitive values of a group at most t away from all.")]
Distance = Annotated[
    Literal["equal", "ordered"], _promise(text="For --t: all values equally far apart, or numbers in order.")
]
Mark = Annotated[str, typer.Option(metavar="TEXT", help="What a suppressed cell says.")]
TimeLimit = Annotated[float, typer.Option(metavar="SECONDS", help="For the search for fewer cells.")]
Force = Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")]
Format = Annotated[
    Literal["csv", "jsonl", "parquet"] | None,
    typer.Option("--format", help="By default as the name tells.", rich_help_panel=PANEL),
]
Delimiter = Annotated[
    str | None, typer.Option(metavar="CHAR", help="Between the fields of a CSV file.", rich_help_panel=PANEL)
]


def anonymize(
    table: Source,
    *,
    out: Out,
    quasi: Quasi,
    sensitive: Sensitive = None,
    keep: Keep = None,
    drop: Drop = None,
    k: K = None,
    l: L = None,  # noqa: E741 - the paper's letter
    t: T = None,
    distance: Distance = "equal",
    suppressed: Mark = "*",
    time_limit: TimeLimit = 60.0,
    force: Force = False,
    json: Json = False,
    file_format: Format = None,
    delimiter: Delimiter = None,
    header: Header = None,
) -> None:
    """Write a table that is k-anonymous, 2-diverse or t-close, with as few suppressed cells as can be found.

    Number and order of the rows stay. What is written is audited before the file gets its name.
    """
    from streamqid import anonymizing
    from streamqid.cli.show_anonymize import tell

    roles = anonymizing.Roles(names(quasi), names(sensitive), names(keep), names(drop))
    request = anonymizing.Request(k, l, t, distance)
    with _terminated(), reading(table) as report:
        answer = anonymizing.anonymize(
            table,
            out,
            roles,
            request,
            suppressed=suppressed,
            time_limit=time_limit,
            force=force,
            format=file_format,
            delimiter=delimiter,
            header=header,
            progress=report,
        )
    tell(answer, json=json)


@contextlib.contextmanager
def _terminated() -> Iterator[None]:
    """Let a request to terminate or a closed terminal end the command as Ctrl-C does, so that no file is left."""
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        for number, handler in before.items():
            if handler is not signal.SIG_IGN:  # which nohup asks for
                signal.signal(number, signal.default_int_handler)
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
