"""The command that writes a safe table: ``streamqid anonymize``.

No annotation that typer reads is a string.
"""

from typing import Annotated, Literal

import typer

from streamqid.cli.options import PANEL, Json, names
from streamqid.cli.progress import reading

PROMISE = "What is promised (one of them)"
COLUMNS = "What each column is (every column is named once)"


def anonymize(
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A CSV or JSON lines file.")],
    *,
    out: Annotated[str, typer.Option(metavar="FILE", help="Where to write: CSV for CSV, JSON lines for JSON.")],
    quasi: Annotated[
        list[str],
        typer.Option(
            metavar="NAMES", help="Quasi-identifiers: only their cells are suppressed.", rich_help_panel=COLUMNS
        ),
    ],
    sensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Published as it is; what --l and --t protect.", rich_help_panel=COLUMNS),
    ] = None,
    keep: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Published as they are.", rich_help_panel=COLUMNS)
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Not published, such as identifiers.", rich_help_panel=COLUMNS),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", help="Every row equals k - 1 others.", rich_help_panel=PROMISE)
    ] = None,
    l: Annotated[  # noqa: E741
        int | None,
        typer.Option("--l", help="2: no sensitive value in more than half of a group.", rich_help_panel=PROMISE),
    ] = None,
    t: Annotated[
        float | None,
        typer.Option("--t", help="Sensitive values of a group at most t away from all.", rich_help_panel=PROMISE),
    ] = None,
    distance: Annotated[
        Literal["equal", "ordered"],
        typer.Option(help="For --t: all values equally far apart, or numbers in order.", rich_help_panel=PROMISE),
    ] = "equal",
    suppressed: Annotated[str, typer.Option(metavar="TEXT", help="What a suppressed cell says.")] = "*",
    time_limit: Annotated[float, typer.Option(metavar="SECONDS", help="For the search for fewer cells.")] = 60.0,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it exists.")] = False,
    json: Json = False,
    file_format: Annotated[
        Literal["csv", "jsonl", "parquet"] | None,
        typer.Option("--format", help="By default as the name tells.", rich_help_panel=PANEL),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(metavar="CHAR", help="Between the fields of a CSV file.", rich_help_panel=PANEL)
    ] = None,
) -> None:
    """Write a table that is k-anonymous, 2-diverse or t-close, with as few suppressed cells as can be found.

    Number and order of the rows stay. What is written is audited before the file gets its name.
    """
    from streamqid import anonymizing
    from streamqid.cli.show_anonymize import tell

    roles = anonymizing.Roles(names(quasi), names(sensitive), names(keep), names(drop))
    request = anonymizing.Request(k, l, t, distance)
    with reading(table) as report:
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
            progress=report,
        )
    tell(answer, json=json)
