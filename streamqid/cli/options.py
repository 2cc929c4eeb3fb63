"""The options that commands share, and how their texts are read.

No annotation here is a string: typer reads them at run time.
"""

import csv
import re
import sys
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from streamqid.options import Options

PANEL = "How the table is read"
_MEMORY = re.compile(r"(\d+(?:\.\d*)?)\s*([kmgt]?)(i?)b?", re.IGNORECASE)
_POWERS = ("", "k", "m", "g", "t")

Table = Annotated[str, typer.Argument(metavar="TABLE", help="A CSV, JSON lines or Parquet file; - for standard input.")]
Json = Annotated[bool, typer.Option("--json", help="Print the answer as one JSON document.")]
Epsilon = Annotated[float, typer.Option(help="Share of pairs or rows that a key may leave together.")]
Delta = Annotated[float, typer.Option(help="Probability that a promise is broken.")]
Beta = Annotated[float, typer.Option(help="Highest ratio that the published columns may have.")]
Measure = Annotated[
    Literal["separation", "distinct"],
    typer.Option(help="Count pairs of rows that differ, or rows that are different."),
]
KeyMeasure = Annotated[
    Literal["separation", "distinct", "k-anonymity"],
    typer.Option(help="Count pairs of rows that differ, rows that are different, or rows in groups below k."),
]
Rule = Annotated[
    Literal["paper", "certified"],
    typer.Option(help="Judge on the sample that chose, for all column sets; or on a second sample."),
]
KeyRule = Annotated[
    Literal["paper", "certified", "tuples"],
    typer.Option(help="As for the others, or on all pairs of fewer rows (tuples, by separation)."),
]
Solver = Annotated[Literal["greedy", "exact"], typer.Option(help="Choose greedily, or find the optimum on every row.")]
TimeLimit = Annotated[float | None, typer.Option(metavar="SECONDS", help="Of the exact solver: 60 unless given.")]
GroupSize = Annotated[int | None, typer.Option("--k", metavar="K", help="With k-anonymity: smallest safe group.")]
Exposes = Annotated[
    Literal["some", "every"],
    typer.Option(help="With k-anonymity: whom a set exposes, some row or every row that all columns expose."),
]
KeySample = Annotated[
    int | None, typer.Option(metavar="ROWS", help="With k-anonymity: judge on a sample, not on every row.")
]
Header = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="The first line of a CSV file names the columns, or is a row (columns c1, c2, …).",
        rich_help_panel=PANEL,
    ),
]
Sample = Annotated[int, typer.Option(metavar="ROWS", help="Rows in each of the two samples.")]
LeastSample = Annotated[
    int, typer.Option(metavar="ROWS", help="Rows in each of the two samples; more if the key needs more.")
]


def table_options(
    *,
    seed: Annotated[int | None, typer.Option(help="Repeat an answer: the number that it told.")] = None,
    only: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Look at these columns only.", rich_help_panel=PANEL)
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Leave these columns out, as a,b or repeated.", rich_help_panel=PANEL),
    ] = None,
    weights: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=W", help="Weights of columns, as age=2,zip=0.5; 1 for all others.", rich_help_panel=PANEL
        ),
    ] = None,
    missing: Annotated[
        Literal["value", "equal", "distinct"],
        typer.Option(
            help="Null, empty and absent are values like any other, equal each other, or differ from all.",
            rich_help_panel=PANEL,
        ),
    ] = "value",
    missing_marker: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT", help="A text that means missing, such as ?; repeatable.", rich_help_panel=PANEL),
    ] = None,
    file_format: Annotated[
        Literal["csv", "jsonl", "parquet"] | None,
        typer.Option("--format", help="By default as the name tells.", rich_help_panel=PANEL),
    ] = None,
    delimiter: Annotated[
        str | None, typer.Option(metavar="CHAR", help="Between the fields of a CSV file.", rich_help_panel=PANEL)
    ] = None,
    header: Header = None,
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="For the samples: 512MB, 2GiB or bytes.", rich_help_panel=PANEL)
    ] = "1GiB",
) -> "Options":
    """Turn what every question about a table may set into the options of the library."""
    return {
        "seed": seed,
        "only": some_names("--only", only),
        "ignore": some_names("--ignore", ignore),
        "weights": weights_of(weights),
        "missing": missing,
        "markers": tuple(missing_marker or ()),
        "memory": memory_of(memory),
        "format": file_format,
        "delimiter": delimiter,
        "header": header,
    }


def some_names(option: str, texts: "list[str] | None") -> list[str]:
    """Read lists of names of which none may be without a name."""
    if not all(names([text]) for text in texts or ()):
        msg = f"Name at least one column after {option}, or leave it out."
        raise UsageError(msg)
    return names(texts)


def names(texts: "Iterable[str] | None") -> list[str]:
    """Read lists of names, each like a line of CSV: a name with a comma stands in double quotes.

    Spaces before a name are left out of a list, but not of a single name: the columns of ``a, b`` are so named.

    >>> names(["age, sex", '"name, first"', " b"])
    ['age', 'sex', 'name, first', ' b']
    """
    found: list[str] = []
    for text in texts or ():
        if not set(text) & {",", '"', "\n", "\r"}:
            found.append(text)
            continue
        try:
            found += next(csv.reader([text], skipinitialspace=True), [])
        except csv.Error:
            msg = f"The names {text!r} cannot be read: put a name with a line end in double quotes."
            raise UsageError(msg) from None
    return [name for name in found if name]


def weights_of(texts: "Iterable[str] | None") -> dict[str, float]:
    """Read weights.

    >>> weights_of(["age=2,zip=0.5"])
    {'age': 2.0, 'zip': 0.5}
    """
    weights: dict[str, float] = {}
    for item in names(texts):
        name, _, number = item.rpartition("=")
        try:
            weight = float(number)
        except ValueError:
            weight = None
        if weight is None or not name:
            msg = f"The weight {item!r} cannot be read: write it as NAME=NUMBER, such as age=2."
            raise UsageError(msg)
        if name in weights:
            msg = f"Column {name!r} has two weights: give it one."
            raise UsageError(msg)
        weights[name] = weight
    return weights


def memory_of(text: str) -> int:
    """Read a number of bytes.

    >>> memory_of("512MB"), memory_of("2GiB"), memory_of("1000")
    (512000000, 2147483648, 1000)
    """
    found = _MEMORY.fullmatch(text.strip())
    if found is None:
        msg = f"The memory {text!r} cannot be read: write bytes, or a size such as 512MB or 2GiB."
        raise UsageError(msg)
    number, power, binary = found.groups()
    size = float(number) * (1024 if binary else 1000) ** _POWERS.index(power.lower())
    return int(min(size, sys.float_info.max))
