"""The command that compares the methods: detect.

No annotation that typer reads is a string.
"""

from typing import TYPE_CHECKING, Annotated

import typer

from streamqid.cli.options import names
from streamqid.cli.pages import Html, page_file, table_name
from streamqid.cli.questions import question
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from streamqid.options import Options
    from streamqid.problems.findings import DetectAnswer

ARROW = "->"
GRAPH = "What is known about the columns"


@question
def detect(
    table: str,
    options: "Options",
    *,
    method: Annotated[
        list[str] | None,
        typer.Option(
            metavar="METHODS",
            help="separation, distinct, minimal, k-anonymity, dependencies, articulation; all (the default); "
            "baselines, or one of sqia, dpi, f2cic, qia, fpcv.",
        ),
    ] = None,
    identifier: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that name a person.", rich_help_panel=GRAPH)
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Columns that must not be learned.", rich_help_panel=GRAPH),
    ] = None,
    dependency: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B->C", help="Columns that determine others; repeatable.", rich_help_panel=GRAPH),
    ] = None,
    edge: Annotated[
        list[str] | None,
        typer.Option(metavar="A-B", help="Two related columns, or A,B; repeatable.", rich_help_panel=GRAPH),
    ] = None,
    view: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Columns that an attacker may know; repeatable.", rich_help_panel=GRAPH),
    ] = None,
    k: Annotated[int, typer.Option(help="Count rows in groups smaller than this.")] = 5,
    epsilon: Annotated[
        float | None, typer.Option(help="Share that a set may leave together; 0.001 by separation, 0.1 by distinct.")
    ] = None,
    beta: Annotated[
        float | None, typer.Option(help="Ratio up to which columns are harmless; 0.8 by separation, 0.5 by distinct.")
    ] = None,
    most: Annotated[int, typer.Option(metavar="M", help="Columns in a set that singles out a person.")] = 2,
    threshold: Annotated[float, typer.Option(help="Strength from which a derived graph has an edge.")] = 0.5,
    html: Html = None,
) -> "DetectAnswer":
    """Ask every method of the papers which columns identify people, side by side."""
    from streamqid import detecting

    with page_file(html, table) as write:
        answer = detecting.detect(
            table,
            methods=names(method) or ["all"],
            identifiers=names(identifier),
            sensitive=names(sensitive),
            dependencies=[_dependency(text) for text in dependency or ()],
            edges=[_edge(text) for text in edge or ()],
            k=k,
            views=[names([text]) for text in view or ()],
            epsilon=epsilon,
            beta=beta,
            most=most,
            threshold=threshold,
            **options,
        )
        if html is not None:
            from streamqid.report.detection import detection_page

            write(detection_page(answer, table_name(table)))
    return answer


def _dependency(text: str) -> tuple[list[str], list[str]]:
    """Read a dependency.

    >>> _dependency("zip, street -> city")
    (['zip', 'street'], ['city'])
    """
    left, arrow, right = text.partition(ARROW)
    sides = names([left.strip()]), names([right.strip()])
    if not arrow or not all(sides):
        msg = f"The dependency {text!r} cannot be read: write it as A,B->C."
        raise UsageError(msg)
    return sides


def _edge(text: str) -> tuple[str, str]:
    """Read two related columns; a comma stands between them where a name has a hyphen.

    >>> _edge("zip-city"), _edge("marital-status,income")
    (('zip', 'city'), ('marital-status', 'income'))
    """
    ends = names([text])
    if len(ends) == 1:
        ends = [end.strip() for end in text.split("-")]
    if len(ends) != 2 or not all(ends) or ends[0] == ends[1]:
        msg = f"The edge {text!r} cannot be read: write two columns as A-B, or as A,B where a name has a hyphen."
        raise UsageError(msg)
    return ends[0], ends[1]
