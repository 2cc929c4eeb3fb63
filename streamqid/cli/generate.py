"""Made-up microdata with the exact truth beside it.

No annotation that typer reads is a string.
"""

import contextlib
import gzip
import json as notation
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Literal, cast

import typer

from streamqid.cli.options import names
from streamqid.cli.text import count, plain
from streamqid.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamqid.synthetic import Drift

_DRIFT = re.compile(r"(?P<kind>\w+):(?P<column>\w+)@(?P<at>\d+)(?:\+(?P<over>\d+))?(?:-(?P<until>\d+))?")
PUBLISHED = ("age", "sex", "region")
"""The column set that the default drift turns from safe to identifying; the truth always tells about it."""


def generate(
    *,
    rows: Annotated[int, typer.Option(metavar="N", help="Number of rows.")],
    seed: Annotated[int, typer.Option(help="The same number gives the same bytes.")] = 0,
    out: Annotated[str, typer.Option(metavar="FILE", help="Where to; - is standard output, .gz compresses.")] = "-",
    file_format: Annotated[
        Literal["csv", "jsonl"] | None, typer.Option("--format", help="By default as FILE tells, else csv.")
    ] = None,
    truth: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the exact measures here, as JSON.", dir_okay=True)
    ] = None,
    truth_set: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="A column set to measure too; repeatable.")
    ] = None,
    drift: Annotated[
        list[str] | None,
        typer.Option(metavar="CHANGE", help="A change on the way, such as finer:region@5000; repeatable."),
    ] = None,
    missing_share: Annotated[float, typer.Option(metavar="SHARE", help="Nulls in columns that have gaps.")] = 0.02,
    no_identifier: Annotated[bool, typer.Option("--no-identifier", help="Without the column person_id.")] = False,
    time: Annotated[bool, typer.Option("--time", help="With the column time.")] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print the exact measures on standard output; needs --out FILE.")
    ] = False,
) -> None:
    """Make up microdata about insured people, and measure it exactly.

    A change is KIND:COLUMN@ROW; +N lets it grow over N rows, -N ends it before
    row N. KIND is finer (each value splits), flat (all values become equally
    frequent), new (the column appears) or missing (the values are null).
    The word default means a region that gets finer half-way.
    """
    from streamqid import synthetic

    if json and out == "-":
        msg = "Rows and measures cannot both go to standard output: write the rows with --out FILE."
        raise UsageError(msg)
    if truth is not None and out != "-" and Path(out) == Path(truth):
        msg = "Rows and measures cannot both go to one file: name two."
        raise UsageError(msg)
    if out.lower().endswith((".parquet", ".zst")):
        msg = "Rows are written as CSV or JSON lines, plain or .gz: choose another ending."
        raise UsageError(msg)
    drifts = tuple(drift_of(text, rows) for text in drift or ())
    population = synthetic.Population(seed, missing_share, drifts, not no_identifier, time)
    write = synthetic.write_jsonl if (file_format or _format_of(out)) == "jsonl" else synthetic.write_csv
    with _opened(out) as stream:
        write(population, rows, stream)
    if truth is not None or json:
        sets = [names([text]) for text in truth_set or ()]
        measures = synthetic.truth(population, rows, [PUBLISHED, *sets])
        document = notation.dumps(measures, indent=2).encode() + b"\n"
        for place in ["-"] * json + [str(truth)] * (truth is not None):
            with _opened(place) as stream:
                stream.write(document)
    if out != "-":
        typer.echo(
            f"Wrote {count(rows, 'row')} of {len(population.columns)} columns to {plain(out)} (seed {seed}).", err=True
        )


def drift_of(text: str, rows: int) -> "Drift":
    """Read a drift, such as finer:region@5000+100-9000."""
    from streamqid.synthetic import Drift, DriftKind, default_drift

    if text == "default":
        return default_drift(rows)
    found = _DRIFT.fullmatch(text)
    if found is None or found["kind"] not in list(DriftKind):
        msg = (
            f"The drift {text!r} cannot be read: write KIND:COLUMN@ROW, such as finer:region@5000, "
            f"with one of {', '.join(DriftKind)}."
        )
        raise UsageError(msg)
    until = None if found["until"] is None else int(found["until"])
    return Drift(DriftKind(found["kind"]), found["column"], int(found["at"]), int(found["over"] or 0), until)


def _format_of(out: str) -> str:
    endings = Path(out.lower().removesuffix(".gz")).suffix
    return "jsonl" if endings in (".jsonl", ".ndjson", ".json") else "csv"


@contextlib.contextmanager
def _opened(place: str) -> "Iterator[BinaryIO]":
    """Open a file for writing, or standard output; what is compressed does not tell when or under which name."""
    if place == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with Path(place).open("wb") as file:
            if place.lower().endswith(".gz"):
                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    yield cast("BinaryIO", packed)
            else:
                yield file
    except OSError as error:
        msg = f"{place} cannot be written ({error.strerror or type(error).__name__}): check the path and the disk."
        raise UsageError(msg) from None
